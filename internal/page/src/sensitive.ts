// Which fields hold a secret, and which ones say who somebody is.

import { labelsOf, normalize } from "./dom";
import { once, pass } from "./pass";
import { type Hashes, Index, type Key, newKey, PIECE, read, SHORTEST } from "./pieces";

const SECRET_AUTOCOMPLETE = new Set(["current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year"]);

/** Words in a field's name, id or label that mark a secret, in the languages of most of the web. */
const SECRET_WORDS = new RegExp(
  [
    "pass(word|wd|code|phrase)", "\\bpwd\\b", "passwort|kennwort", "contrase(ñ|n)a", "mot de passe", "\\bsenha\\b", "wachtwoord",
    "hasło", "пароль", "密码|密碼", "パスワード", "비밀번호", "\\botp\\b", "one.?time", "verification.?code", "security.?(code|answer)",
    "\\b(2fa|mfa|totp)\\b", "\\bcvv2?\\b|\\bcvc2?\\b", "card.?(number|num|no)\\b", "\\bssn\\b|social.?security", "\\bpin\\b", "secret", "api.?key|access.?token",
  ].join("|"),
  "i",
);

/** What is known of secrets, only so that nothing that repeats one is quoted. */
interface Known {
  once: WeakSet<Element>; // fields that were secret once: "show password" turns them into text, and a page may move them to another frame
  values: WeakMap<Element, string>; // what secret fields hold
  fields: Set<WeakRef<Element>>;
  texts: Set<string>; // short secrets that were typed into no field
  own: Index; // the pieces of what was typed here, also of what was since edited away
  given: Map<string, Index>; // by their key: pieces that the engine knows of
}

/** The documents of one origin in a tab share what they know: what is typed in a frame may be repeated around it. */
function known(): Known {
  let outermost: Window = window;
  for (let view: Window = window; view !== view.parent; view = view.parent) {
    try {
      if (view.parent.document) outermost = view.parent;
    } catch {
      break;
    }
  }
  const shared = outermost as unknown as { __repriseKnown?: Known };
  return (shared.__repriseKnown ??= { once: new WeakSet(), values: new WeakMap(), fields: new Set(), texts: new Set(), own: new Index(newKey()), given: new Map() });
}

/** Whether a field holds a secret: by its kind, because it received one, or because what it holds repeats one. It stays so. */
export function isSensitive(el: Element): boolean {
  const { once } = known();
  if (once.has(el)) return true;
  if (!isSecretField(el) && !holdsPiece(el)) return false;
  once.add(el);
  return true;
}

function holdsPiece(el: Element): boolean {
  const isInput = el.localName === "input" || el.localName === "textarea"; // it may be of another frame's making
  if (!isInput && !(el as HTMLElement).isContentEditable) return false;
  const value = isInput ? (el as HTMLInputElement).value : (el.textContent ?? "");
  return value.length >= PIECE && repeatsSecret(value);
}

let asked: (el: Element) => boolean = () => false;

/** Has a field be asked for that the person may have marked. */
export function onAsked(isMarked: (el: Element) => boolean): void {
  asked = isMarked;
}

/** Whether a field is one for secrets, whatever it holds. */
export function isSecretField(el: Element): boolean {
  if (asked(el)) return true;
  if (el instanceof HTMLInputElement && el.type === "password") return true;
  if (autocompleteOf(el).some((token) => SECRET_AUTOCOMPLETE.has(token))) return true;
  if (isMasked(el)) return true;
  return isTextField(el) && SECRET_WORDS.test(wordsAbout(el));
}

function isMasked(el: Element): boolean {
  const masked = getComputedStyle(el).getPropertyValue("-webkit-text-security");
  return masked !== "" && masked !== "none";
}

function isTextField(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

export function autocompleteOf(el: Element): string[] {
  return (el.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

function wordsAbout(el: Element): string {
  const named = ["name", "id", "aria-label", "placeholder"].map((name) => spaced(el.getAttribute(name) ?? ""));
  return [...named, ...labelsOf(el).map((label) => normalize(label.textContent))].join(" ");
}

/** loginPin and login_pin as words. */
function spaced(name: string): string {
  return `${name} ${name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ")}`;
}

/** Notes the value of a field, which is a secret from now on as long as its element lives. */
export function remember(el: Element, value: string): void {
  const { once, values, fields, own } = known();
  once.add(el);
  if (!values.has(el)) fields.add(new WeakRef(el));
  values.set(el, value);
  own.addSecret(value);
}

/** Notes a secret that the browser was told, in a dialog: the page has it, and may repeat it. */
export function rememberText(value: string): void {
  const { texts, own } = known();
  if (isShort(value)) texts.add(value);
  own.addSecret(value);
}

/** Notes pieces of secrets that the engine knows of. */
export function rememberPieces(hashes: Hashes): void {
  const { own, given } = known();
  const name = hashes.key.join();
  if (name === own.key.join()) return own.add(hashes);
  const index = given.get(name) ?? new Index(hashes.key);
  index.add(hashes);
  given.set(name, index);
}

/** Has what is known here, and what will be, hashed with the key of a recording. */
export function useKey(key: Key): void {
  const here = known();
  if (here.own.key.join() === key.join()) return;
  if (!here.own.isEmpty) here.given.set(here.own.key.join(), here.own);
  here.own = new Index(key);
  for (const [, value] of secretFields()) here.own.addSecret(value);
}

/** The key under which secrets are hashed here. */
export function keyOfSecrets(): Key {
  return known().own.key;
}

/** The fields that hold secrets, and what they held when that was last noted. */
export function secretFields(): [Element, string][] {
  const { values, fields } = known();
  return [...fields].flatMap((ref): [Element, string][] => {
    const el = ref.deref();
    const value = el && values.get(el);
    return el && value ? [[el, value]] : [];
  });
}

/** Whether any secret is known in this document. */
export function knowsSecrets(): boolean {
  return indexes().length > 0 || shortSecrets().length > 0;
}

/** What is known of secrets by their pieces. */
export function indexes(): Index[] {
  const { own, given } = known();
  return [own, ...given.values()].filter((index) => !index.isEmpty);
}

/** Whether a text repeats a secret, or six characters of one, plain or encoded. */
export function repeatsSecret(text: string): boolean {
  if (text.length < SHORTEST) return false;
  if (indexes().some((index) => index.in(text))) return true;
  const shorts = once(pass()?.secrets, "all", shortSecrets);
  if (!shorts.length) return false;
  const lower = text.toLowerCase();
  return shorts.some((form) => lower.includes(form));
}

/** Those that are too short for pieces, in the forms in which they are looked for. */
function shortSecrets(): string[] {
  const { values, fields, texts } = known();
  const all = [...texts];
  for (const ref of fields) {
    const el = ref.deref();
    const value = el && values.get(el);
    if (value && isShort(value)) all.push(value);
  }
  const forms = all.filter((value) => value.length >= SHORTEST).flatMap((value) => [value, encodeURIComponent(value), CSS.escape(value)]);
  return forms.map((form) => form.toLowerCase());
}

function isShort(value: string): boolean {
  return read(value, "joined").length < PIECE;
}
