// Switches and boxes that a page draws itself: elements with a role and a state, and native boxes that no one sees, with
// something prettier in their place.

import { isOfMonth } from "./calendar";
import { boxOf, isDrawn, normalize } from "./elements";

const TOGGLE = 'input[type=checkbox],[role=switch][aria-checked],[role=checkbox][aria-checked]';

/** What else may be meant by a press in the same place. */
const OTHERS = "a[href],button,select,textarea,input:not([type=checkbox]),[contenteditable],[role=button],[role=link],[role=tab],[role=option]";

/** How far above a box that no one sees what is drawn in its place stands. */
const BOX_HEIGHT = 3;

/** What is narrower or lower is nothing to press, in pixels. */
const SMALLEST = 8;

/** The element that is drawn in place of a box that no one sees; undefined for one that is seen, or has none. */
export function standInOf(toggle: Element): Element | undefined {
  if (!isUnseen(toggle)) return undefined;
  for (let at = toggle.parentElement, height = 0; at && height < BOX_HEIGHT; height++, at = at.parentElement) {
    if (at.querySelectorAll(TOGGLE).length > 1 || [...at.querySelectorAll(OTHERS)].some((other) => other !== toggle)) return undefined;
    if (isLarge(at) && isDrawn(at)) return at;
  }
  return undefined;
}

/** What has a state that a press turns over, and stands for no box. */
const PRESSED = "[aria-pressed],[role=menuitemcheckbox][aria-checked]";

/** The switch or box that a press on an element is meant for, or the button that stays pressed, where the page and not the browser sets it. */
export function toggleAt(el: Element): Element | undefined {
  const pressed = el.closest(`${PRESSED},${OTHERS}`);
  if (pressed?.matches(PRESSED)) return isOfMonth(pressed, (one) => normalize(one.textContent)) ? undefined : pressed; // a day is chosen
  const own = el.closest(TOGGLE);
  if (own) return own.hasAttribute("aria-checked") ? own : undefined;
  const labelled = el.closest(`label,${OTHERS}`) instanceof HTMLLabelElement ? el.closest("label")?.control : null;
  if (labelled?.hasAttribute("aria-checked") && labelled.matches(TOGGLE)) return labelled;
  for (let at: Element | null = el, height = 0; at && height < BOX_HEIGHT; height++, at = at.parentElement) {
    const [one, other] = at.querySelectorAll(TOGGLE);
    if (one) return !other && (standInOf(one)?.contains(el) || isNamedBy(one, el)) ? one : undefined;
  }
  return undefined;
}

/** The buttons next to one that are pressed: where one of them is let up by it, which one is pressed is a choice. */
export function pressedBeside(toggle: Element): Element[] {
  const all = toggle.hasAttribute("aria-pressed") ? [...(toggle.parentElement?.children ?? [])] : [];
  return all.filter((one) => one !== toggle && one.ariaPressed === "true");
}

/** Whether an element, or one around it, is what a switch or box is called after. */
function isNamedBy(toggle: Element, el: Element): boolean {
  return toggle.ariaLabelledByElements?.some((name) => name.contains(el)) ?? false;
}

function isUnseen(toggle: Element): boolean {
  return !isLarge(toggle) || !isDrawn(toggle, { visibilityProperty: true, opacityProperty: true }) || isClipped(toggle);
}

/** Whether a box around it shows next to nothing of what is in it. */
function isClipped(toggle: Element): boolean {
  const around = toggle.parentElement;
  return around !== null && !isLarge(around) && getComputedStyle(around).overflow !== "visible";
}

function isLarge(el: Element): boolean {
  const { width, height } = boxOf(el);
  return width >= SMALLEST && height >= SMALLEST;
}
