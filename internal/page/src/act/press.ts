// Where to press, and the last check before a press does anything.
//
// The point is one of the element that nothing covers, in view, and carried out of the
// frames around it. The press must reach the element that was found, and that must still
// be what it was: a page can move things between the look and the press, and put others
// into the same elements. A press that would do something else is swallowed here, before
// the page hears of it.

import { bringsWords, LATE_MS, watchChanges } from "../dom/changes";
import { boxesOf, boxOf, brief, bringIntoView, composedContains, composedParent, deepElementFromPoint, isField, isInView, isTextEntry, isVisible, normalize, outOf, type Point, reaches, throughParents } from "../dom/elements";
import { INTERACTIVE, roleOf } from "../dom/names";
import { targetOf } from "../dom/roots";
import { nextFrame, until } from "../dom/wait";
import { send } from "../dom/wire";
import { noteControls } from "../locate/newest";
import type { Ready, Request } from "./request";
import { endTyping } from "./typed";

/** Points that are tried where the recorded one is covered: the middle, then towards the edges. */
const POINTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]] as const;

/**
 * How long what covers the point that is meant may take to go, in ms, before another point is taken: a message goes after
 * some seconds. Of what is drawn, as a rail or a map, another point means another thing.
 */
const COVERED_MS = 500;
const DRAWN_COVERED_MS = 10_000;

const coveredSince = new WeakMap<Element, number>();

function coveredFor(el: Element): number {
  return INTERACTIVE.has(roleOf(el)) && roleOf(el) !== "slider" ? COVERED_MS : DRAWN_COVERED_MS;
}

/** Scrolls the element into view and finds a point of it that nothing covers. */
export function reachable(el: Element, request: Pick<Request, "offset">): Ready {
  const ready = pointReached(el, request, !isInView(el) && !isShown(el, request));
  return ready.press || ready.scrolled || !(isClipped(el) || isUnderBar(el)) ? ready : pointReached(el, request, true);
}

/** Whether a bar covers an element that stays at an edge of the window while the page scrolls. */
function isUnderBar(el: Element): boolean {
  const { x, y, width, height } = boxOf(el);
  for (let at = deepElementFromPoint(x + width / 2, y + height / 2); at && !composedContains(at, el); at = composedParent(at)) {
    if (/^(?:fixed|sticky)$/.test(getComputedStyle(at).position)) return at.getBoundingClientRect().height < innerHeight * MOST_OF_A_BAR;
  }
  return false;
}

/** How much of the height of the window a bar takes at most. */
const MOST_OF_A_BAR = 0.4;

/** Whether the point that is meant is in view: to scroll for the rest of a large element would move what is drawn in it. */
function isShown(el: Element, { offset = { x: 0.5, y: 0.5 } }: Pick<Request, "offset">): boolean {
  const rect = boxOf(el);
  const [x, y] = [rect.x + offset.x * rect.width, rect.y + offset.y * rect.height];
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && reaches(deepElementFromPoint(x, y), el);
}

/** Whether a box around the element shows nothing of it. */
export function isClipped(el: Element): boolean {
  const rect = boxOf(el);
  for (let box = composedParent(el); box && box !== document.documentElement; box = composedParent(box)) {
    const { overflowX, overflowY } = getComputedStyle(box);
    const around = box.getBoundingClientRect();
    if (overflowY !== "visible" && (rect.bottom <= around.top || rect.top >= around.bottom)) return true;
    if (overflowX !== "visible" && (rect.right <= around.left || rect.left >= around.right)) return true;
  }
  return false;
}

