// The last check before a press does anything: it must reach the element that
// was found. A page can move things between the look and the press; a press
// that would land elsewhere is swallowed here, before the page hears of it.

import { brief, reaches } from "./dom";
import { send } from "./wire";

const SEQUENCE = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];

/** How long a press may be on its way, and how long it may take to end. */
const ARRIVES_MS = 10_000;
const ENDS_MS = 1_000;

let expected: Element | null = null;
let state: (() => boolean) | undefined;
let stateBefore = false;
let swallowing = false;
let expiry = 0;

/**
 * Expects the next press on the element, and tells the engine what became of it:
 * whether it hit, and, where a state is asked for, what it was once the page had
 * its say.
 */
export function watchPress(el: Element, stateOf?: () => boolean): void {
  end();
  state = stateOf;
  stateBefore = stateOf?.() ?? false;
  for (const type of SEQUENCE) addEventListener(type, onEvent, { capture: true });
  expected = el;
  expiry = setTimeout(end, ARRIVES_MS);
}

function end(): void {
  clearTimeout(expiry);
  for (const type of SEQUENCE) removeEventListener(type, onEvent, { capture: true });
  expected = null;
  state = undefined;
  swallowing = false;
}

function onEvent(event: Event): void {
  if (!event.isTrusted || !expected) return;
  if (event.type === "pointerdown") judge(event, expected);
  if (swallowing) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  if (event.type !== "click" && event.type !== "auxclick") return;
  if (state && !swallowing) tellState(state, stateBefore);
  end();
}

/**
 * Tells what a press has made of a control: as soon as it changes, which a native
 * one does within the click, and after the page's own listeners. A task of our own
 * would come a frame later, as Chrome draws before it goes on; it is for controls
 * that are made of other elements, and for pages that keep the event to themselves.
 */
function tellState(of: () => boolean, before: boolean): void {
  const tell = () => {
    removeEventListener("change", onChange);
    clearTimeout(task);
    send({ type: "state", checked: of() });
  };
  const onChange = (event: Event) => {
    if (event.isTrusted && of() !== before) tell();
  };
  const task = setTimeout(tell);
  addEventListener("change", onChange);
}

function judge(event: Event, el: Element): void {
  const hit = event.composedPath()[0];
  swallowing = !(hit instanceof Element && reaches(hit, el));
  clearTimeout(expiry);
  expiry = setTimeout(end, ENDS_MS);
  send(swallowing ? { type: "press", ok: false, on: hit instanceof Element ? brief(hit) : "nothing" } : { type: "press", ok: true });
}
