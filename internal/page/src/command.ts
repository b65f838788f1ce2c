// What a control says that it does, for the engine to judge whether using it commits
// somebody to something.

import { nameOf } from "./aria";
import { composedParent, deepActiveElement, normalize } from "./dom";

/** Longer texts speak of what is done, and are not what does it. */
const LONGEST = 200;

const CONTROL = "button,a[href],summary,input[type=submit],input[type=image],input[type=button],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[onclick]";

/** What the control says that a press on the element uses. */
export function saysOf(el: Element): string {
  for (let at: Element | null = el; at; at = composedParent(at)) if (at.matches(CONTROL)) return short(nameOf(at) || normalize(at.textContent));
  return el.matches("input,textarea,select,label") ? "" : short(normalize(el.textContent));
}

/** What the control says that a key uses in the focused element: Enter in a field stands for the form's button. */
export function saysOfKey(key: string, el = deepActiveElement()): { says: string; within?: boolean } {
  if (!el) return { says: "" };
  if (el instanceof HTMLIFrameElement) return { says: "", within: true };
  if (el.matches(CONTROL)) return { says: key === "Enter" || key === " " ? saysOf(el) : "" };
  if (key !== "Enter" || !(el instanceof HTMLInputElement) || !el.form) return { says: "" };
  const button = [...el.form.elements].find((one) => one.matches("button:not([type]),button[type=submit],input[type=submit],input[type=image]"));
  return { says: button ? saysOf(button) : "" };
}

function short(text: string): string {
  return text.length > LONGEST ? "" : text;
}