function pointReached(el: Element, request: Pick<Request, "offset">, scrolled: boolean): Ready {
  if (scrolled) bringIntoView(el, "center");
  const wanted = request.offset ? [[request.offset.x, request.offset.y] as const, ...POINTS] : POINTS;
  let cover = "";
  for (const rect of boxesOf(el)) {
    for (const [fx, fy] of wanted) {
      const x = rect.x + Math.min(Math.max(fx * rect.width, 1), Math.max(rect.width - 1, 0));
      const y = rect.y + Math.min(Math.max(fy * rect.height, 1), Math.max(rect.height - 1, 0));
      const hit = deepElementFromPoint(x, y);
      if (!reaches(hit, el)) {
        cover ||= hit ? `${brief(el)} is covered by ${brief(hit)}` : `${brief(el)} is out of view`;
        continue;
      }
      if (cover && since(coveredSince, el) < coveredFor(el)) return { why: cover, scrolled };
      const top = throughParents(x, y);
      if (typeof top === "string") {
        cover ||= top;
        continue;
      }
      if (!cover) coveredSince.delete(el);
      return { ...top, press: el, scrolled, size: [rect.width, rect.height] };
    }
  }
  return { why: cover || `${brief(el)} has no size`, scrolled, covered: cover !== "" };
}

/** A point away from what covers an element only as long as the mouse is over it, as a menu does that opens under the mouse; undefined for none. */
export function pointAway(el: Element): Ready | undefined {
  const { x, y, width, height } = el.getBoundingClientRect();
  let over = deepElementFromPoint(x + width / 2, y + height / 2)?.closest(":hover") ?? null;
  if (!over || over.contains(el)) return undefined;
  while (over.parentElement && !over.parentElement.contains(el)) over = over.parentElement;
  const box = over;
  const corners = [[1, 1], [innerWidth - 2, 1], [1, innerHeight - 2], [innerWidth - 2, innerHeight - 2]] as const;
  const corner = corners.find(([cx, cy]) => !box.contains(deepElementFromPoint(cx, cy)));
  const top = corner && throughParents(corner[0], corner[1]);
  return top && typeof top !== "string" ? top : undefined;
}

/**
 * Carries a point of the frame that owner holds into this one, and on as far as
 * may be. Where the frame has scrolled to its element, what is around it may be
 * scrolling as well, in a process of its own: that is waited for.
 */
export async function carry(owner: Element, x: number, y: number, scrolled: boolean): Promise<Point | { why: string }> {
  if (scrolled) await standStill(owner);
  const here = outOf(owner, x, y);
  if (typeof here === "string") return { why: here };
  const there = throughParents(here.x, here.y);
  if (typeof there === "string") return { why: there };
  watchAround();
  return there;
}

/** Frames in which something must not have moved to be taken for still, and in which it is given up. */
const STILL_FRAMES = 2;
const MOST_FRAMES = 60;

async function standStill(el: Element): Promise<void> {
  let last = boxOf(el);
  for (let still = 0, frames = 0; still < STILL_FRAMES && frames < MOST_FRAMES; frames++) {
    await nextFrame();
    const now = boxOf(el);
    still = now.x === last.x && now.y === last.y ? still + 1 : 0;
    last = now;
  }
}

export function isMoving(el: Element): boolean {
  return running().some((animation) => {
    const target = (animation.effect as KeyframeEffect | null)?.target;
    return !!target && composedContains(target, el);
  });
}

/** Where an element was last seen, by the frames in which it stood there: a slow page draws few. */
let placing: { el: Element; x: number; y: number; frame: number; still: number; until: number } | undefined;

/** How long frames are waited for, in ms: a hidden page draws none. */
const PLACED_MS = 500;

/**
 * Whether an element may be on its way to its place: a part of the page next to it opens, or it has just come in a box of its
 * own, which many pages put into its place a frame after they have drawn it.
 */
export function isBeingPlaced(el: Element, came: boolean): boolean {
  if (!isAnimated() && !(came && isAfloat(el))) return false;
  const { x, y } = boxOf(el);
  const frame = Number(document.timeline.currentTime);
  if (placing?.el !== el || placing.x !== x || placing.y !== y) placing = { el, x, y, frame, still: 0, until: performance.now() + PLACED_MS };
  else if (placing.frame !== frame) Object.assign(placing, { frame, still: placing.still + 1 });
  return isPlacing();
}

