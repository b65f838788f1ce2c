// Drags: what something was let go on. A page may have a picture of it follow the pointer,
// or have others make way for it, so that it lies under the pointer itself: what counts is
// what stood there when the drag began, as a replay aims before it begins to drag.

import { noteCovered } from "../dom/calm";
import { describeNow, describePlace, saysWhat, type Target } from "../describe/describe";
import { used } from "../describe/used";

/** What is known of a drag that is under way. */
export interface Dragging {
  items: Item[]; // what the page may move: what was pressed, or what that is the handle of
  what: { part: Element; target: Target; rect: DOMRect } | null; // the part of it that was pressed, which says what it is
  seen: Map<Element, Seen>;
  told: Map<Element, Target>; // what the pointer came over, as it was then
  x: number; // of the pointer, when the page last heard of it
  y: number;
  over?: Landing; // what it was over last, other than itself
}

/** An element of a list, as it stood when the drag began. */
interface Item {
  element: Element;
  around: Map<Element, DOMRect>; // where its siblings stood
  place: [Element | null, Element | null]; // its parent, and what came next
  words: string; // that it says
}

/** How what lies under the pointer has moved: a picture of what is dragged goes along. */
interface Seen {
  rect: DOMRect;
  x: number;
  y: number;
  along: number; // how often it went along with the pointer
  apart: number; // how often it did not
}

/** Where something was let go: the element, where it stood, and the point. */
export interface Landing {
  element: Element;
  rect: DOMRect;
  x: number;
  y: number;
  target?: Target | undefined; // as it was before
}

interface From {
  element: Element;
  hit: Element;
  rect: DOMRect; // where it stood
  x: number;
  y: number;
  drag?: Dragging;
}

/** More are not looked at: siblings of the dragged element, and what is below the pointer. */
const MOST_AROUND = 200;
const MOST_BELOW = 12;

/** How far above its handle an item of a list may be. */
const ITEM_HEIGHT = 4;

/** How far above what is under the pointer the box may be that takes what is dropped. */
const DROP_HEIGHT = 3;

/** What moves by less has not moved. */
const STILL_PX = 5;

/** How far what follows the pointer may be from where it should be, in px, or as a part of the way. */
const FOLLOWS_PX = 3;
const FOLLOWS_PART = 0.25;

export function beginDrag({ element, hit, x, y }: From): Dragging {
  const items: Item[] = [];
  for (let at: Element | null = element; at && at !== document.body && items.length < ITEM_HEIGHT; at = at.parentElement) items.push(itemOf(at));
  const part = saysWhat(hit, element);
  const what = part && { part, target: describeNow(part), rect: part.getBoundingClientRect() };
  return { items, what, seen: new Map(), told: new Map(), x, y };
}

function itemOf(element: Element): Item {
  const siblings = [...(element.parentElement?.children ?? [])].slice(0, MOST_AROUND).filter((el) => el !== element);
  return { element, around: new Map(siblings.map((el) => [el, el.getBoundingClientRect()])), place: [element.parentElement, element.nextElementSibling], words: element.textContent };
}

/** Notes what lies under the pointer, before the page hears that it has moved. */
export function moveDrag(from: From, drag: Dragging, event: MouseEvent): void {
  for (const el of document.elementsFromPoint(drag.x, drag.y).slice(0, MOST_BELOW)) follow(drag, el); // a picture has come as far as the page has heard
  const below = document.elementsFromPoint(event.clientX, event.clientY).slice(0, MOST_BELOW);
  for (const el of below) {
    noteCovered(el);
    if (stoodAround(drag, el)) describeOnce(drag, el);
  }
  [drag.x, drag.y] = [event.clientX, event.clientY];
  const dragged = movedItem(from)?.element ?? from.element;
  const hit = below.find((el) => !dragged.contains(el) && !isPicture(from, el));
  for (let at = hit ? used(hit) : null, height = 0; at && at !== document.body && height < DROP_HEIGHT; height++, at = at.parentElement) describeOnce(drag, at);
  if (hit && hit !== dragged.parentElement) drag.over = landingOn(drag, used(hit), event);
}

/** Whether an element stood next to what is dragged. */
function stoodAround(drag: Dragging, el: Element): boolean {
  return drag.items.some(({ around }) => around.has(el));
}

/** Describes what the pointer came over, before the page makes way in it for what is dragged. */
function describeOnce(drag: Dragging, el: Element): void {
  if (!drag.told.has(el)) drag.told.set(el, describePlace(el));
}

