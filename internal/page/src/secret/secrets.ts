// What this document knows of secrets: which fields hold one, because of what they are,
// what was typed into them, or because the user marked them; the pieces of their values;
// and how these are shared with the engine.
//
// The pieces go to the engine as keyed hashes, and from there to every other document of
// the recording: none of them quotes what repeats them. How often they are sent reveals
// nothing of a secret: not with each key, but when a field or its page is left, before
// what may lead there, and when typing pauses.

import { autocompleteOf, fieldOf, headOver, idOf, isTextEntry, labelsOf, normalize, perPass, textBefore, valueOf } from "../dom/elements";
import { nameOf } from "../dom/names";
import { documentId, elementOf, refOf, send } from "../dom/wire";
import { type Hashes, Index, type Key, newKey, PIECE, read, SHORTEST, wholeOf } from "./pieces";

const SECRET_AUTOCOMPLETE = new Set(["current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year"]);

/** Words in a field's name, id or label that mark a secret, in the languages of most of the web. */
const SECRET_WORDS = new RegExp(
  [
    "pass(word|wd|code|phrase)(?!.?(change|expir|age\\b|m(ax|in)\\b|days|session|duration|length|lifetime|valid|polic|histor|attempt|strength))", "\\bpwd\\b", "passwort|kennwort", "contrase(ñ|n)a", "mot de passe", "\\bsenha\\b", "wachtwoord",
    "hasło", "пароль", "密码|密碼", "パスワード", "비밀번호", "\\botp\\b", "one.?time", "verification.?code", "security.?(code|answer)",
    "\\b(2fa|mfa|totp)\\b", "\\bcvv2?\\b|\\bcvc2?\\b", "card.?(number|num|no)\\b", "\\bssn\\b|social.?security", "\\bpin\\b", "secret",
    "(api.?key|access.?token)(?!.?(label|name|title|description|note|comment)\\b)", // what a key is called is none
  ].join("|"),
  "i",
);

/** What is known of secrets, only so that nothing that repeats one is quoted. */
interface Known {
  once: WeakSet<Element>; // fields that were secret once: "show password" turns them into text, and a page may move them to another frame
  values: WeakMap<Element, string>; // what secret fields hold
  fields: Set<WeakRef<Element>>;
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
  return (shared.__repriseKnown ??= { once: new WeakSet(), values: new WeakMap(), fields: new Set(), own: new Index(newKey()), given: new Map() });
}

/** Whether a field holds a secret: by its kind, because it received one, or because what it holds repeats one. It stays so. */
export function isSensitive(el: Element): boolean {
  const { once } = known();
  if (once.has(el)) return true;
  if (!isSecretField(el) && !(texts && isTextEntry(el)) && !holdsPiece(el)) return false;
  once.add(el);
  return true;
}

/** Whether a field is for secrets, or was: "show password" changes what it is. */
export function wasSecret(el: Element): boolean {
  const { once } = known();
  if (isSecretField(el)) once.add(el);
  return once.has(el) && (!texts || isSecretField(el));
}

/** Whether every text that is typed is a secret, whatever its field is for. */
let texts = false;

export function withholdTexts(on: boolean): void {
  texts = on;
}

function holdsPiece(el: Element): boolean {
  const isInput = el.localName === "input" || el.localName === "textarea"; // it may be of another frame's making
  if (!isInput && !(el as HTMLElement).isContentEditable) return false;
  const value = isInput ? (el as HTMLInputElement).value : (el.textContent ?? "");
  return value.length >= PIECE && repeatsSecret(value);
}

