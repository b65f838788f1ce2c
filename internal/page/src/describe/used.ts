// What a person means who presses somewhere.

import { composedParent, editingHost, headOver, isVisible, rootOf } from "../dom/elements";
import { INTERACTIVE, nameOf, roleOf } from "../dom/names";
import { testIdOf } from "../locate/selector";
import { CHOICES, heldBy, textOf } from "./item";
import { titleOfCard } from "./title";

/** How far above a part of a box that is drawn for a field that box is. */
const FIELD_HEIGHT = 3;

/** The field that a box is drawn for, as that of a list which filters what it shows; null where it holds none, or several. */
export function onlyField(el: Element): Element | null {
  for (let at: Element | null = el, height = 0; at && height <= FIELD_HEIGHT; at = at.parentElement, height++) {
    let only: Element | null = null;
    for (const field of at.querySelectorAll('input:not([type="hidden"]),select,textarea,[role="combobox"]')) {
      if (!nameOf(field)) continue;
      if (only) return null;
      only = field;
    }
    if (only) return only;
  }
  return null;
}

/** What a person means who presses here: the button, not the picture on it. */
export function used(hit: Element): Element {
  for (let el: Element | null = hit; el; el = composedParent(el)) {
    if ((CHOICES.has(roleOf(el)) || /^(?:listbox|menu)$/.test(roleOf(el))) && el.matches("ul,ol")) return hit.closest("li") ?? hit; // it holds the items
    if (INTERACTIVE.has(roleOf(el)) || el instanceof HTMLInputElement || el.localName === "label" && !drawsChoice(el) || el.localName === "summary") return openerIn(el, hit) ?? heldBy(el, hit) ?? closedList(el) ?? el;
    if ((el as HTMLElement).isContentEditable) return editingHost(el);
  }
  return titledAround(hit) ?? iconAround(hit) ?? markedAround(hit) ?? listIn(hit) ?? sayingAround(hit) ?? slotted(hit) ?? titleOfCard(hit) ?? hit;
}

/** What has the text in it that a slot shows, which has no box of its own; null where there is none. */
function slotted(hit: Element): Element | null {
  const shown = hit instanceof HTMLSlotElement ? hit.assignedNodes({ flatten: true }) : [];
  return shown.find((node) => node instanceof Text && node.data.trim() !== "")?.parentElement ?? null;
}

/** Whether a label is a part of a component that is one of several to choose from. */
function drawsChoice(label: Element): boolean {
  const root = label.getRootNode();
  return root instanceof ShadowRoot && (roleOf(root.host) === "radio" || CHOICES.has(roleOf(root.host)));
}

/** What opens an item of a tree, where that was pressed: a press on its words chooses it. */
function openerIn(item: Element, hit: Element): Element | null {
  if (roleOf(item) !== "treeitem" || item.ariaExpanded === null || textOf(hit) !== "" || textOf(item) === "") return null;
  let opener = hit;
  while (opener.parentElement && textOf(opener.parentElement) === "") opener = opener.parentElement;
  return opener;
}

/** The list of which only the chosen option is shown, where that was pressed: it opens so. */
function closedList(option: Element): Element | null {
  const list = roleOf(option) === "option" ? option.closest('[role="listbox"]:is([aria-haspopup],[aria-expanded]):not([aria-expanded="true"])') : null;
  return list?.querySelectorAll('[role="option"]').length === 1 ? list : null;
}

/** What has the words that something empty is laid over, as over a day that is drawn round under the mouse. */
function sayingAround(hit: Element): Element | null {
  const words = hit.matches("div:empty:not([title],[aria-label]),span:empty:not([title],[aria-label])") ? hit.parentElement : null;
  return words && [...words.childNodes].some((node) => node instanceof Text && node.data.trim() !== "") ? words : null;
}

/** The highest box that is drawn for a field of one line, in pixels. */
const FIELD_PX = 80;

/** The field that opens a list where all of a small box does so for it, and nothing else in that is pressed. */
function listIn(hit: Element): Element | null {
  if (hit.getBoundingClientRect().height > FIELD_PX || hit.querySelector("button,a[href],[role=button]")) return null;
  const [one, other] = hit.querySelectorAll("input,[role=combobox]");
  const field = one && (onlyField(hit) ?? (other || nameOf(one) || !headOver(one) ? null : one)); // the head of its column tells it
  if (!field || !isVisible(field) || !(roleOf(field) === "combobox" || field.matches('[aria-haspopup="listbox"]'))) return null;
  const { x, y, width, height } = field.getBoundingClientRect();
  return rootOf(field).elementFromPoint(x + width / 2, y + height / 2) === field ? field : null; // else it cannot be pressed
}

/** How far above what says nothing of itself the box may be that its author has named. */
const MARKED_HEIGHT = 4;

/** The box with a test id around something empty: an empty cell is that of its column, whatever it is drawn with. */
function markedAround(hit: Element): Element | null {
  let at: Element | null = hit.matches("div,span,p,td,li") ? hit : null; // what draws something is itself
  for (let height = 0; at && height <= MARKED_HEIGHT && textOf(at) === ""; height++, at = at.parentElement) if (testIdOf(at)) return at;
  return null;
}

/** A drawing no larger than this, in pixels, is one sign; the shapes of a larger one may mean something each. */
const LARGEST_ICON = 64;

/** How far above a sign the box may be that its author has named. */
const TITLED_HEIGHT = 2;

/** The small box with a title around a sign that says nothing. */
function titledAround(hit: Element): Element | null {
  let at: Element | null = hit.matches("[title],[aria-label]") ? null : hit;
  for (let height = 0; at && height <= TITLED_HEIGHT && textOf(at) === "" && at.getBoundingClientRect().height <= FIELD_PX; height++, at = at.parentElement) if (at.matches("[title],[aria-label]") && !at.querySelector("input,select,textarea")) return at;
  return null;
}

/** The icon that a shape is part of: a line has no height, and pages draw another shape for another state. */
function iconAround(hit: Element): Element | null {
  const icon = hit instanceof SVGElement ? hit.ownerSVGElement : null;
  if (!icon) return null;
  const { width, height } = icon.getBoundingClientRect();
  return Math.max(width, height) <= LARGEST_ICON ? icon : null;
}