export function isPlacing(): boolean {
  return placing !== undefined && placing.still < STILL_FRAMES && performance.now() < placing.until;
}

/** Whether an element is in a box that a page puts where it wants, as a menu is. */
function isAfloat(el: Element): boolean {
  for (let box: Element | null = el; box && box !== document.body; box = composedParent(box)) if (/fixed|absolute/.test(getComputedStyle(box).position)) return true;
  return false;
}

/** How long what a script draws half transparent counts as fading, and what looks disabled as that; after that it is to look so. */
const FADE_MS = 1000;
const OFF_MS = 3000;

const seenSince = new WeakMap<Element, number>();

function lasts(at: Element, most: number): boolean {
  return since(seenSince, at) < most;
}

/** For how long something has been so of an element, in ms. */
function since(times: WeakMap<Element, number>, el: Element): number {
  const now = performance.now();
  if (!times.has(el)) times.set(el, now);
  return now - times.get(el)!;
}

/**
 * Whether a script fades something in or out that holds the element, as a dialog that opens: many move the focus when
 * that is done, and some take out of the document for a moment what they fade.
 */
export function isFading(el: Element): boolean {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    const opacity = parseFloat((at as HTMLElement).style?.opacity ?? "");
    if (!(opacity < 1) || (at === el && opacity === 0)) continue; // what is drawn by others lies below them, transparent
    if (lasts(at, FADE_MS)) return true;
  }
  return false;
}

/** How far above a control the box stands that a script marks in its place. */
const BOX_HEIGHT = 6;

/** Whether a control looks disabled by the class of its box alone, as toolbars that scripts draw do until they are connected. */
export function looksOff(el: Element): boolean {
  const says = normalize(el.textContent);
  let at: Element | null = el;
  for (let height = 0; at && height < BOX_HEIGHT && normalize(at.textContent) === says; height++, at = composedParent(at)) {
    if ([...at.classList].some((name) => /(^|[-_])disabled$/i.test(name)) && lasts(at, OFF_MS)) return true;
  }
  return false;
}

/** Whether an element moves that is typed into: where it goes on, that is no hindrance. */
export function isSettling(el: Element): boolean {
  return isMoving(el) && lasts(el, FADE_MS);
}

/** Whether anything moves or fades that will come to an end. */
export function isAnimated(): boolean {
  return running().length > 0;
}

function running(): Animation[] {
  return document.getAnimations().filter((animation) => animation.playState === "running" && isFinite(endOf(animation)));
}

function endOf(animation: Animation): number {
  return Number(animation.effect?.getComputedTiming().endTime ?? 0);
}

/** The point of an element to which something is dragged: what is dragged may come between. */
export function pointOn(el: Element, { offset }: Request): Ready {
  if (!isVisible(el)) return { why: `${brief(el)} is hidden` };
  const scrolled = !isInView(el);
  if (scrolled) bringIntoView(el, "nearest");
  const rect = boxOf(el);
  const point = throughParents(rect.x + (offset?.x ?? 0.5) * rect.width, rect.y + (offset?.y ?? 0.5) * rect.height);
  return typeof point === "string" ? { why: point } : { ...point, scrolled };
}

/** The middle of an element, for a look or a picture. */
export function pointIn(el: Element): Ready | undefined {
  const rect = boxOf(el);
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
}

/** The middle of the page's viewport. */
export function middle(): { x: number; y: number } {
  return { x: innerWidth / 2, y: innerHeight / 2 };
}

