// What the mouse opens on its way to a press: a menu that a script draws at the end of the document, when the pointer
// rests on an item elsewhere, or within that item. One that is there unseen needs no step: it is opened when it is looked for.

import { composedParent, elementsIn, isVisible } from "../dom/elements";

/** An element that the mouse came over, and which layers of the document were shown then. */
interface Passed {
  over: Element;
  shown: Set<Element>;
  item: Element | null; // that it is in, which held no menu then
}

const ITEM = "li";
const MENU_WITHIN = "ul,[role=menu]";

/** How many are remembered, and how many layers are looked at. */
const KEPT = 16;
const MOST_LAYERS = 100;
const MOST_PARTS = 10;
const DEPTH = 3;

let passed: Passed[] = []; // since something was done last
let held = false;

/**
 * Notes what the mouse comes over, unless a button is held: nothing is passed on the way to a press then, and Chrome loses the release
 * where the layout is asked for while it comes over what the press has changed.
 */
export function notePassed(over: Element): void {
  if (held || passed.at(-1)?.over === over) return;
  const layers = [...(document.body?.children ?? [])].slice(-MOST_LAYERS);
  const item = over.closest(ITEM);
  passed.push({ over, shown: new Set(layers.filter((layer) => isShown(layer))), item: item?.querySelector(MENU_WITHIN) ? null : item });
  if (passed.length > KEPT) passed.shift();
}

/** Whether something of a layer is shown: one that only holds what is placed elsewhere has no size itself. */
function isShown(layer: Element, depth = 0): boolean {
  return isVisible(layer) || (depth < DEPTH && elementsIn(layer, MOST_PARTS).some((part) => isShown(part, depth + 1)));
}

export function forgetPassed(): void {
  passed = [];
}

/** A button is held from now on, or no more. */
export function holdPassed(yes: boolean): void {
  forgetPassed();
  held = yes;
}

/** What the mouse was on when the menu opened in which something is pressed; null for what was there, or a press has opened. */
export function openedBy(hit: Element): Element | null {
  const within = passed.findLast(({ item, over }) => over.isConnected && item?.querySelector(MENU_WITHIN)?.contains(hit));
  if (within) return within.over;
  const layer = layerOf(hit);
  if (!layer) return null;
  const opener = passed.findLast(({ over, shown }) => !shown.has(layer) && over.isConnected && layerOf(over) !== layer)?.over;
  return opener && isMenu(layer) && !isLarge(opener) ? opener : null;
}

/** Whether the mouse only happened to be on a part of the page, as where a press has opened something that came late. */
function isLarge(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  return width * height > LARGE * innerWidth * innerHeight;
}

/** The part of the window that no item of a menu takes up. */
const LARGE = 0.2;

function layerOf(el: Element): Element | null {
  let at: Element | null = el;
  while (at && at.parentElement !== document.body) at = composedParent(at);
  return at;
}

const MENUS = "[role=menu],[role=listbox],[class*=menu i],[class*=dropdown i],[class*=popper i],[class*=popup i],[class*=popover i],[class*=flyout i]";

function isMenu(layer: Element): boolean {
  return layer.matches(MENUS) || layer.querySelector(MENUS) !== null;
}
