// Numbers for presses, of the pointer and of keys, by which what they change is told.

import { watchChanges } from "../dom/changes";
import { sendEvent } from "../dom/wire";

let last = 0;
const numbers = new WeakMap<Event, number>();

let unwatch: () => void = () => {};

/** Numbers the press that begins with an event, and reports whether it changes the page at once. */
export function numbered(event: Event, el: Element | null, over?: () => void): number {
  const press = ++last;
  numbers.set(event, press);
  unwatch();
  unwatch = watchChanges(el, event, { changed: () => sendEvent({ type: "change", press }), ...(over ? { over } : {}) });
  return press;
}

/** The number of the press that began with an event, undefined where none did. */
export function numberOf(event: Event): number | undefined {
  return numbers.get(event);
}

/** Forgets the last press: another recording has not heard of it. */
export function forgetChanges(): void {
  unwatch();
}