function follow(drag: Dragging, el: Element): void {
  const rect = el.getBoundingClientRect();
  const { x, y } = drag;
  const last = drag.seen.get(el) ?? { rect, x, y, along: 0, apart: 0 };
  const way = Math.hypot(x - last.x, y - last.y);
  if (way >= 1) {
    const off = Math.hypot(rect.x - last.rect.x - (x - last.x), rect.y - last.rect.y - (y - last.y));
    if (off <= Math.max(FOLLOWS_PX, FOLLOWS_PART * way) && off < way) last.along++;
    else last.apart++;
  }
  drag.seen.set(el, { ...last, rect, x, y });
}

/** Whether an element goes along with the pointer. */
function goesAlong(seen: Seen | undefined): boolean {
  return seen !== undefined && seen.along > 0 && seen.along >= seen.apart;
}

/** Whether the pointer has left the place where an element stood. */
function hasLeft({ left, right, top, bottom }: DOMRect, { clientX: x, clientY: y }: MouseEvent): boolean {
  return x < left || x > right || y < top || y > bottom;
}

/** Whether the page drags an element: it has taken that out of its place, which the pointer has left, or has something go along with the pointer. */
export function isDragged({ element, rect, drag }: From, event: MouseEvent): boolean {
  return !!drag && ((!element.isConnected && hasLeft(rect, event)) || [...drag.seen.values()].some(goesAlong));
}

/**
 * Whether an element, or what it is in, is a picture of what is dragged: it goes along with the pointer, or the page has
 * put it where that would come to stand.
 */
function isPicture({ rect, drag }: From, el: Element): boolean {
  for (let at: Element | null = el; at && drag; at = at.parentElement) {
    if (goesAlong(drag.seen.get(at)) || (!stoodAround(drag, at) && isCopy(drag.items[0], at))) return true;
  }
  const { width, height } = el.getBoundingClientRect();
  return getComputedStyle(el).position === "fixed" && Math.abs(width - rect.width) < 2 && Math.abs(height - rect.height) < 2;
}

/** Whether an element says what an item does, which says something. */
function isCopy(item: Item | undefined, el: Element): boolean {
  return !!item && el !== item.element && el.localName === item.element.localName && /[\p{L}\p{N}]/u.test(item.words) && el.textContent === item.words;
}

export function hasMoved(element: Element, rect: DOMRect): boolean {
  if (!element.isConnected) return false;
  const now = element.getBoundingClientRect();
  return Math.hypot(now.x - rect.x, now.y - rect.y) > STILL_PX;
}

/** Whether the page has put the dragged element, or what it is the handle of, elsewhere in the document. */
export function hasChangedPlace(from: From): boolean {
  return movedItem(from) !== undefined;
}

function movedItem({ element: pressed, drag }: From): Item | undefined {
  return drag?.items.find(({ element, place: [parent, next], around }) => {
    const { parentElement, nextElementSibling } = element;
    if (!element.isConnected || (parentElement === parent && nextElementSibling === next)) return false;
    return element === pressed || (next?.isConnected !== false && (!nextElementSibling || around.has(nextElementSibling))); // what stands next to a list may be drawn again
  });
}

/** What something that the page itself drags was let go on. */
export function landing(from: From, event: PointerEvent): Landing | undefined {
  const item = movedItem(from);
  const dragged = item?.element ?? from.element;
  const went = item !== undefined || hasMoved(from.element, from.rect);
  const below = document.elementsFromPoint(event.clientX, event.clientY);
  const hit = below.find((el) => !((went || hasLeft(from.rect, event)) && dragged.contains(el)) && !isPicture(from, el)); // it may draw out what is selected
  if (item && below.some((el) => dragged.contains(el))) return droppedOn(from, dragged, event);
  return hit && droppedOn(from, hit, event);
}

/** What something was let go on, by the element that was hit. */
export function droppedOn(from: From, hit: Element, event: MouseEvent): Landing {
  const { drag } = from;
  const on = used(hit);
  const { clientX: x, clientY: y } = event;
  const item = movedItem(from);
  if (drag && item) {
    const sibling = [...item.around].find(([el, rect]) => el.isConnected && x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom);
    if (sibling && (item.element.contains(hit) || item.around.has(on) || on === item.place[0])) return { element: sibling[0], rect: sibling[1], x, y, target: drag.told.get(sibling[0]) };
    if (item.element.contains(hit) && drag.over) return drag.over;
  }
  return { element: on, rect: on.getBoundingClientRect(), x, y, target: drag?.told.get(on) };
}

function landingOn(drag: Dragging, element: Element, { clientX: x, clientY: y }: MouseEvent): Landing {
  return { element, rect: element.getBoundingClientRect(), x, y, target: drag.told.get(element) };
}
