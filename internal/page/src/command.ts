// What a control says that it does, for the engine to judge whether using it commits
// somebody to something: its name and what can be read on it, a line each where they
// differ, as a page may give a button the one and show the other.

import { nameOf } from "./aria";
import { composedParent, deepActiveElement, normalize } from "./dom";

/** Longer texts speak of what is done, and are not what does it. */
const LONGEST = 200;

const MUCH = 2000;

const CONTROL = "button,a[href],summary,input[type=submit],input[type=image],input[type=button],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[onclick]";

/** What the control says that a press on the element uses. */
export function saysOf(el: Element): string {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at instanceof HTMLLabelElement && at.control && at.control !== el) return saysOf(at.control);
    if (!at.matches(CONTROL)) continue;
    const says = lines(nameOf(at), shown(at));
    if (says || at === el) return says;
    break; // all of a page or a card is its control: what it shows at this place tells more
  }
  return el.matches("input,textarea,select") ? "" : lines(shown(el));
}

/** The control that a press on the element uses: itself where there is none around it. */
export function controlOf(el: Element): Element {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at instanceof HTMLLabelElement && at.control && at.control !== el) return at.control;
    if (!at.matches(CONTROL)) continue;
    return at === el || lines(nameOf(at), shown(at)) ? at : el;
  }
  return el;
}

/** The control that a key uses where the focus is: Enter in a field stands for the form's button. */
export function usedByKey(key: string, el = deepActiveElement()): { control?: Element; within?: boolean; focused: boolean } {
  const focused = document.hasFocus();
  if (el instanceof HTMLIFrameElement) return { focused, within: true };
  if (!el || (key !== "Enter" && key !== " ")) return { focused };
  if (el.matches(CONTROL) || el.matches("[type=checkbox],[type=radio]")) return { control: el, focused };
  if (key !== "Enter") return { focused };
  const form = (el as HTMLInputElement).form;
  const button = el instanceof HTMLInputElement && form ? buttonOf(form) : undefined;
  return { control: button ?? el, focused };
}

/** The button that Enter presses in a form: the first that submits it, in the order of the tree. */
function buttonOf(form: HTMLFormElement): Element | undefined {
  const root = form.getRootNode() as Document | ShadowRoot;
  return [...root.querySelectorAll<HTMLButtonElement | HTMLInputElement>("button,input")].find((one) => one.form === form && (one.type === "submit" || one.type === "image"));
}

function shown(el: Element): string {
  if ((el.textContent ?? "").length > MUCH) return ""; // not even looked at
  return normalize(el instanceof HTMLInputElement ? el.value : el instanceof HTMLElement ? el.innerText : el.textContent);
}

function lines(...texts: string[]): string {
  return [...new Set(texts.filter((text) => text && text.length <= LONGEST))].join("\n");
}
