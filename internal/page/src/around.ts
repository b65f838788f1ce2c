// What stands around an element: the row that it is in, the heading that it stands
// under, what is next to it and what it stands in. Read without styles and in
// bounded time.

import { roleOf } from "./aria";
import { normalize, rootOf, type Root } from "./dom";
import { isGenerated } from "./generated";
import { classesOf, labelOf, one, stable } from "./itself";
import { once, pass } from "./pass";
import { shownText } from "./text";

export type AroundFeature = "row" | "heading" | "before" | "after" | "landmark" | "above" | "place";

export const AROUND: Record<AroundFeature, (el: Element) => string[]> = {
  row: (el) => one(rowOf(el)),
  heading: (el) => one(headingOf(el)),
  before: (el) => one(neighbour(el, "previousSibling")),
  after: (el) => one(neighbour(el, "nextSibling")),
  landmark: landmarksOf,
  above: aboveOf,
  place: (el) => one(placeOf(el)),
};

/** How far up what stands around an element is looked for. */
const HIGHEST = 10;
const LONGEST_AROUND = 120;

/** The words of the item that it is in: a row of a table, an entry of a list, a card among others. */
function rowOf(el: Element): string {
  let at: Element | null = el;
  for (let height = 0; at && height < HIGHEST; height++, at = at.parentElement) {
    if (isItem(at)) return at === el ? "" : `${shownText(at, LONGEST_AROUND, el)} ${termOf(at)}`;
  }
  return "";
}

/** The term that a description of a list belongs to. */
function termOf(el: Element): string {
  const term = el.localName === "dd" ? el.previousElementSibling : null;
  return term?.localName === "dt" ? shownText(term, LONGEST_AROUND) : "";
}

function isItem(el: Element): boolean {
  switch (el.localName) {
    case "tr": case "li": case "article": case "option": case "dd": return true;
    case "body": case "html": case "td": case "th": return false;
  }
  const role = el.getAttribute("role");
  if (role === "row" || role === "listitem" || role === "option") return true;
  const first = el.classList.item(0);
  if (!first || el.childElementCount < 2) return false;
  return likes(el.nextElementSibling, el, first) || likes(el.previousElementSibling, el, first);
}

function likes(sibling: Element | null, el: Element, first: string): boolean {
  return sibling !== null && sibling.localName === el.localName && sibling.classList.contains(first);
}

/** The heading that it stands under: the first in the nearest ancestor that has one before it. */
function headingOf(el: Element): string {
  const all = once(pass()?.headings, rootOf(el), () => headingsIn(rootOf(el)));
  let at = el.parentElement;
  for (let height = 0; at && height < HIGHEST; height++, at = at.parentElement) {
    const heading = firstWithin(at, all);
    if (!heading || heading.contains(el) || el.contains(heading)) continue;
    if (isBefore(heading, el)) return shownText(heading, LONGEST_AROUND);
  }
  return "";
}

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption"];

/** All headings of a root, in its order: one tag at a time, as a browser has them at hand. */
function headingsIn(root: Root): Element[] {
  const byTag = HEADINGS.flatMap((tag) => [...(root instanceof Document ? root.getElementsByTagName(tag) : root.querySelectorAll(tag))]);
  return [...new Set([...byTag, ...root.querySelectorAll("[role=heading]")])].sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

function isBefore(a: Element, b: Element): boolean {
  return (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** The first of a list in the order of the page that stands in an element. */
function firstWithin(at: Element, all: readonly Element[]): Element | undefined {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(at, all[middle] as Element)) high = middle;
    else low = middle + 1;
  }
  const first = all[low];
  return first && at.contains(first) ? first : undefined;
}

/** How many levels up a neighbour's words are looked for. */
const NEIGHBOUR_LEVELS = 3;

/** What is read next to an element; another that says the same says nothing. */
function neighbour(el: Element, side: "previousSibling" | "nextSibling"): string {
  const words = nextTo(el, side);
  return words === labelOf(el) ? "" : side === "previousSibling" ? words.slice(-60) : words.slice(0, 60);
}

function nextTo(el: Element, side: "previousSibling" | "nextSibling"): string {
  let at: Element | null = el;
  for (let level = 0; at && level < NEIGHBOUR_LEVELS; level++, at = at.parentElement) {
    if (at !== el && isItem(at)) return "";
    for (let node: Node | null = at[side], steps = 0; node && steps < 6; node = node[side], steps++) {
      const text = node instanceof Text ? node.data : node instanceof Element ? shownText(node, LONGEST_AROUND) : "";
      const words = normalize(text);
      if (words) return words;
    }
  }
  return "";
}

const LANDMARKS = "form,dialog,[role=dialog],nav,main,aside,header,footer,section,fieldset,table,[role=navigation],[role=toolbar],[role=tablist],[role=menu]";

function landmarksOf(el: Element): string[] {
  const found: string[] = [];
  let at = el.parentElement?.closest(LANDMARKS);
  for (; at && found.length < 3; at = at.parentElement?.closest(LANDMARKS)) {
    found.push(`${roleOf(at) || at.localName} ${at.getAttribute("aria-label") ?? stable(at.getAttribute("name") ?? at.id)}`);
  }
  return found;
}

/** Ids and classes of what it stands in: as many as a wrapper more or less does not change much. */
function aboveOf(el: Element): string[] {
  const found: string[] = [];
  let at = el.parentElement;
  for (let height = 0; at && height < 8 && at !== at.ownerDocument.body; height++, at = at.parentElement) {
    if (at.id && !isGenerated(at.id)) found.push(`#${at.id}`);
    for (const name of classesOf(at).slice(0, 3)) found.push(`.${name}`);
  }
  return [...new Set(found)].slice(0, 16);
}

/** Which it is among its siblings of the same tag, and of how many. */
function placeOf(el: Element): string {
  let index = 0;
  let count = 1;
  for (let at = el.previousElementSibling; at; at = at.previousElementSibling) if (at.localName === el.localName) index++;
  count += index;
  for (let at = el.nextElementSibling; at; at = at.nextElementSibling) if (at.localName === el.localName) count++;
  return `${index}/${count}`;
}
