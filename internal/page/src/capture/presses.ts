// Presses of a pointer: each is reported when it begins, as the page may change under it,
// and again when it ends and when it has become a click, a drag or a drop; with the place
// of what was pressed, for a small picture.

import { describePlace, mayOpen, type Target, tell } from "../describe/describe";
import { openerOf, type Pressed } from "../describe/item";
import { used } from "../describe/used";
import { selectedIn } from "../dom/caret";
import { boxOf, composedParent, eachRoot, fieldOf, holdsField, isField } from "../dom/elements";
import { roleOf } from "../dom/names";
import { elementOf, refOf, sendEvent } from "../dom/wire";
import { beginDrag, type Dragging, droppedOn, hasChangedPlace, hasMoved, isDragged, landing, type Landing, moveDrag } from "./drags";
import { isSensitive, knowsSecrets, repeatsSecret } from "../secret/secrets";
import { modifiers, tellFiles, tellFilled, tellSelectAll, tellTaken } from "./fields";
import { pressedOn } from "./editor";
import { forgetChanges, numbered } from "./numbers";
import { onEarly, watchPath } from "./shadow";
import { forgetSliders, noteSliders, tellSlid } from "./sliders";
import { forgetToggle, noteToggle, tellToggled } from "./toggles";
import { forgetTurned, noteTurned, tellTurnedLater } from "./turned";

/** The press that is on its way: described when it began, as the page may change under it. */
let press: Press | null = null;

interface Press {
  id: number;
  element: Element;
  hit: Element; // the part of it that was pressed
  target: Target;
  x: number;
  y: number;
  rect: DOMRect; // where the element stood
  scrolls: boolean; // its scroll bar was pressed
  at: number; // ms
  free?: number; // ms: when the page was done with it
  events: Event[]; // by which the page may have taken the press for itself
  drag?: Dragging; // from the first move on
  dropped?: boolean; // a drop was told
  selection: unknown[]; // the ends of what was selected before
}

/** What was pressed last, as it was then. */
let before: Pressed | undefined;

/** The ends of what is selected. */
function ends(): unknown[] {
  const now = getSelection();
  return [now?.anchorNode, now?.anchorOffset, now?.focusNode, now?.focusOffset];
}

/**
 * Whether a frame's element was hit, which has nothing to press: its border was, or what is in it could not take the
 * press yet, as one of another process that has not been drawn.
 */
function isFrame(hit: Element): boolean {
  return hit instanceof HTMLIFrameElement || hit instanceof HTMLFrameElement;
}

export function onPointerDown(event: PointerEvent, hit: Element): void {
  if (isFrame(hit)) return dropPress();
  watchPath(event);
  const element = used(hit);
  const id = numbered(event, element, tellTaken);
  pressedOn(element, id);
  if (!isField(element)) tellFilled(element);
  press = { id, element, hit, target: { ...tell(element, true), ...(before && openerOf(element, before)) }, x: event.clientX, y: event.clientY, rect: boxOf(element), scrolls: onScrollbar(element, event), at: event.timeStamp, events: [event], selection: ends() };
  before = mayOpen(element, hit);
  noteToggle(element, id, event);
  noteTurned(element, id, event);
  noteSliders(element, id, event);
  const begun = press;
  setTimeout(() => (begun.free = performance.now()));
  sendEvent({ type: "down", press: press.id, target: press.target, control: controlOf(element), box: pictured(element, press.x, press.y), ...pointer(event, element) });
  onEarly(hit, { press: press.id, x: event.clientX, y: event.clientY });
}

/** Forgets a press: another recording has not heard of it. */
export function dropPress(): void {
  forgetChanges();
  forgetToggle();
  forgetTurned();
  forgetSliders();
  press = null;
  before = undefined;
}

/** The press that was last under way. */
export function lastPress(): Press | null {
  return press;
}

export function onPointerUp(event: PointerEvent): void {
  const moved = press !== null && Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL_PX;
  if (press && moved && tellSelected(press, event)) return;
  const meant = press && moved ? meantBy(press, event) : "nothing";
  sendEvent({ type: "up", press: press?.id ?? 0, moved: moved && meant !== "click", ...(press && isTaken(press) ? { taken: true } : {}), ...heldFor(event) });
  if (press && meant === "drag") tellDrag(press, landing(press, event));
  if (press) void tellSlid(press.id);
}

/**
 * Reports a press that selected text in an editor, which a tool or what is typed next is for; false for any other. It is played
 * by presses at both ends, or by those that select a line or all, however long the text is then.
 */
