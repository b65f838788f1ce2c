// Fields that a page numbers by their set, as the rows of a form of which the last is empty and for a new entry. Another
// account has more rows: its empty one has another number, and the recorded number is that of an entry. Meant are the
// first set that is empty, and of each set the fields that belong to the one used before.

import { isTextEntry, isVisible } from "../dom/elements";
import { allControls, anyNumber, calledWithoutNumbers, kindOf, namesOf, numberIn } from "./newest";

const numbersOf = (el: Element) => (numberIn(namesOf(el)).match(/\d+/g) ?? []).join(".");

const valueOf = (field: Element) => (field as HTMLInputElement).value ?? field.textContent;

/** The sets of a page as they are now, by the numbers in the names of their controls. */
class Sets {
  private readonly all = allControls().filter((control) => numbersOf(control) !== "");
  private readonly byNumbers = new Map<string, Element[]>();

  constructor() {
    for (const control of this.all) {
      const members = this.byNumbers.get(numbersOf(control));
      if (members) members.push(control);
      else this.byNumbers.set(numbersOf(control), [control]);
    }
  }

  /** The numbers of a control that is one of a set of several; "" for another. */
  of(el: Element): string {
    return this.membersWith(el).length > 1 ? numbersOf(el) : "";
  }

  /** Whether nothing is written in the fields of the set of a control. */
  isEmpty(el: Element): boolean {
    const fields = this.membersWith(el).filter(isTextEntry);
    return fields.length > 0 && fields.every((field) => !valueOf(field));
  }

  /** How many sets there are that have such a control, whatever stands in it. */
  countWith(el: Element): number {
    const names = (one: Element) => anyNumber(namesOf(one).join("\n"));
    return this.all.filter((control) => control.localName === el.localName && names(control) === names(el)).length;
  }

  which(tag: string, is: (control: Element) => boolean): Element[] {
    return this.all.filter((control) => control.localName === tag && is(control) && isVisible(control) && this.of(control));
  }

  private membersWith(el: Element): Element[] {
    return (this.byNumbers.get(numbersOf(el)) ?? []).filter(isVisible);
  }
}

/** The fields of sets that were used last, and before that. */
let current: Element | undefined;
let previous: Element | undefined;

/** Those that were of an empty set, which they are no longer once they are filled in. */
const filled: Element[] = [];

/** Notes that a field is used, while its set is as it was before that. */
export function enterSet(el: Element): void {
  if (el === current || numbersOf(el) === "") return;
  const sets = new Sets();
  if (sets.of(el)) enter(el, sets);
}

function enter(el: Element, sets: Sets): void {
  if (el === current) return;
  previous = current;
  current = el;
  if (!filled.includes(el) && isFirstEmpty(el, sets)) filled.push(el);
}

function isFirstEmpty(el: Element, sets: Sets): boolean {
  const called = calledWithoutNumbers(el);
  return called !== "" && sets.which(el.localName, (control) => calledWithoutNumbers(control) === called).find((control) => sets.isEmpty(control)) === el;
}

/**
 * How a control belongs to its set, as it is stored: to the set that was used before (s), or to the first empty one (e),
 * with how many of them were filled in before and how many sets there are; undefined for another.
 */
export function placeInSet(el: Element, key: string): string | undefined {
  if (numbersOf(el) === "") return undefined;
  const sets = new Sets();
  const set = sets.of(el);
  const kind = set && kindOf(el, key);
  if (!kind) return undefined;
  enter(el, sets);
  if (previous && previous !== el && sets.of(previous) === set) return `${kind}.s`;
  const turn = filled.filter((one) => kindOf(one, key) === kind).indexOf(el);
  return turn < 0 ? undefined : `${kind}.e${turn}.${sets.countWith(el)}`;
}

const STORED = /^(\w+)\.(?:(s)|e(\d+)\.(\d+))$/;

export const isOfSet = (stored: string) => STORED.test(stored);

/** The control of a set, as it is stored; undefined where it is to be found as any other. */
export function inSet(stored: string, tag: string, key: string): Element | undefined {
  const [, kind, ofUsed, turn, count] = STORED.exec(stored) ?? [];
  if (!kind) return undefined;
  const sets = new Sets();
  const all = sets.which(tag, (control) => kindOf(control, key) === kind);
  if (ofUsed) {
    const set = current && sets.of(current);
    const [one, other] = all.filter((control) => sets.of(control) === set);
    return other ? undefined : one;
  }
  const before = filled.filter((one) => kindOf(one, key) === kind)[Number(turn)];
  if (before?.isConnected) return before;
  const first = all.find((control) => sets.isEmpty(control));
  return first && sets.countWith(first) !== Number(count) ? first : undefined;
}
