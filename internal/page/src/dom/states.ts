// What a press makes of what is pressed: an attribute, a class or a sign that is there by then. Another press may undo it.

import { elementsIn, isVisible, normalize } from "./elements";
import { INTERACTIVE, roleOf, textStart } from "./names";

const FLAGS = ["aria-checked", "aria-current", "aria-expanded", "aria-pressed", "aria-selected"];

/** Attributes of scripts that say the same, whatever their value: "checked" of "data-state". */
const SAYS = /^data-(?:active|checked|expanded|on|open|pressed|selected|state)$/;
const OFF = /^(?:closed|false|inactive|no|off|unchecked|unselected)?$/;

/** Pictures by which a control shows its state. */
const PICTURES = "i,svg,use,path,span:empty";

/** States that say what is open, and not which one is chosen. */
const OPENS = /aria-expanded|open$/;

/** How far above what is pressed the box may be that shows its state. */
const RISE = 3;

/** Classes that come and go with the pointer, the focus or a request. */
const PASSING = /anim|dirty|enter|focus|hover|leave|load|ng-|press|ripple|touch|transition|valid|visit/i;

/** Classes that say that something is on, whatever they are called after. */
const ON = /[-_.](?:active|checked|chosen|current|expanded|on|open(?:ed)?|sel|selected|shown?|toggled)$/i;

/** What stands among the states for one that no other of its kind has: it is what one chooses of several. */
export const CHOSEN = "chosen";

/** So many pictures of a control are looked at. */
const FEW = 4;

/** What is longer is no item. */
const LONGEST = 60;

/** The states of an element, and of the boxes around one that is no control: how many levels above it, and what is there. */
export function statesOf(el: Element): Set<string> {
  const states = new Set<string>();
  if (roleOf(el) === "link") return states; // it leads somewhere, however it shows that one is there
  const isControl = INTERACTIVE.has(roleOf(el));
  let at: Element | null = el;
  for (let rise = 0; at && at !== document.body && rise <= RISE; rise++, at = at.parentElement) {
    if (at instanceof HTMLDetailsElement && at.open && el.closest("summary")) states.add(`${rise} open`);
    if (!isControl || rise === 0) for (const name of at.classList) if (!PASSING.test(name)) states.add(`${rise} .${name}`);
    const sorted = at.matches("th,[role=columnheader]") ? (at.ariaSort ?? "none") : "none";
    if (sorted !== "none") states.add(`${rise} sort=${sorted}`);
    if (rise > 0 && isControl) continue;
    for (const { name, value } of at.attributes) if (SAYS.test(name) && !OFF.test(value)) states.add(`${rise} ${name}=${value}`);
    if (rise === 0) for (const flag of FLAGS) if ((at.getAttribute(flag) ?? "false") !== "false") states.add(`0 ${flag}`);
  }
  for (const picture of [...el.querySelectorAll(PICTURES)].slice(0, FEW)) {
    for (const name of picture.classList) if (!PASSING.test(name)) states.add(`0 ${picture.localName}:${name}`);
    for (const name of ["fill", "href", "xlink:href"]) if (picture.hasAttribute(name)) states.add(`0 ${picture.localName}:${picture.getAttribute(name)}`);
  }
  const text = normalize(textStart(el, LONGEST));
  if (text !== "" && !/[\p{L}\p{N}]/u.test(text)) states.add(`0 "${text}`);
  return states;
}

/** Whether an element has one of the states that a press had given to it: "maybe" where only a class says so that may mean something else. */
export function isSo(el: Element, turned: readonly string[]): "yes" | "maybe" | "no" {
  const states = statesOf(el);
  const has = turned.filter((state) => states.has(state));
  const isSure = (state: string) => turned.includes(CHOSEN) || !state.includes(" .") || ON.test(state);
  return has.some(isSure) ? "yes" : has.length ? "maybe" : "no";
}

/** Whether an element is one of several of which a press has chosen that one: no other of them has a state that it was given. */
export function isChosenOf(el: Element, turned: readonly string[]): boolean {
  if (!["", "button"].includes(roleOf(el))) return false;
  return turned.filter((state) => !OPENS.test(state) && !state.includes('"')).some((state) => {
    const [rise, what] = [Number(state.split(" ")[0]), state.replace(/^\d/, "0")];
    let box: Element | null = el;
    for (let up = 0; box && up < rise; up++) box = box.parentElement;
    const says = (one: Element) => (one instanceof HTMLInputElement ? one.value : normalize(textStart(one, LONGEST + 1)));
    if (!box?.parentElement || says(el) === "" || says(el).length > LONGEST || says(box) !== says(el)) return false;
    const others = elementsIn(box.parentElement).filter((other) => other !== box && other.localName === box.localName && isVisible(other));
    return others.length > 0 && !others.some((other) => statesOf(other).has(what));
  });
}
