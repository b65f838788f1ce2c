// Fields and buttons that a press adds: the page numbers them on, or calls all sets of them the same, and what was recorded
// is the name or the place of an older one where an account has more. Meant is the newest of its kind.

import { eachRoot, idOf, isField } from "../dom/elements";
import { repeatsSecret } from "../secret/secrets";
import { hash, labelOf } from "./evidence";
import { isGenerated } from "./generated";

const CONTROLS = "input:not([type=hidden]),select,textarea,button,[contenteditable]:not([contenteditable=false]),[role=button],[role=switch],[role=checkbox]";

/** So many controls of a root are looked at. */
const MANY = 1000;

/** How far above a control the box may be whose number it has. */
const BOX_HEIGHT = 3;

let presses = 0;
let pressed: EventTarget | undefined; // by the last of them

/** How many presses there were before a control came: of those with a number by that, as a page may draw all of them again. */
const births = new Map<string, number>();
const birthsOfOthers = new WeakMap<Element, number>();

/** Notes which controls there are before a press: those that come later have come by it. */
export function noteControls(target?: EventTarget): void {
  pressed = target;
  for (const control of allControls()) {
    const name = numberedName(control);
    if (name && !births.has(name)) births.set(name, presses);
    if (!name && !birthsOfOthers.has(control)) birthsOfOthers.set(control, presses);
  }
  presses++;
}

/** How many presses there were before a control came; 0 where it came with the page. */
function birthOf(control: Element): number {
  const name = numberedName(control);
  return (name ? births.get(name) : birthsOfOthers.get(control)) ?? presses;
}

export function allControls(): Element[] {
  const all: Element[] = [];
  eachRoot(document, (root) => all.push(...[...root.querySelectorAll(CONTROLS)].slice(0, MANY)));
  return all;
}

/** The name with a number that only this control has, of its own or of the box that it stands in; "" for none. */
function numberedName(el: Element): string {
  const own = numberIn(namesOf(el));
  if (own) return own;
  for (let at = el.parentElement, height = 0; at && height < BOX_HEIGHT; height++, at = at.parentElement) {
    const box = stable(idOf(at));
    if (NUMBER.test(box)) return `${box}\n${labelOf(el)}`;
  }
  return "";
}

const NUMBER = /\d/;
/** The first of names with a number; "" for none. */
export const numberIn = (names: readonly string[]) => names.find((name) => NUMBER.test(name)) ?? "";
export const namesOf = (el: Element) => [stable(idOf(el)), stable(el.getAttribute("name") ?? "")];

const stable = (name: string) => (isGenerated(name) ? "" : name);

/**
 * The kind of a control that is the newest of it, as it is stored, and how many presses there were since it came but for
 * that on itself; undefined for another, and for what came with the page.
 */
export function newestKind(el: Element, key: string): string | undefined {
  if (!el.matches(CONTROLS) || !(isField(el) || numberedName(el)) || birthOf(el) === 0) return undefined;
  const kind = kindOf(el, key);
  if (!kind || newest(ofKind(kind, el.localName, key)) !== el) return undefined;
  const onItself = pressed instanceof Node && el.contains(pressed) ? 1 : 0;
  return `${kind}.${Math.max(0, presses - birthOf(el) - onItself)}`;
}

/** What a control is called but for numbers, or so many of each name, as it is stored; of one without a name, where it stands in its set. */
export function kindOf(el: Element, key: string, many = Infinity): string {
  const called = calledWithoutNumbers(el, many);
  return called && hash(key, called);
}

/** What a control is called but for numbers, or for so many of each name. */
export function calledWithoutNumbers(el: Element, many = Infinity): string {
  const names = [...namesOf(el), ...numberedName(el).split("\n", 1), el.getAttribute("placeholder") ?? ""];
  const label = labelOf(el);
  if ([label, ...names].some(repeatsSecret)) return "";
  const called = [isField(el) ? anyNumber(label) : label, ...names.map((name) => anyNumber(name, many))]; // a button may say a number of its own
  return [el.localName, el.getAttribute("type") ?? "", ...called, called.some((name) => name !== "") ? "" : placeOf(el)].join("\n");
}

export const anyNumber = (name: string, many = Infinity) => {
  let left = many;
  return name.replace(/\d+/g, (number) => (left-- > 0 ? "#" : number));
};

/** Where a control stands in the nearest box that holds another. */
function placeOf(el: Element): number {
  let at = el;
  while (at.parentElement && at.parentElement.querySelectorAll(CONTROLS).length === 1) at = at.parentElement;
  return at.parentElement ? [...at.parentElement.children].indexOf(at) : 0;
}

function ofKind(kind: string, tag: string, key: string): Element[] {
  return allControls().filter((control) => control.localName === tag && kindOf(control, key) === kind);
}

function newest(all: readonly Element[]): Element | undefined {
  const last = Math.max(...all.map(birthOf));
  const [one, other] = all.filter((control) => birthOf(control) === last);
  return last > 0 && !other ? one : undefined;
}

/** When the set came of which a control was used last. */
let used = 0;

/** How long a set may be yet to come, in ms. */
const COMES_MS = 3000;

/**
 * The newest of a kind, as it is stored, after so many ms of looking for it; null where it may be yet to come, or is one of
 * several; undefined where the page has had all of them from the beginning.
 */
export function newestOf(stored: string, tag: string, key: string, waited: number): Element | null | undefined {
  const [kind = "", since = "0"] = stored.split(".");
  const all = ofKind(kind, tag, key);
  const one = newest(all);
  const isOfIts = one && (birthOf(one) >= presses - Number(since) || (since !== "0" && birthOf(one) === used));
  if (one && (isOfIts || waited > COMES_MS)) {
    used = birthOf(one);
    return one;
  }
  return waited < COMES_MS || all.some((control) => birthOf(control) > 0) ? null : undefined;
}