function tellSelected({ id, element, target, selection }: Press, event: PointerEvent): boolean {
  const editor = ends().every((end, i) => end === selection[i]) ? null : fieldOf(element); // what was selected before is none
  const selected = editor?.isContentEditable ? selectedIn(editor) : "nothing";
  if (!editor || selected === "nothing") return false;
  sendEvent({ type: "up", press: id, moved: false });
  sendEvent({ type: "click", press: id, count: 1 });
  if (selected === "all") tellSelectAll(editor);
  else if (selected === "line") sendEvent({ type: "click", press: 0, target, count: 3 });
  else sendEvent({ type: "click", press: 0, target, count: 1, offset: offsetIn(element, event.clientX, event.clientY), modifiers: ["Shift"] });
  return true;
}

/** A press that moves may turn out to be a drag: what is there is looked at before the page hears of it. */
export function onMove(event: MouseEvent): void {
  if (!press || event.type === "pointermove" && !(event.buttons & 1)) return;
  if (!press.drag && Math.hypot(event.clientX - press.x, event.clientY - press.y) <= STILL_PX) return;
  press.drag ??= beginDrag(press);
  moveDrag(press, press.drag, event);
}

/** From where on it means something how long a button is held, in ms: browsers and pages take that for a long press. */
const LONG_MS = 500;

/** How long a button was held, where it still was long after the page was done with its press: a busy page or a slow machine makes no long press. */
function heldFor(event: PointerEvent): { held?: number } {
  if (press?.free === undefined || event.timeStamp - press.free < LONG_MS) return {};
  return { held: Math.round(event.timeStamp - press.at) };
}

/** Whether the page keeps the browser from opening a list, which it then draws itself. */
function isTaken({ element, events }: Press): boolean {
  return (element instanceof HTMLSelectElement || element instanceof HTMLOptionElement) && events.some((event) => event.type === "mousedown" && event.defaultPrevented);
}

export function onMouseDown(event: MouseEvent): void {
  press?.events.push(event);
}

/** The browser drags or scrolls from here on: no pointer is told of any more, and a drop may come. */
export function onPressTaken(): void {
  if (press) sendEvent({ type: "up", press: press.id, moved: true });
}

export function onClick(event: PointerEvent, hit: Element): void {
  const byKey = event.type === "click" && event.detail === 0;
  if (!byKey && press) {
    const { id } = press;
    sendEvent({ type: "click", press: press.id, count: event.detail, ...(isTaken(press) ? { taken: true } : {}) });
    if (event.type === "click" && event.detail === 1) setTimeout(() => void tellToggled(id), 0);
    tellTurnedLater(id);
    return;
  }
  if (isFrame(hit)) return;
  const element = used(hit);
  sendEvent({ type: "click", press: 0, byKey, target: tell(element, true), control: controlOf(element), count: event.detail, ...pointer(event, element) });
}

export function controlOf(element: Element): number | undefined {
  return element instanceof HTMLLabelElement && element.control ? refOf(element.control) : undefined;
}

function pointer(event: MouseEvent, element: Element): object {
  const offset = event.type === "pointerdown" ? offsetIn(element, event.clientX, event.clientY) : undefined;
  return { button: event.button, ...(offset ? { offset } : {}), ...modifiers(event) };
}

export function offsetIn(element: Element, x: number, y: number): { x: number; y: number } | undefined {
  return offsetWithin(boxOf(element), x, y);
}

function offsetWithin(rect: DOMRect, x: number, y: number): { x: number; y: number } | undefined {
  const isWithin = x > rect.left - 1 && x < rect.right + 1 && y > rect.top - 1 && y < rect.bottom + 1; // else what is recorded is told by what was pressed
  return rect.width > 0 && rect.height > 0 && isWithin ? { x: round((x - rect.x) / rect.width, rect.width), y: round((y - rect.y) / rect.height, rect.height) } : undefined;
}

/** A part of a length in px, as exactly as a pixel. */
function round(fraction: number, length: number): number {
  const parts = length > 100 ? 10_000 : 100;
  return Number.isFinite(fraction) ? Math.round(Math.min(Math.max(fraction, 0), 1) * parts) / parts : 0.5;
}

/** A pointer that moves more than this between down and up drags. */
const STILL_PX = 5;

/** Roles that are pressed, and seldom dragged. */
const PRESSED = new Set(["button", "checkbox", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "radio", "switch", "tab"]);

/**
 * What was meant by a press that moved. It was a drag where the page has taken it
 * for itself or an element has gone along with it; a hand that was not steady on a
 * button; or it selected text, which is nothing to play.
 */
function meantBy(press: Press, event: PointerEvent): "drag" | "click" | "nothing" {
  const { element, rect, events } = press;
  if (fieldOf(element) || press.scrolls) return "nothing";
  const went = hasMoved(element, rect);
  const hit = document.elementFromPoint(event.clientX, event.clientY);
  const held = isHeld(element, event.pointerId);
  if (PRESSED.has(roleOf(element)) && !went && !held && hit && element.contains(hit)) return "click";
  const taken = went || held || isDragged(press, event) || events.some((e) => e.defaultPrevented) || element.localName === "canvas" || getComputedStyle(element).userSelect === "none";
  return taken ? "drag" : "nothing";
}

