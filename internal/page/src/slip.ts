// A press is one where the button comes up on the element that it went down on. A
// script that moves the element between the two has it slip away: the page hears of
// the button, and of no click.

import { isVisible, reaches } from "./dom";

let at: DOMRect | null = null; // where the element stood after the page had heard that the button is down

/** Notes where an element stands that a button goes down on. What the page moves in answer to that has not slipped. */
export function noteDown(el: Element): void {
  const before = el.getBoundingClientRect();
  at = null;
  addEventListener("mousedown", () => (at = isSame(before, el.getBoundingClientRect()) ? before : null), { once: true });
}

/** Whether the element has slipped away from under a button that comes up on what was hit. */
export function slipped(el: Element, hit: EventTarget | undefined): boolean {
  return at !== null && isVisible(el) && !(hit instanceof Element && reaches(hit, el)) && !isSame(at, el.getBoundingClientRect());
}

function isSame(a: DOMRect, b: DOMRect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
