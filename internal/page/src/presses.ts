// Presses of a pointer: each is told of when it begins, as the page may change
// under it, and again when it ends and when it has become a click.

import { roleOf } from "./aria";
import { boxOf } from "./box";
import { composedParent } from "./dom";
import { landing, meantBy, STILL_PX, tellDrag } from "./drags";
import { editingHost, isField } from "./editable";
import { onEarly, watchPath } from "./reach";
import { refOf, tell, type Target } from "./told";
import { tellFilled } from "./typed";
import { sendEvent } from "./wire";

/** The press that is on its way: described when it began, as the page may change under it. */
let press: Press | null = null;

export interface Press {
  id: number;
  element: Element;
  target: Target;
  x: number;
  y: number;
  rect: DOMRect; // where the element stood
  at: number; // ms
  events: Event[]; // by which the page may have taken the press for itself
}

let pressCount = 0;

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
  if (!isField(element)) tellFilled(element);
  press = { id: ++pressCount, element, target: tell(element, true), x: event.clientX, y: event.clientY, rect: element.getBoundingClientRect(), at: event.timeStamp, events: [event] };
  sendEvent({ type: "down", press: press.id, target: press.target, control: controlOf(element), box: boxOf(element, press.x, press.y), ...pointer(event, element) });
  onEarly(hit, { press: press.id, x: event.clientX, y: event.clientY });
}

/** Forgets a press: another recording has not heard of it. */
export function dropPress(): void {
  press = null;
}

/** The press that was last under way. */
export function lastPress(): Press | null {
  return press;
}

export function onPointerUp(event: PointerEvent): void {
  const moved = press !== null && Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL_PX;
  const meant = press && moved ? meantBy(press, event) : "nothing";
  sendEvent({ type: "up", press: press?.id ?? 0, moved: moved && meant !== "click", ...heldFor(event) });
  if (press && meant === "drag") tellDrag(press, landing(press, event), event);
}

/** From where on it means something how long a button is held, in ms: browsers and pages take that for a long press. */
const LONG_MS = 500;

function heldFor(event: PointerEvent): { held?: number } {
  const held = press ? Math.round(event.timeStamp - press.at) : 0;
  return held >= LONG_MS ? { held } : {};
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
    sendEvent({ type: "click", press: press.id, count: event.detail });
    return;
  }
  if (isFrame(hit)) return;
  const element = used(hit);
  sendEvent({ type: "click", press: 0, byKey, target: tell(element, true), control: controlOf(element), count: event.detail, ...pointer(event, element) });
}

export function controlOf(element: Element): number | undefined {
  return element instanceof HTMLLabelElement && element.control ? refOf(element.control) : undefined;
}

const INTERACTIVE = new Set([
  "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
]);

/** What a person means who presses here: the button, not the picture on it. */
export function used(hit: Element): Element {
  for (let el: Element | null = hit; el; el = composedParent(el)) {
    if (INTERACTIVE.has(roleOf(el)) || el.localName === "label" || el.localName === "summary") return el;
    if ((el as HTMLElement).isContentEditable) return editingHost(el);
  }
  return hit;
}

function pointer(event: MouseEvent, element: Element): object {
  const offset = event.type === "pointerdown" ? offsetIn(element, event.clientX, event.clientY) : undefined;
  return { button: event.button, ...(offset ? { offset } : {}), ...modifiers(event) };
}

export function offsetIn(element: Element, x: number, y: number): { x: number; y: number } | undefined {
  const rect = element.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0 ? { x: round((x - rect.x) / rect.width), y: round((y - rect.y) / rect.height) } : undefined;
}

function round(fraction: number): number {
  return Number.isFinite(fraction) ? Math.round(Math.min(Math.max(fraction, 0), 1) * 100) / 100 : 0.5;
}

export function modifiers(event: MouseEvent | KeyboardEvent): { modifiers?: string[] } {
  const held = [event.altKey && "Alt", event.ctrlKey && "Control", event.metaKey && "Meta", event.shiftKey && "Shift"].filter((m) => m !== false);
  return held.length && !event.getModifierState("AltGraph") ? { modifiers: held } : {};
}
