// Fields that a page numbers by their set, as the rows of a form of which the last is empty and for a new entry. Another
// account has more rows: its empty one has another number, and the recorded number is that of an entry. Meant are the
// first set that is empty, and of each set the fields that belong to the one used before.

import { isTextEntry, isVisible } from "../dom/elements";
import { allControls, anyNumber, calledWithoutNumbers, kindOf, namesOf, numberIn } from "./newest";

/** The numbers in the name of a control that is one of a set of several; "" for another. */
function setOf(el: Element): string {
  const numbers = numbersOf(el);
  return numbers && membersOf(numbers).length > 1 ? numbers : "";
}

const numbersOf = (el: Element) => (numberIn(namesOf(el)).match(/\d+/g) ?? []).join(".");

const membersOf = (numbers: string) => allControls().filter((control) => numbersOf(control) === numbers && isVisible(control));

/** Whether nothing is written in the fields of the set of a control. */
function isEmptySet(el: Element): boolean {
  const fields = membersOf(numbersOf(el)).filter(isTextEntry);
  return fields.length > 0 && fields.every((field) => !valueOf(field));
}

const valueOf = (field: Element) => (field as HTMLInputElement).value ?? field.textContent;

/** How many sets there are that have such a control, whatever stands in it. */
function setsWith(el: Element): number {
  const names = anyNumber(namesOf(el).join("\n"));
  return allControls().filter((control) => control.localName === el.localName && anyNumber(namesOf(control).join("\n")) === names).length;
}

/** The fields of sets that were used last, and before that. */
let current: Element | undefined;
let previous: Element | undefined;

/** Those that were of an empty set, which they are no longer once they are filled in. */
const filled: Element[] = [];

/** Notes that a field is used, while its set is as it was before that. */
export function enterSet(el: Element): void {
  if (!setOf(el) || el === current) return;
  previous = current;
  current = el;
  if (!filled.includes(el) && isFirstEmpty(el)) filled.push(el);
}

function isFirstEmpty(el: Element): boolean {
  const called = calledWithoutNumbers(el);
  return called !== "" && ofSets(el.localName, (control) => calledWithoutNumbers(control) === called && isEmptySet(control))[0] === el;
}

function ofSets(tag: string, is: (control: Element) => boolean): Element[] {
  return allControls().filter((control) => control.localName === tag && setOf(control) && isVisible(control) && is(control));
}

/**
 * How a control belongs to its set, as it is stored: to the set that was used before (s), or to the first empty one (e),
 * with how many of them were filled in before and how many sets there are; undefined for another.
 */
export function placeInSet(el: Element, key: string): string | undefined {
  const set = setOf(el);
  const kind = set && kindOf(el, key);
  if (!kind) return undefined;
  enterSet(el);
  if (previous && previous !== el && setOf(previous) === set) return `${kind}.s`;
  const turn = filled.filter((one) => kindOf(one, key) === kind).indexOf(el);
  return turn < 0 ? undefined : `${kind}.e${turn}.${setsWith(el)}`;
}

const STORED = /^(\w+)\.(?:(s)|e(\d+)\.(\d+))$/;

export const isOfSet = (stored: string) => STORED.test(stored);

/** The control of a set, as it is stored; undefined where it is to be found as any other. */
export function inSet(stored: string, tag: string, key: string): Element | undefined {
  const [, kind, ofUsed, turn, sets] = STORED.exec(stored) ?? [];
  if (!kind) return undefined;
  const all = ofSets(tag, (control) => kindOf(control, key) === kind);
  if (ofUsed) {
    const [one, other] = all.filter((control) => current && setOf(control) === setOf(current));
    return other ? undefined : one;
  }
  const before = filled.filter((one) => kindOf(one, key) === kind)[Number(turn)];
  if (before?.isConnected) return before;
  const first = all.find(isEmptySet);
  return first && setsWith(first) !== Number(sets) ? first : undefined;
}