/** Where an element stands in the page, for a picture: it is brought into view. */
export function standsAt(el: Element): Ready {
  if (!isInView(el)) bringIntoView(el, "center");
  const { x, y, width, height } = boxOf(el);
  const at = throughParents(x, y, true);
  if (typeof at === "string" || at.crossed) return {};
  let outermost: Window = window;
  while (outermost !== outermost.parent) outermost = outermost.parent;
  return { box: [at.x / outermost.innerWidth, at.y / outermost.innerHeight, width / outermost.innerWidth, height / outermost.innerHeight] };
}

/** How far the page would have to be scrolled for an element to be in its middle, if it is out of view. */
export function outOfView(el: Element): Ready {
  const rect = boxOf(el);
  if (window !== window.parent || isInView(el) || !isVisible(el)) return { x: 0, y: 0 };
  const down = rect.top < 0 || rect.bottom > innerHeight ? rect.top + rect.height / 2 - innerHeight / 2 : 0;
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
  const most = scrollHeight - clientHeight - scrollTop;
  return { x: 0, y: Math.max(-scrollTop, Math.min(most, down)) };
}

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
  noteControls();
  watch(el, ARRIVES_MS);
  still = isStill;
  state = stateOf;
  stateBefore = stateOf?.() ?? false;
}

/** Expects the next press in a frame of this document: one that lands here has missed it. */
function watchAround(): void {
  watch(null, AROUND_MS);
}

let dragged: Event | null = null;

/** Notes whether the browser itself begins to drag, in place of the page. */
export function watchDrag(): void {
  dragged = null;
  addEventListener("dragstart", (event) => (dragged = event.isTrusted ? event : null), { capture: true, once: true });
  for (const type of ["pointerup", "drop"]) addEventListener(type, watchDrawing, { capture: true, once: true });
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
  if (event.type === "mouseup" && !swallowing && expected) send({ type: upOn(expected, targetOf(event)) });
  if (event.type === "mouseup" || event.type === "pointercancel") endAfter(ENDS_MS); // the button is up, or the browser drags
  if (event.type !== "click" && event.type !== "auxclick") return;
  if (state && !swallowing) tellState(state, stateBefore);
  end();
}

/** How long a page may take to set a control that was pressed. */
const SET_MS = 5000;

/**
 * Reports what a press has made of a control: as soon as it changes, which a native
 * one does within the click, and after the page's own listeners. A task of our own
 * would come a frame later, as Chrome draws before it goes on; it is for controls
 * that are made of other elements, and for pages that keep the event to themselves, or
 * put the control back until their server has answered.
 */
function tellState(of: () => boolean, before: boolean): void {
  const tell = () => {
    removeEventListener("change", onChange);
    clearTimeout(task);
    send({ type: "state", checked: of() });
  };
  const changed = () => of() !== before || undefined;
  const onChange = (event: Event) => {
    if (event.isTrusted && changed()) tell();
  };
  const task = setTimeout(() => void until(SET_MS, changed).then(tell));
  addEventListener("change", onChange);
}

function judge(event: Event, el: Element | null): void {
  const hit = targetOf(event);
  swallowing = !(el && hit instanceof Element && reaches(hit, el) && (still?.() ?? true));
  if (!swallowing) endTyping();
  if (el && !swallowing) noteDown(el);
  left = el && !swallowing && isField(document.activeElement ?? el) ? { pressed: el, until: performance.now() + BACK_MS } : undefined;
  if (!swallowing) {
    watchDrawing();
    drawing.pressed = el;
    watchOpening();
  }
  unwatchChanges();
  endAfter(DOWN_MS);
  send(swallowing ? { type: "press", ok: false, on: hit instanceof Element ? brief(hit) : "what lies around the frame" } : { type: "press", ok: true });
  if (el && !swallowing && event.type === "pointerdown") {
    const chosen = isChosen(el);
    unwatchChanges = watchChanges(el, event, chosen ? { ...TOLD, over: TOLD.changed } : TOLD);
  }
}

