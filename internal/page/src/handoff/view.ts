// What a live view of the page cannot show and draws itself: the lists, dates and colours that the
// browser opens in windows of its own, and the kind of the field that has the focus. And what of the
// page is measured before and after the person has it, which is no text of it.

import { tell } from "../act/fields";
import { noteSet } from "../capture/recorder";
import { deepActiveElement, deepElementFromPoint, eachRoot } from "../dom/elements";
import { isSecretField, remember } from "../secret/secrets";

interface Control {
  kind: string; // "select", or the type of an input
  options?: { text: string; group: string; disabled: boolean; selected: boolean }[];
  value?: string;
  min?: string;
  max?: string;
  step?: string;
}

/** Types of inputs whose picker is a window of the browser. */
const PICKERS = new Set(["date", "datetime-local", "month", "week", "time", "color"]);

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
  return { x: x - box.left - frame.clientLeft, y: y - box.top - frame.clientTop };
}

/** The control at a point that opens a window of the browser's own, null for any other. */
export function controlAt(x: number, y: number): Control | null {
  opened = null;
  const hit = deepElementFromPoint(x, y);
  const el = hit instanceof HTMLOptionElement ? hit.closest("select") : hit;
  if (el instanceof HTMLSelectElement && !el.disabled && !el.multiple && el.size < 2 && el.options.length <= MAX_OPTIONS) {
    opened = el;
    el.focus();
    const options = [...el.options].map((o) => {
      const group = o.parentElement instanceof HTMLOptGroupElement ? o.parentElement : null;
      return { text: o.label, group: group?.label ?? "", disabled: o.disabled || !!group?.disabled, selected: o.selected };
    });
    return { kind: "select", options };
  }
  if (el instanceof HTMLInputElement && PICKERS.has(el.type) && !el.disabled && !el.readOnly) {
    opened = el;
    el.focus();
    return { kind: el.type, value: el.value, min: el.min, max: el.max, step: el.step };
  }
  return null;
}

/** Sets the value of the control that was found last: the number of an option, or a text. */
export function setControl(value: number | string): boolean {
  const el = opened;
  if (!el?.isConnected || el.disabled) return false;
  if (el instanceof HTMLSelectElement) {
    const option = el.options[Number(value)];
    if (!option || option.disabled) return false;
    option.selected = true;
  } else {
    el.value = String(value);
  }
  tell(el);
  noteSet(el);
  return true;
}

/** What kind of keyboard the focused field wants; null where the focus is in no field, or in a frame within. */
export function focusedKind(): { type: string; mode: string; secret: boolean; lines: boolean } | null {
  const el = deepActiveElement();
  if (!document.hasFocus() || !(el instanceof HTMLElement)) return null;
  if (el instanceof HTMLInputElement) return { type: el.type, mode: el.inputMode, secret: isSecretField(el), lines: false };
  if (el instanceof HTMLTextAreaElement) return { type: "text", mode: el.inputMode, secret: isSecretField(el), lines: true };
  return el.isContentEditable ? { type: "text", mode: el.inputMode, secret: false, lines: true } : null;
}

/** Types of inputs that take text. */
const TEXTS = new Set(["text", "search", "url", "tel", "email", "password", "number"]);

/**
 * Types a text that a person has sent where the focus is, into a field of a document of this origin: checked and typed at
 * once, so that no focus moves in between. The field holds a secret from then on. Whether it was typed.
 */
export function relay(origin: string, text: string): boolean {
  const el = deepActiveElement();
  if (!document.hasFocus() || self.origin !== origin || !(el instanceof HTMLElement)) return false;
  const isText = (el instanceof HTMLInputElement && TEXTS.has(el.type)) || el instanceof HTMLTextAreaElement;
  if (isText ? el.readOnly || el.disabled : !el.isContentEditable) return false;
  const held = (): string => (isText ? el.value : (el.textContent ?? ""));
  remember(el, held() + text);
  const taken = document.execCommand("insertText", false, text);
  remember(el, held());
  return taken;
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
