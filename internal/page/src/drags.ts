// Presses that move: what was meant by them, and what a drag ended on.

import { roleOf } from "./aria";
import { composedParent } from "./dom";
import { fieldOf } from "./editable";
import { offsetIn, used, type Press } from "./presses";
import { tell } from "./told";
import { sendEvent } from "./wire";

/** A pointer that moves more than this between down and up drags. */
export const STILL_PX = 5;

/** Roles that are pressed, and seldom dragged. */
const PRESSED = new Set(["button", "checkbox", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "radio", "switch", "tab"]);

/**
 * What was meant by a press that moved. It was a drag where the page has taken it
 * for itself or an element has gone along with it; a hand that was not steady on a
 * button; or it selected text, which is nothing to play.
 */
export function meantBy(press: Press, event: PointerEvent): "drag" | "click" | "nothing" {
  const { element, x, y, rect, events } = press;
  if (fieldOf(element) || onScrollbar(element, rect, x, y)) return "nothing";
  const went = hasMoved(press);
  const hit = document.elementFromPoint(event.clientX, event.clientY);
  const held = isHeld(element, event.pointerId);
  if (PRESSED.has(roleOf(element)) && !went && !held && hit && element.contains(hit)) return "click";
  const taken = went || held || events.some((e) => e.defaultPrevented) || element.localName === "canvas" || getComputedStyle(element).userSelect === "none";
  return taken ? "drag" : "nothing";
}

function hasMoved({ element, rect }: Press): boolean {
  if (!element.isConnected) return false;
  const now = element.getBoundingClientRect();
  return Math.hypot(now.x - rect.x, now.y - rect.y) > STILL_PX;
}

function isHeld(element: Element, pointer: number): boolean {
  for (let at: Element | null = element; at; at = composedParent(at)) if (at.hasPointerCapture(pointer)) return true;
  return false;
}

function onScrollbar(element: Element, rect: DOMRect, x: number, y: number): boolean {
  return element.clientWidth > 0 && (x > rect.x + element.clientLeft + element.clientWidth || y > rect.y + element.clientTop + element.clientHeight);
}

/** What a dragged element was let go on: neither itself, where it has come along, nor a picture of it. */
export function landing(press: Press, event: PointerEvent): Element | undefined {
  const { element, rect } = press;
  const went = hasMoved(press);
  const isPicture = (el: Element) => {
    const { width, height } = el.getBoundingClientRect();
    return getComputedStyle(el).position === "fixed" && Math.abs(width - rect.width) < 2 && Math.abs(height - rect.height) < 2;
  };
  return document.elementsFromPoint(event.clientX, event.clientY).find((el) => !(went && element.contains(el)) && !isPicture(el));
}

export function tellDrag(from: Press, hit: Element | undefined, event: MouseEvent): void {
  if (!hit) return;
  const to = used(hit);
  sendEvent({ type: "drag", press: from.id, target: tell(to, true), offset: offsetIn(to, event.clientX, event.clientY) });
}
