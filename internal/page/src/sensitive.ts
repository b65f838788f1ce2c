// Which fields hold a secret, and which ones say who somebody is.

import { labelsOf, normalize } from "./dom";
import { once, pass } from "./pass";

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

/** Fields that were secret once: "show password" turns them into text. */
const onceSecret = new WeakSet<Element>();

/** Fields that hold a secret, with what they hold: kept here only so that nothing that repeats it is quoted. */
interface Holders {
  values: WeakMap<Element, string>;
  fields: Set<WeakRef<Element>>;
  texts: Set<string>; // that were typed into no field
}

/** The documents of one origin in a tab share what they know: what is typed in a frame may be repeated around it. */
function holders(): Holders {
  let outermost: Window = window;
  for (let view: Window = window; view !== view.parent; view = view.parent) {
    try {
      if (view.parent.document) outermost = view.parent;
    } catch {
      break;
    }
  }
  const shared = outermost as unknown as { __repriseHolders?: Holders };
  return (shared.__repriseHolders ??= { values: new WeakMap(), fields: new Set(), texts: new Set() });
}

export function isSensitive(el: Element): boolean {
  if (onceSecret.has(el)) return true;
  if (!looksSensitive(el)) return false;
  onceSecret.add(el);
  return true;
}

/** Makes a field a secret one, whatever it looks like. */
export function hideField(field: Element, value: string): void {
  onceSecret.add(field);
  remember(field, value);
}

let asked: (el: Element) => boolean = () => false;

/** Has a field be asked for that the person may have marked. */
export function onAsked(isMarked: (el: Element) => boolean): void {
  asked = isMarked;
}

function looksSensitive(el: Element): boolean {
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

/** Notes the value of a secret field, so that quotes of it are known. */
export function remember(el: Element, value: string): void {
  const { values, fields } = holders();
  if (!values.has(el)) fields.add(new WeakRef(el));
  values.set(el, value);
}

/** Notes a secret that the browser was told, in a dialog: the page has it, and may repeat it. */
export function rememberText(value: string): void {
  holders().texts.add(value);
}

/** The shortest secret that is looked for in texts: shorter ones are in every text. */
const SHORTEST = 3;

/** Whether a text repeats a secret that was typed in this tab's documents of this origin, plain or encoded. */
export function repeatsSecret(text: string): boolean {
  const secrets = once(pass()?.secrets, "all", secretForms);
  if (!secrets.length) return false;
  const lower = text.toLowerCase();
  return secrets.some((form) => lower.includes(form));
}

function secretForms(): string[] {
  const { values, fields, texts } = holders();
  const all = [...texts];
  for (const ref of fields) {
    const el = ref.deref();
    const value = el && values.get(el);
    if (value) all.push(value);
  }
  const forms = all.filter((value) => value.length >= SHORTEST).flatMap((value) => [value, encodeURIComponent(value), CSS.escape(value)]);
  return forms.map((form) => form.toLowerCase());
}
