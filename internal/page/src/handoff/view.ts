// What a live view of the page cannot show and draws itself: the lists, dates and colours that the
// browser opens in windows of its own, and the kind of the field that has the focus. And what of the
// page is measured before and after the person has it, which is no text of it.

import { tell } from "../act/fields";
import { noteSet } from "../capture/recorder";
import { deepActiveElement, deepElementFromPoint, eachRoot, isTextEntry } from "../dom/elements";
import { nameOf, roleOf } from "../dom/names";
import { ask, hadNone, mayHost } from "../dom/roots";
import { documentId, refOf } from "../dom/wire";
import { isSecretField, remember, wasSecret } from "../secret/secrets";
import { watchCarrying } from "../secret/withhold";

interface Control {
  kind: string; // "select", or the type of an input
  name: string; // its accessible name
  multiple?: boolean; // any number of the options may be selected
  options?: { text: string; group: string; disabled: boolean; selected: boolean }[];
  value?: string;
  min?: string;
  max?: string;
  step?: string;
}

/** Types of inputs whose picker is a window of the browser. */
const PICKERS = new Set(["date", "datetime-local", "month", "week", "time", "color"]);

/** How often, and after how long, it is looked whether what was pressed has a closed root. */
const ROOT_ASKED = 50;
const ROOT_ASKED_MS = 20;

/** More options than these are not drawn: the person types into the list instead. */
const MAX_OPTIONS = 5000;

/** The control that controlAt found last. */
let opened: HTMLSelectElement | HTMLInputElement | null = null;

/** The frame at a point, and where the point is in it; null for none. */
export function frameAt(x: number, y: number): Element | null {
  const hit = deepElementFromPoint(x, y);
  return hit instanceof HTMLIFrameElement || hit instanceof HTMLFrameElement ? hit : null;
}

/** Where a point of this document is in the frame that stands there. */
export function inFrameAt(x: number, y: number): { x: number; y: number } | null {
  const frame = frameAt(x, y);
  if (!frame) return null;
  const box = frame.getBoundingClientRect();
  const scale = (frame as HTMLElement).offsetWidth ? box.width / (frame as HTMLElement).offsetWidth : 1;
  const style = getComputedStyle(frame);
  return { x: (x - box.left) / scale - frame.clientLeft - parseFloat(style.paddingLeft), y: (y - box.top) / scale - frame.clientTop - parseFloat(style.paddingTop) };
}

/** The control at a point that opens a window of the browser's own, null for any other. */
export async function controlAt(x: number, y: number): Promise<Control | null> {
  let hit = deepElementFromPoint(x, y);
  for (let asked = 0; hit && mayHost(hit) && !hadNone(hit) && asked < ROOT_ASKED; asked++) {
    ask(hit);
    await new Promise((resolve) => setTimeout(resolve, ROOT_ASKED_MS));
    hit = deepElementFromPoint(x, y);
  }
  return open(hit instanceof HTMLOptionElement || hit instanceof HTMLOptGroupElement ? hit.closest("select") : hit);
}

/** As controlAt, for what has the focus: a keyboard opens it, too. */
export function focusedControl(): Control | null {
  return document.hasFocus() ? open(deepActiveElement()) : null;
}

function open(el: Element | null): Control | null {
  opened = null;
  if (!isDrawn(el)) return null;
  opened = el;
  el.focus();
  if (!(el instanceof HTMLSelectElement)) return { kind: el.type, name: nameOf(el), value: el.value, min: el.min, max: el.max, step: el.step };
  const options = [...el.options].map((o) => {
    const group = o.parentElement instanceof HTMLOptGroupElement ? o.parentElement : null;
    return { text: o.label, group: group?.label ?? "", disabled: o.disabled || !!group?.disabled, selected: o.selected };
  });
  return { kind: "select", name: nameOf(el), multiple: el.multiple, options };
}

/**
 * Whether the view draws a control: where the browser opens a window for it, and a list of which several options
 * may be selected, for which a finger has no keys to hold.
 */
function isDrawn(el: Element | null): el is HTMLSelectElement | HTMLInputElement {
  if (el instanceof HTMLSelectElement) return !el.matches(":disabled") && (el.multiple || el.size < 2) && el.options.length <= MAX_OPTIONS;
  return el instanceof HTMLInputElement && PICKERS.has(el.type) && !el.matches(":disabled") && !el.readOnly;
}

/** Sets the value of the control that was found last: the numbers of options, or a text. */
export function setControl(value: number[] | string): boolean {
  const el = opened;
  if (!el?.isConnected || el.matches(":disabled")) return false;
  if (el instanceof HTMLSelectElement) {
    const chosen = Array.isArray(value) ? value.map((index) => el.options[index]) : [];
    if (chosen.some((option) => !option || option.matches(":disabled")) || (!el.multiple && chosen.length !== 1)) return false;
    for (const option of el.options) {
      if (!option.matches(":disabled")) option.selected = chosen.includes(option);
    }
  } else {
    el.value = String(value);
  }
  tell(el);
  noteSet(el);
  return true;
}

