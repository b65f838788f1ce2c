// The last check before a press does anything: it must reach the element that
// was found, and that must still be what it was. A page can move things between
// the look and the press, and put others into the same elements; a press that
// would do something else is swallowed here, before the page hears of it.

import { brief, reaches } from "./dom";
import { targetOf } from "./roots";
import { noteDown, slipped } from "./slip";
import { send } from "./wire";

const SEQUENCE = ["pointerdown", "mousedown", "pointerup", "mouseup", "pointercancel", "click", "auxclick", "dblclick", "contextmenu"];

/** How long a press may be on its way, how long it is kept from what lies around its frame, how long the button may be down, and how long after it a click may come. */
const ARRIVES_MS = 10_000;
const AROUND_MS = 2_000;
const DOWN_MS = 60_000;
const ENDS_MS = 1_000;

let expected: Element | null = null; // null while any press here would be a miss
let views: Window[] = []; // this window, and those around it of the same origin
let still: (() => boolean) | undefined;
let state: (() => boolean) | undefined;
let stateBefore = false;
let swallowing = false;
let expiry = 0;

/**
 * Expects the next press on the element, and tells the engine what became of it:
 * whether it hit what was found, and, where a state is asked for, what it was once
 * the page had its say.
 */
export function watchPress(el: Element, isStill: () => boolean, stateOf?: () => boolean): void {
  watch(el, ARRIVES_MS);
  still = isStill;
  state = stateOf;
  stateBefore = stateOf?.() ?? false;
}

/** Expects the next press in a frame of this document: one that lands here has missed it. */
export function watchAround(): void {
  watch(null, AROUND_MS);
}

let dragged: Event | null = null;

/** Notes whether the browser itself begins to drag, in place of the page. */
export function watchDrag(): void {
  dragged = null;
  addEventListener("dragstart", (event) => (dragged = event.isTrusted ? event : null), { capture: true, once: true });
}

/** Whether it did, and the page let it. */
export function dragBegan(): boolean {
  return dragged !== null && !dragged.defaultPrevented;
}

function watch(el: Element | null, patience: number): void {
  end();
  expected = el;
  views = [window, ...around()];
  for (const view of views) for (const type of SEQUENCE) view.addEventListener(type, onEvent, { capture: true });
  endAfter(patience);
}

function endAfter(patience: number): void {
  clearTimeout(expiry);
  expiry = setTimeout(end, patience);
}

/** The windows around this one, as far as they are of its origin. */
function around(): Window[] {
  const found: Window[] = [];
  try {
    for (let view: Window = window; view !== view.parent && view.parent.document; view = view.parent) found.push(view.parent);
  } catch {
    // what is further out is of another origin
  }
  return found;
}

function end(): void {
  clearTimeout(expiry);
  for (const view of views) for (const type of SEQUENCE) view.removeEventListener(type, onEvent, { capture: true });
  views = [];
  expected = null;
  still = undefined;
  state = undefined;
  swallowing = false;
}

function onEvent(event: Event): void {
  if (!event.isTrusted || !views.length) return;
  if (event.type === "pointerdown") judge(event, event.currentTarget === window ? expected : null);
  if (swallowing) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  if (event.type === "mouseup" && !swallowing && expected) send({ type: slipped(expected, targetOf(event)) ? "slip" : "release" });
  if (event.type === "mouseup" || event.type === "pointercancel") endAfter(ENDS_MS); // the button is up, or the browser drags
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

function judge(event: Event, el: Element | null): void {
  const hit = targetOf(event);
  swallowing = !(el && hit instanceof Element && reaches(hit, el) && (still?.() ?? true));
  if (el && !swallowing) noteDown(el);
  endAfter(DOWN_MS);
  send(swallowing ? { type: "press", ok: false, on: hit instanceof Element ? brief(hit) : "what lies around the frame" } : { type: "press", ok: true });
}
