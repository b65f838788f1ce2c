// Fields that a press adds: the page numbers them on, or calls all sets of them the same, and what was recorded is the name
// or the place of an older one where an account has more. Meant is the newest of its kind.

import { eachRoot, idOf, isField } from "../dom/elements";
import { repeatsSecret } from "../secret/secrets";
import { hash, labelOf } from "./evidence";
import { isGenerated } from "./generated";

const FIELDS = "input:not([type=hidden]),select,textarea,[contenteditable]:not([contenteditable=false])";

/** So many fields of a root are looked at. */
const MANY = 1000;

let presses = 0;
const births = new WeakMap<Element, number>();

/** Notes which fields there are before a press: those that come later have come by it. */
export function noteFields(): void {
  for (const field of allFields()) if (!births.has(field)) births.set(field, presses);
  presses++;
}

/** How many presses there were before a field came; 0 where it came with the page. */
const birthOf = (field: Element) => births.get(field) ?? presses;

function allFields(): Element[] {
  const all: Element[] = [];
  eachRoot(document, (root) => all.push(...[...root.querySelectorAll(FIELDS)].slice(0, MANY)));
  return all;
}

/** The kind of a field that is the newest of it, as it is stored; undefined for another, and for what came with the page. */
export function newestKind(el: Element, key: string): string | undefined {
  if (!isField(el) || birthOf(el) === 0) return undefined;
  const kind = kindOf(el, key);
  return kind && newest(ofKind(kind, el.localName, key)) === el ? kind : undefined;
}

/** What a field is called but for numbers, and where it stands in its set. */
function kindOf(el: Element, key: string): string {
  const names = [idOf(el), el.getAttribute("name") ?? "", labelOf(el), el.getAttribute("placeholder") ?? ""];
  if (names.some(repeatsSecret)) return "";
  const called = names.map((name) => (isGenerated(name) ? "" : name.replace(/\d+/g, "#")));
  return hash(key, [el.localName, el.getAttribute("type") ?? "", ...called, called.some((name) => name !== "") ? "" : placeOf(el)].join("\n"));
}

/** Where a field stands in the nearest box that holds another. */
function placeOf(el: Element): number {
  let at = el;
  while (at.parentElement && at.parentElement.querySelectorAll(FIELDS).length === 1) at = at.parentElement;
  return at.parentElement ? [...at.parentElement.children].indexOf(at) : 0;
}

function ofKind(kind: string, tag: string, key: string): Element[] {
  return allFields().filter((field) => field.localName === tag && kindOf(field, key) === kind);
}

function newest(all: readonly Element[]): Element | undefined {
  const last = Math.max(...all.map(birthOf));
  const [one, other] = all.filter((field) => birthOf(field) === last);
  return last > 0 && !other ? one : undefined;
}

/** When the set came of which a field was used last. */
let used = 0;

/**
 * The newest of a kind; null where there are several and none is, undefined where there is no more than one of them. One
 * that did not come by the last press, and is of no set that was used, may be that of a set which is yet to come: it
 * counts once the page rests.
 */
export function newestOf(kind: string, tag: string, key: string, rests: boolean): Element | null | undefined {
  const all = ofKind(kind, tag, key);
  const one = newest(all);
  if (!one || !(rests || birthOf(one) === presses || birthOf(one) === used)) return all.length > 1 ? null : undefined;
  used = birthOf(one);
  return one;
}