interface Focused {
  role: string;
  name: string; // its accessible name
  type: string; // of the keyboard that it wants, "" where nothing is typed
  mode: string;
  secret: boolean;
  lines: boolean;
  drawn: boolean; // the view draws it when it is opened
  options: string[]; // that are suggested for it
}

/** More suggestions than these are not shown. */
const MAX_SUGGESTIONS = 100;

/** Types of inputs into which nothing is typed. */
const UNTYPED = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

/** What has the focus, for the viewer's keyboard and its screen reader; null for nothing, and for a frame within. */
export function focusedKind(): Focused | null {
  const el = deepActiveElement();
  if (!document.hasFocus() || !(el instanceof HTMLElement) || el === document.body || el === document.documentElement || el instanceof HTMLIFrameElement) return null;
  const focused: Focused = { role: roleOf(el), name: nameOf(el).slice(0, 200), type: "", mode: el.inputMode, secret: isSecretField(el), lines: false, drawn: isDrawn(el), options: [] };
  if (el instanceof HTMLInputElement && !UNTYPED.has(el.type)) {
    focused.type = el.type;
    if (!focused.secret) focused.options = [...(el.list?.options ?? [])].slice(0, MAX_SUGGESTIONS).map((o) => o.value.slice(0, 200));
  } else if (el instanceof HTMLTextAreaElement || el.isContentEditable) {
    focused.type = "text";
    focused.lines = true;
  }
  return focused;
}

/** Types of inputs that take text. */
const TEXTS = new Set(["text", "search", "url", "tel", "email", "password", "number"]);

/** So many turns of 5 ms the focus is waited for that a page moves on from a field which is full. By then a timer of
 * the page that takes less has been served, however busy the page is. */
const MOVES_ON = 20;

/** The field that has the focus, if text goes into it; undefined for none. */
function focusedField(): HTMLElement | undefined {
  const el = deepActiveElement();
  if (!document.hasFocus() || !(el instanceof HTMLElement)) return undefined;
  if (isTextField(el)) return el.readOnly || el.disabled ? undefined : el;
  return el.isContentEditable ? el : undefined;
}

function isTextField(el: Element): el is HTMLInputElement | HTMLTextAreaElement {
  return (el instanceof HTMLInputElement && TEXTS.has(el.type)) || el instanceof HTMLTextAreaElement;
}

/** Puts a text into a field, which holds a secret from then on. Whether the field has taken it. */
function put(el: HTMLElement, text: string): boolean {
  const held = (): string => (isTextField(el) ? el.value : (el.textContent ?? ""));
  const before = held();
  remember(el, before + text);
  const taken = document.execCommand("insertText", false, text) && held() !== before;
  remember(el, held());
  return taken;
}

/**
 * Types a text that a person has sent where the focus is, into a field of a document of this origin: checked and typed at
 * once, so that no focus moves in between. What does not fit into the field is typed by characters, as the page may move on
 * to the next field. How many characters were taken.
 */
export async function relay(origin: string, text: string): Promise<number> {
  let el = focusedField();
  if (!el || self.origin !== origin) return 0;
  const characters = [...text];
  if (!isTextField(el) || el.maxLength < 0 || el.value.length + text.length <= el.maxLength) return put(el, text) ? characters.length : 0;
  let taken = 0;
  for (const character of characters) {
    if (!put(el, character)) {
      const full: HTMLElement = el;
      for (let turn = 0; turn < MOVES_ON && focusedField() === full; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
      const next = focusedField();
      if (!next || next === full || !put(next, character)) break;
    }
    taken++;
    el = focusedField();
    if (!el) break;
  }
  return taken;
}

/** What stands in a field for secrets. */
interface SecretField {
  field: string; // its document, and its number there
  value: string;
  focused: boolean;
}

/** What stands in the fields for secrets of this document, which keeps it from then on. */
export function secretFields(): SecretField[] {
  const all: SecretField[] = [];
  const focused = deepActiveElement();
  eachRoot(document, (root) => {
    for (const el of root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
      if (!isTextEntry(el) || !wasSecret(el)) continue;
      remember(el, el.value);
      all.push({ field: `${documentId}#${refOf(el)}`, value: el.value, focused: el === focused });
    }
  });
  if (all.length) watchCarrying();
  return all;
}

/** At most this many elements and keys are measured. */
const MAX_ELEMENTS = 20_000;
const MAX_KEYS = 500;

/** The names of what the page has stored, and the kinds of its elements in their order: no text, no value. */
export function measure(): { title: string; keys: string[]; shape: string } {
  let keys: string[] = [];
  try {
    keys = Object.keys(localStorage).sort().slice(0, MAX_KEYS);
  } catch {
    // A document without an origin has no storage.
  }
  const shape: string[] = [];
  eachRoot(document, (root) => {
    for (const el of root.querySelectorAll("*")) {
      if (shape.length >= MAX_ELEMENTS) break;
      shape.push(el.localName + (el instanceof HTMLInputElement ? "." + el.type : ""));
    }
  });
  return { title: document.title, keys, shape: shape.join(" ") };
}
