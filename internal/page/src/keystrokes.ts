// Keys that do something of their own. What they write is told by the field.

import { isCombobox, isField, isTextEntry, takesLines } from "./editable";
import { modifiers, used } from "./presses";
import { hides } from "./reach";
import { tell } from "./told";
import { tellFilled, tellOwn } from "./typed";
import { sendEvent } from "./wire";

/** Keys that a field uses for itself while text is typed: the value tells what they did. */
const EDITING = new Set(["ArrowLeft", "ArrowRight", "Backspace", "Delete", "End", "Home", "Insert", "PageDown", "PageUp"]);
const NO_KEY = new Set(["Alt", "AltGraph", "CapsLock", "Control", "Dead", "Fn", "Meta", "NumLock", "Process", "ScrollLock", "Shift", "Unidentified"]);

export function onKeyDown(event: KeyboardEvent, target: Element): void {
  const pressed = event.key as string | undefined; // a password manager's event has none
  if (!pressed || event.isComposing || NO_KEY.has(pressed)) return;
  const element = used(target);
  if (hides(target) && isText(event, pressed)) return;
  if (pressed === "Enter" && isField(element)) tellFilled(element);
  if (isTyping(event, element, pressed) && !marksAll(event, element, pressed)) return typing(event, element as HTMLElement);
  sendEvent({ type: "key", key: pressed, target: isPage(element) ? undefined : tell(element, false), ...modifiers(event) });
}

/**
 * A page that takes the keys for itself writes into the field what it likes, and
 * no input event tells of it. What it wrote is looked at when it is done: when
 * the next event comes, or when the page has had time for it.
 */
function typing(event: KeyboardEvent, field: HTMLElement): void {
  lastKey = { event, field };
  setTimeout(settleKey);
}

let lastKey: { event: KeyboardEvent; field: HTMLElement } | null = null;

export function settleKey(): void {
  const { event, field } = lastKey ?? {};
  lastKey = null;
  if (event?.defaultPrevented && field) tellOwn(field);
}

/** Forgets a key that is still to be looked at. */
export function dropKey(): void {
  lastKey = null;
}

function isTyping(event: KeyboardEvent, element: Element, pressed: string): boolean {
  if (!isTextEntry(element)) return false;
  if (isText(event, pressed)) return true;
  if (isCommand(event)) return false;
  if (pressed === "Enter") return takesLines(element);
  return (pressed === "ArrowUp" || pressed === "ArrowDown") && !isCombobox(element);
}

/** Whether a key writes or edits in whatever field has the focus. */
function isText(event: KeyboardEvent, pressed: string): boolean {
  if (isCommand(event)) return EDITING.has(pressed) || /^[acvxyz]$/i.test(pressed);
  return pressed.length === 1 || EDITING.has(pressed);
}

function isCommand(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey || event.altKey && !OPTION_WRITES) && !event.getModifierState("AltGraph");
}

/** On a Mac the key that is called Alt elsewhere writes characters, as AltGraph does. */
const OPTION_WRITES = navigator.platform.startsWith("Mac");

/** In an editor what is marked may be for a tool, and the text does not tell of it. */
function marksAll(event: KeyboardEvent, element: Element, pressed: string): boolean {
  return (element as HTMLElement).isContentEditable && isCommand(event) && /^a$/i.test(pressed);
}

function isPage(el: Element): boolean {
  return el === document.body || el === document.documentElement;
}
