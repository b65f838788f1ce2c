// Texts that are typed: the value of a field each time that it has changed, and
// of a secret only that there is one.

import { isVisible } from "./dom";
import { CHANGES, fieldOf, isField, kindOf, PICKED, valueOf } from "./editable";
import { hides, onBlindInput, watchPath } from "./reach";
import { isSensitive, remember, repeatsSecret } from "./sensitive";
import { spread, spreadSoon } from "./spread";
import { tell } from "./told";
import { sendEvent } from "./wire";

/** Secret fields of which it was told that something was typed: not how often, which would tell the length. */
let told = new WeakSet<Element>();
const sent = new WeakMap<Element, string>();

/** Fields of which anything was told. */
const known = new WeakSet<Element>();

/**
 * Tells what a password manager has put into the fields around what is about to be
 * used: it speaks to the page alone, and no event of the browser's tells of it. A
 * password that nobody has typed shows that it was there.
 */
export function tellFilled(near: Element): void {
  const around = near.closest("form") ?? (near.getRootNode() as Document | ShadowRoot);
  const untold = (field: HTMLInputElement) => !known.has(field) && field.value !== "" && !field.readOnly && !field.disabled;
  if (![...around.querySelectorAll<HTMLInputElement>("input[type=password]")].some(untold)) return;
  for (const field of around.querySelectorAll("input")) if (FILLED.has(field.type) && untold(field) && isVisible(field)) tellValue(field);
  spread();
}

/** Types of field that password managers fill. */
const FILLED = new Set(["email", "password", "tel", "text"]);

export function onFocus(event: FocusEvent, target: Element): void {
  watchPath(event);
  hides(target);
  if (isField(target)) isSensitive(target); // noted before "show password" can change it
  told = new WeakSet();
}

export function onBlur(_: FocusEvent, target: Element): void {
  const field = fieldOf(target);
  if (!field) return;
  tellChanged(field);
  if (known.has(field) && isSensitive(field) && valueOf(field) !== "") remember(field, valueOf(field)); // the page may have written it in another way
}

export function onInput(event: Event, target: Element): void {
  const field = fieldOf(target);
  if (field?.isContentEditable && event instanceof InputEvent && (BY_TOOL.test(event.inputType) || sent.get(field) === valueOf(field))) {
    if (sent.has(field)) sent.set(field, valueOf(field));
    return;
  }
  if (field && !CHANGES.has(kindOf(field))) tellValue(field);
  if (!field) onBlindInput(target);
}

/**
 * What the tools of an editor do (https://w3c.github.io/input-events/): the button or
 * the keys for it are a step, and do it again. No text is typed.
 */
const BY_TOOL = /^(?:format|insertHorizontalRule|insertOrderedList|insertUnorderedList|insertLink)/;

/** Something was typed where no field could be seen, and now there is one. */
export function onInnerFocus(inner: Element): void {
  isSensitive(inner);
  const field = fieldOf(inner);
  if (field && !CHANGES.has(kindOf(field)) && valueOf(field) !== "") tellValue(field);
}

/** Fields whose keys the page takes for itself. */
const ownKeys = new WeakSet<Element>();

/** Tells what a page that takes the keys of a field for itself has written there. */
export function tellOwn(field: HTMLElement): void {
  ownKeys.add(field);
  if (sent.get(field) !== valueOf(field) && valueOf(field) !== "") tellValue(field);
}

/**
 * Tells what a field holds that is left, if that was not told of already. What was
 * typed before anybody listened has come before what the field is left by.
 */
export function tellLeft(field: HTMLElement): void {
  if (sent.has(field)) tellChanged(field);
  else tellValue(field, { late: true });
}

export function tellValue(field: HTMLElement, more: { late?: boolean; press?: number } = {}): void {
  const value = valueOf(field);
  known.add(field);
  if (isSensitive(field) || repeatsSecret(value)) return tellSecret(field, value, more.press);
  sent.set(field, value);
  sendEvent({ type: "input", target: tell(field, false), value, keys: ownKeys.has(field) && !PICKED.has(kindOf(field)), ...more });
}

/** Tells what the page has made of what was typed: a mask, a format of its own. */
function tellChanged(field: HTMLElement): void {
  if (sent.has(field) && sent.get(field) !== valueOf(field)) tellValue(field, { late: true });
}

function tellSecret(field: HTMLElement, value: string, press?: number): void {
  remember(field, value);
  spreadSoon();
  if (told.has(field)) return;
  told.add(field);
  sendEvent({ type: "input", target: tell(field, false), secret: true, ...(press ? { press } : {}) });
}
