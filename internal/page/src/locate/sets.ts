// Fields that a page numbers by their set, as the rows of a form of which the last is empty and for a new entry. Another
// account has more rows: its empty one has another number, and the recorded number is that of an entry. Meant are the
// first set that is empty, and of each set the fields that belong to the one used before.

import { isTextEntry, isVisible } from "../dom/elements";
import { allControls, anyNumber, calledWithoutNumbers, kindOf, namesOf, numberIn } from "./newest";

/** The numbers in the name of a control: of its set and, after those, of its own in it, as that of a column. */
const numbersOf = (el: Element) => numberIn(namesOf(el)).match(/\d+/g) ?? [];

/** The name of a set by its numbers. */
const named = (numbers: readonly string[]) => numbers.join(".");

const valueOf = (field: Element) => (field as HTMLInputElement).value ?? field.textContent;

/** The sets of a page as they are now, by the numbers in the names of their controls. */
class Sets {
  private readonly all = allControls().filter((control) => numbersOf(control).length > 0);
  private readonly members = new Map<string, Element[]>();
  private readonly seen = new Map<string, Element[]>(); // of them

  constructor() {
    for (const control of this.all) {
      const numbers = numbersOf(control);
      numbers.forEach((_, i) => {
        const set = named(numbers.slice(0, i + 1));
        const members = this.members.get(set);
        if (members) members.push(control);
        else this.members.set(set, [control]);
      });
    }
  }

  /** The set of a control: of others with the same numbers or, where there are none, with the first of them; "" for none. */
  of(el: Element): string {
    return named(this.numbers(el));
  }

  private numbers(el: Element): string[] {
    const numbers = numbersOf(el);
    while (numbers.length && this.visible(named(numbers)).length < 2) numbers.pop();
    return numbers;
  }

  /** How many of the numbers in its names are those of its set. */
  private depth(el: Element): number {
    return this.numbers(el).length || Infinity;
  }

  /** What a control is called but for the numbers of its set. */
  called(el: Element): string {
    return calledWithoutNumbers(el, this.depth(el));
  }

  /** That, as it is stored. */
  kind(el: Element, key: string): string {
    return kindOf(el, key, this.depth(el));
  }

  /** Whether nothing is written in the fields of the set of a control. */
  isEmpty(el: Element): boolean {
    const fields = this.visible(this.of(el)).filter(isTextEntry);
    return fields.length > 0 && fields.every((field) => !valueOf(field));
  }

  /** How many sets there are that have such a control, whatever stands in it. */
  countWith(el: Element): number {
    const many = this.depth(el);
    const names = (one: Element) => namesOf(one).map((name) => anyNumber(name, many)).join("\n");
    return this.all.filter((control) => control.localName === el.localName && names(control) === names(el)).length;
  }

  which(tag: string, is: (control: Element) => boolean): Element[] {
    return this.all.filter((control) => control.localName === tag && is(control) && isVisible(control) && this.of(control));
  }

  private visible(set: string): Element[] {
    const known = this.seen.get(set);
    if (known) return known;
    const visible = (this.members.get(set) ?? []).filter(isVisible);
    this.seen.set(set, visible);
    return visible;
  }
}

/** The fields of sets that were used last, and before that. */
let current: Element | undefined;
let previous: Element | undefined;

/** Those that were of an empty set, which they are no longer once they are filled in. */
const filled: Element[] = [];

/** Notes that a field is used, while its set is as it was before that. */
export function enterSet(el: Element): void {
  if (el === current || !numbersOf(el).length) return;
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
  const called = sets.called(el);
  return called !== "" && sets.which(el.localName, (control) => sets.called(control) === called).find((control) => sets.isEmpty(control)) === el;
}

/**
 * How a control belongs to its set, as it is stored: to the set that was used before (s), or to the first empty one (e),
 * with how many of them were filled in before and how many sets there are; undefined for another.
 */
export function placeInSet(el: Element, key: string): string | undefined {
  if (!numbersOf(el).length) return undefined;
  const sets = new Sets();
  const set = sets.of(el);
  const kind = set && sets.kind(el, key);
  if (!kind) return undefined;
  enter(el, sets);
  if (previous && previous !== el && sets.of(previous) === set) return `${kind}.s`;
  const turn = filled.filter((one) => sets.kind(one, key) === kind).indexOf(el);
  return turn < 0 ? undefined : `${kind}.e${turn}.${sets.countWith(el)}`;
}

const STORED = /^(\w+)\.(?:(s)|e(\d+)\.(\d+))$/;

export const isOfSet = (stored: string) => STORED.test(stored);

/** The control of a set, as it is stored; undefined where it is to be found as any other. */
export function inSet(stored: string, tag: string, key: string): Element | undefined {
  const [, kind, ofUsed, turn, count] = STORED.exec(stored) ?? [];
  if (!kind) return undefined;
  const sets = new Sets();
  const all = sets.which(tag, (control) => sets.kind(control, key) === kind);
  if (ofUsed) {
    const set = current && sets.of(current);
    const [one, other] = all.filter((control) => sets.of(control) === set);
    return other ? undefined : one;
  }
  const before = filled.filter((one) => sets.kind(one, key) === kind)[Number(turn)];
  if (before?.isConnected) return before;
  const first = all.find((control) => sets.isEmpty(control));
  return first && sets.countWith(first) !== Number(count) ? first : undefined;
}