/** Whether a field is one for secrets, whatever it holds. */
export function isSecretField(el: Element): boolean {
  if (isMarked(el)) return true;
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

function wordsAbout(el: Element): string {
  const named = ["name", "id", "aria-label", "placeholder"].map((name) => spaced(el.getAttribute(name) ?? ""));
  const labels = labelsOf(el).map((label) => normalize(label.textContent));
  return [...named, ...(labels.length ? labels : [textBefore(el), normalize(headOver(el)?.textContent)])].join(" ");
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

/** Notes pieces of secrets that the engine knows of. */
export function rememberPieces(hashes: Hashes): void {
  const { own, given } = known();
  const name = hashes.key.join();
  if (name === own.key.join()) return own.add(hashes);
  const index = given.get(name) ?? new Index(hashes.key);
  index.add(hashes);
  given.set(name, index);
}

/** Hashes what is known here, and what will be, with the key of a recording. */
export function useKey(key: Key): void {
  const here = known();
  if (here.own.key.join() === key.join()) return;
  if (!here.own.isEmpty) here.given.set(here.own.key.join(), here.own);
  here.own = new Index(key);
  for (const [, value] of secretFields()) here.own.addSecret(value);
}

/** The key under which secrets are hashed here. */
function keyOfSecrets(): Key {
  return known().own.key;
}

/** The fields that hold secrets, and what they held when that was last noted. */
function secretFields(): [Element, string][] {
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

const shortsInPass = perPass<"all", string[]>();

/** Whether a text repeats a secret, or six characters of one, plain or encoded. */
export function repeatsSecret(text: string): boolean {
  if (text.length < SHORTEST) return false;
  if (indexes().some((index) => index.in(text))) return true;
  const shorts = shortsInPass("all", shortSecrets);
  if (!shorts.length) return false;
  const lower = text.toLowerCase();
  return shorts.some((form) => lower.includes(form));
}

/** A text of the page for people to read, unless it repeats a secret. */
export function quote(text: string): string {
  return repeatsSecret(text) ? "" : normalize(text).slice(0, 120);
}

/** Those that are too short for pieces, in the forms in which they are looked for. */
function shortSecrets(): string[] {
  const { values, fields } = known();
  const all: string[] = [];
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

/** How a field is known that was marked. */
export interface Mark {
  origin: string;
  names?: string[]; // name and id
  label?: string;
  element: string; // of which document, and its number there
}

let marks: Mark[] = [];

/** Reports nothing more of these fields, and quotes nothing that repeats what they hold. */
export function hide(all: Mark[]): void {
  marks = all;
  for (const mark of all) {
    const [doc, ref] = mark.element.split("#");
    const field = doc === documentId ? elementOf(Number(ref)) : null;
    if (field instanceof HTMLElement) remember(field, valueOf(field));
  }
}

/** Whether the user marked a field as secret, here or in another document of the origin. */
function isMarked(el: Element): boolean {
  const here = marks.filter((mark) => mark.origin === self.origin);
  if (!here.length || fieldOf(el) !== el) return false;
  const called = [el.getAttribute("name") ?? "", idOf(el)];
  return here.some((mark) => called.some((name, i) => name !== "" && name === mark.names?.[i]) || (mark.label && isLabelled(el, mark.label)));
}

/** As a recording tells of a label: see told.ts. */
function isLabelled(el: Element, label: string): boolean {
  const labels = labelsOf(el).map((l) => l.textContent).join(" ");
  return [nameOf(el), labels].some((text) => normalize(text).slice(0, label.length) === label);
}

/** What was told of each field: its value, and whether as all of it. */
let spreadOf = new WeakMap<Element, string>();

/** How long nothing is typed before what there is is told, in ms. */
const PAUSE_MS = 250;

/** How much of a secret is told of: more is a file that was pasted, and its beginning is enough to know it. */
const MOST_SPREAD = 4096;

/** A secret so short is told of, so that it is no other one's: what repeats it is not known, and a character is one of the boxes of a code. */
const MIN_WHOLE = 2;

let pause: ReturnType<typeof setTimeout> | undefined;

/** Sends the pieces of what is being typed when typing pauses. */
export function spreadSoon(): void {
  clearTimeout(pause);
  pause = setTimeout(() => spread(false), PAUSE_MS);
}

/** Sends the pieces of secrets that were not sent yet; whole means that none is still being typed. */
export function spread(whole = true): void {
  pieces(whole, false).forEach(send);
}

/** What there is to send; with again also what was sent, for an engine that asks while another document is already in use: what was sent may be on its way. */
export function pieces(whole = true, again = true): object[] {
  const key = keyOfSecrets();
  const all: object[] = [];
  for (const [field, value] of secretFields()) {
    const short = isShort(value);
    if (value.length < MIN_WHOLE || (short && !whole)) continue;
    const last = spreadOf.get(field);
    if (!again && last === `whole ${value}`) continue;
    if (!whole && last !== undefined && last.endsWith(` ${value}`)) continue;
    spreadOf.set(field, `${whole ? "whole" : "part"} ${value}`);
    const index = new Index(key);
    if (short && value.length >= SHORTEST) index.addShort(value);
    else if (!short) {
      index.addSecret(value.slice(0, MOST_SPREAD));
      index.addEncoded(value.slice(0, MOST_SPREAD));
    }
    rememberPieces(index.hashes());
    const element = field.ownerDocument === document ? `${documentId}#${refOf(field)}` : "";
    all.push({ type: "pieces", hashes: index.padded(), ...(whole ? { element, whole: wholeOf(key, value) } : {}) });
  }
  return all;
}

/** Forgets what was told: another recording has not heard of it. */
export function forgetSpread(): void {
  clearTimeout(pause);
  spreadOf = new WeakMap();
}