/** What the engine is told of the effect of a press. */
const TOLD = {
  changed: () => send({ type: "effect" }),
  clicked: (done: boolean) => send({ type: done ? "clicked" : "click" }),
  over: (prevented: boolean) => send({ type: "over", ok: prevented }),
};

/** What the page has put in or taken out since the last press, or since something was dropped; and whether words have come of themselves, late or soon. */
const drawing = { since: -Infinity, last: -Infinity, said: false, soon: false, press: null as Event | null, address: location.href, pressed: null as Element | null, elsewhere: false };
const draws = new MutationObserver(noteDrawn);

function noteDrawn(records: MutationRecord[]): void {
  if (records.length) drawing.last = performance.now();
  drawing.elsewhere ||= records.some(({ target }) => !drawing.pressed?.contains(target)); // what is drawn in a button is its own answer to any press
  if (drawing.said || drawing.press?.eventPhase || !records.some(bringsWords)) return; // a listener of the press brings them at once
  drawing.said = drawing.last > drawing.since + LATE_MS;
  drawing.soon = true;
}

/** How long after a press a page may take to draw what the press is for, in ms, and how long nothing more of it comes once it is done. */
const DRAWS_MS = 500;
const DRAWN_MS = 40;

/** How long what is drawn is noted at all, in ms. */
const NOTED_MS = 10_000;

export function watchDrawing(): void {
  drawing.since = performance.now();
  drawing.last = -Infinity;
  drawing.said = drawing.soon = false;
  drawing.press = null;
  for (const type of ["pointerup", "click"]) addEventListener(type, noteDispatched, { capture: true, once: true });
  drawing.address = location.href;
  drawing.pressed = null;
  drawing.elsewhere = false;
  draws.disconnect();
  draws.observe(document, { childList: true, subtree: true, characterData: true });
  clearTimeout(drawsUntil);
  drawsUntil = setTimeout(() => draws.disconnect(), NOTED_MS);
}

/** How long a page may take to show what it shows by a clock of its own, in ms; and where it has shown something at once, which may have been that. */
const UPDATES_MS = 3_000;
const UPDATED_MS = 700;

/** Waits until the page has shown something a while after the last press, or since now where nothing was pressed; not for ever, as it may have nothing to show this time. */
export async function updated(pressed: boolean): Promise<void> {
  if (!pressed) watchDrawing();
  const from = performance.now();
  while (!drawing.said && performance.now() < from + (drawing.soon ? UPDATED_MS : UPDATES_MS)) {
    await nextFrame();
    noteDrawn(draws.takeRecords());
  }
}

/** Whether the page has drawn anything since the last press, other than in what was pressed. */
export function drewSince(): boolean {
  noteDrawn(draws.takeRecords());
  return drawing.elsewhere;
}

function noteDispatched(event: Event): void {
  drawing.press = event;
}

let drawsUntil = 0;

/** Waits until the page has drawn what the last press was for, where it was not drawn at once or has another address: a view that looks alike may be there until then. */
export async function drawn(atOnce: boolean): Promise<void> {
  if (atOnce && location.href === drawing.address) return;
  const isDone = () => {
    const now = performance.now();
    return now > drawing.since + DRAWS_MS || (drawing.last > drawing.since && now > drawing.last + DRAWN_MS);
  };
  while (!isDone()) await nextFrame();
}

/** How long after a press that took itself away the focus may be on its way back to where it was, in ms. */
const BACK_MS = 150;

let left: { pressed: Element; until: number } | undefined; // a field by the focus, for what was pressed last

/** Whether the focus is nowhere, as what was pressed has gone with it: a page returns it to the field a moment after that, and opens again what that opens if another has it by then. */
export function isOnItsWay(): boolean {
  return left !== undefined && performance.now() < left.until && !isVisible(left.pressed) && (document.activeElement === document.body || document.activeElement === left.pressed); // it has it still until the next frame
}

/** The field into which the last press has put the focus, as a cell that is pressed becomes one. */
let opened: Element | null = null;