function tellDrag(from: Press, on: Landing | undefined): void {
  if (!on) return;
  from.dropped = true;
  const what = from.drag?.what;
  if (what) sendEvent({ type: "within", press: from.id, target: what.target, offset: offsetWithin(what.rect, from.x, from.y) });
  sendEvent({ type: "drag", press: from.id, target: on.target ?? describePlace(on.element), offset: offsetWithin(on.rect, on.x, on.y) });
}

function isHeld(element: Element, pointer: number): boolean {
  for (let at: Element | null = element; at; at = composedParent(at)) if (at.hasPointerCapture(pointer)) return true;
  return false;
}

function onScrollbar(element: Element, { clientX: x, clientY: y }: MouseEvent): boolean {
  const rect = boxOf(element);
  return element.clientWidth > 0 && (x > rect.x + element.clientLeft + element.clientWidth || y > rect.y + element.clientTop + element.clientHeight);
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  view: number; // width of the window
  at: [number, number]; // where it was pressed
}

/** What is larger is seen around the press only. */
const BOX_WIDTH = 420;
const BOX_HEIGHT = 160;

/** What may show what was typed, or what this document cannot look into. */
const OPAQUE = "input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image],[type=checkbox],[type=radio]),textarea,select,[contenteditable]:not([contenteditable=false]),iframe,frame,object,embed";

/** How much of an element's source is looked at: its attributes may be drawn, too. */
const MOST_READ = 20_000;

let boxesWanted = false;

/** Sets whether pictures are wanted; where not, nothing of this costs anything. */
export function wantBoxes(yes: boolean): void {
  boxesWanted = yes;
}

/** The place of an element around a point, undefined where no picture may be made. */
function pictured(el: Element, x: number, y: number): Box | undefined {
  if (!boxesWanted || window !== window.parent || holdsField(el) || isSensitive(el)) return undefined;
  if (knowsSecrets() && [(el as HTMLElement).innerText ?? el.textContent ?? "", el.outerHTML.slice(0, MOST_READ)].some(repeatsSecret)) return undefined;
  const box = placeAround(boxOf(el), x, y);
  return box.width > 4 && box.height > 4 && !isOverField(box) ? { ...box, view: innerWidth, at: [x, y] } : undefined;
}

/** Whether an element that was told of still stands there, and may still be shown. */
export function standsAt(ref: number, box: Box): boolean {
  const el = elementOf(ref);
  const now = el?.isConnected ? pictured(el, ...box.at) : undefined;
  return now !== undefined && now.x === box.x && now.y === box.y && now.width === box.width && now.height === box.height && now.view === box.view;
}

function placeAround(rect: DOMRect, x: number, y: number): { x: number; y: number; width: number; height: number } {
  const [left, right] = partInView(rect.left, rect.right, x, BOX_WIDTH, innerWidth);
  const [top, bottom] = partInView(rect.top, rect.bottom, y, BOX_HEIGHT, innerHeight);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The part of a stretch that is in view, and where it is long around a point. */
function partInView(from: number, to: number, at: number, longest: number, end: number): [number, number] {
  const first = Math.max(from, 0, to - from > longest ? at - longest / 2 : 0);
  return [first, Math.min(to, end, first + longest)];
}

function isOverField(box: { x: number; y: number; width: number; height: number }): boolean {
  let found = false;
  eachRoot(document, (root) => {
    for (const field of found ? [] : root.querySelectorAll(OPAQUE)) {
      const rect = field.getBoundingClientRect();
      const apart = rect.right <= box.x || rect.left >= box.x + box.width || rect.bottom <= box.y || rect.top >= box.y + box.height;
      if (rect.width > 0 && !apart) found = true;
    }
  });
  return found;
}

/** A field for files tells of its change itself; what else takes them has only the drop. */
export function onDrop(event: DragEvent, hit: Element): void {
  const files = event.dataTransfer?.files;
  const press = lastPress();
  if (!files?.length && press && !fieldOf(hit)) tellDrag(press, droppedOn(press, hit, event)); // what a field takes it tells itself
  if (!files?.length || (hit instanceof HTMLInputElement && hit.type === "file")) return;
  const element = used(hit);
  const offset = offsetIn(element, event.clientX, event.clientY);
  tellFiles(element, files, { many: files.length > 1, ...(offset ? { offset } : {}) });
}

/** Some lists take what is dragged before it is dropped, and the browser reports no drop. */
export function onDragEnd(): void {
  const press = lastPress();
  if (press?.drag?.over && !press.dropped && hasChangedPlace(press)) tellDrag(press, press.drag.over);
}