function watchOpening(): void {
  opened = null;
  addEventListener("focusin", onOpened, true);
}

function onOpened(event: FocusEvent): void {
  const field = targetOf(event);
  if (field instanceof Element && isTextEntry(field)) opened = field;
}

/** Whether the page has taken away again what the last press has opened, as one does that draws all again once its data have come. */
export function hasClosed(): boolean {
  return opened !== null && !isVisible(opened);
}

/** Whether no field has the focus because of the last press: the page may have drawn again what it was on, and not heard of it. */
export function hasOpenedNothing(): boolean {
  return opened === null;
}

/** Expects the next key, and tells the engine what it changes, and when it is over. */
export function watchKey(): void {
  const onKey = (event: KeyboardEvent) => {
    if (!event.isTrusted) return;
    removeEventListener("keydown", onKey, true);
    const el = targetOf(event);
    unwatchChanges();
    unwatchChanges = watchChanges(el instanceof Element && isField(el) ? el : null, event, TOLD);
  };
  addEventListener("keydown", onKey, true);
  setTimeout(() => removeEventListener("keydown", onKey, true), ARRIVES_MS);
}

/** What stays chosen when it is pressed again: the page has nothing to change then. */
const CHOSEN = '[role="option"][aria-selected="true"],[role="tab"][aria-selected="true"],[role="radio"][aria-checked="true"],[role="menuitemradio"][aria-checked="true"]';

function isChosen(el: Element): boolean {
  const pressed = el.closest(`${CHOSEN},a,button,input,[role="button"]`); // a control in what is chosen is another matter
  return !!pressed?.matches(CHOSEN) && !el.closest('[aria-multiselectable="true"]');
}

/** Ends the watch of what the last press changes: the next one has its own. */
let unwatchChanges: () => void = () => {};

let downAt: DOMRect | null = null; // where the element stood after the page had heard that the button is down
let wasLeft = false; // the page had left it where it was by then
let before = { x: 0, y: 0, scrolled: { x: 0, y: 0 } }; // where it stood before that

/** Notes where an element stands that a button goes down on. What the page moves in answer to that has not slipped. */
function noteDown(el: Element): void {
  const box = boxOf(el);
  before = { x: box.x, y: box.y, scrolled: scrolledAround(el) };
  downAt = null;
  wasLeft = false;
  addEventListener("mousedown", () => {
    downAt = isSame(box, boxOf(el)) ? box : null;
    wasLeft = el.isConnected;
  }, { once: true });
}

/**
 * How a button came up on what was hit: "slip" where the element has slipped away from under it, "scroll" where the page
 * was scrolled, "redrawn" where another one that is the same was put in its place: none of them is clicked.
 */
function upOn(el: Element, hit: EventTarget | undefined): "slip" | "scroll" | "redrawn" | "release" {
  if (!el.isConnected && wasLeft && hit instanceof Element && hit.closest(el.localName)?.isEqualNode(el)) return "redrawn";
  if (!isVisible(el) || (hit instanceof Element && reaches(hit, el))) return "release";
  const [box, scrolled] = [boxOf(el), scrolledAround(el)];
  if (downAt !== null && !isSame(downAt, box)) return "slip";
  const by = [scrolled.x - before.scrolled.x, scrolled.y - before.scrolled.y] as const;
  const isAll = Math.abs(before.x - by[0] - box.x) < 1 && Math.abs(before.y - by[1] - box.y) < 1;
  return isAll && by.some((d) => d !== 0) ? "scroll" : "release";
}

/** How far what is around an element is scrolled. */
function scrolledAround(el: Element): Point {
  const at = { x: 0, y: 0 };
  for (let box = composedParent(el); box; box = composedParent(box)) {
    at.x += box.scrollLeft;
    at.y += box.scrollTop;
  }
  return at;
}

function isSame(a: DOMRect, b: DOMRect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
