// What an element shows: of itself, and of what stands around it. All of it is
// read without styles and in bounded time, as it is read of many elements at once,
// and all of it is hashed, as it goes into the document.

import { roleOf } from "./aria";
import { labelsOf, normalize } from "./dom";
import { isGenerated } from "./generated";
import { hash, hashWords } from "./hash";
import { once, pass } from "./pass";
import { repeatsSecret } from "./sensitive";
import { isTestId, testIdOf } from "./testid";
import { shownText } from "./text";

/** Hashes by the name of a feature; a feature that an element does not have is absent. */
export type Evidence = Partial<Record<Feature, readonly string[]>>;

export type OwnFeature = "testid" | "id" | "name" | "href" | "placeholder" | "label" | "options" | "type" | "tag" | "class" | "inner" | "other";
export type AroundFeature = "row" | "heading" | "before" | "after" | "landmark" | "above" | "place";
export type Feature = OwnFeature | AroundFeature;

/** What an element shows, before it is hashed. */
type Reader = (el: Element) => string[];

const OWN: Record<OwnFeature, Reader> = {
  testid: (el) => one(testIdOf(el)?.value ?? ""),
  id: (el) => one(stable(el.id)),
  name: (el) => one(stable(el.getAttribute("name") ?? "")),
  href: (el) => one(addressOf(el)),
  placeholder: (el) => one(el.getAttribute("placeholder") ?? ""),
  label: (el) => one(labelOf(el)),
  options: (el) => one(optionsOf(el)),
  type: (el) => one(typeOf(el)),
  tag: (el) => one(el.localName),
  class: classesOf,
  inner: innerOf,
  other: otherOf,
};

const AROUND: Record<AroundFeature, Reader> = {
  row: (el) => one(rowOf(el)),
  heading: (el) => one(headingOf(el)),
  before: (el) => one(neighbour(el, "previousSibling")),
  after: (el) => one(neighbour(el, "nextSibling")),
  landmark: landmarksOf,
  above: aboveOf,
  place: (el) => one(placeOf(el)),
};

/** Features of which each word is hashed, and not the whole. */
const TEXTS = new Set<Feature>(["placeholder", "label", "options", "row", "heading", "before", "after"]);

export const OWN_FEATURES = Object.keys(OWN) as OwnFeature[];
export const AROUND_FEATURES = Object.keys(AROUND) as AroundFeature[];

export function ownOf(el: Element, key: string): Evidence {
  return readAll(OWN, el, key);
}

export function aroundOf(el: Element, key: string): Evidence {
  return readAll(AROUND, el, key);
}

/** Own features by what it costs to see that they differ. */
const CHEAPEST_FIRST: OwnFeature[] = ["tag", "type", "name", "href", "id", "class", "label", "options", "placeholder", "testid", "other", "inner"];

/** Of elements in the order of the page those that say of themselves what one of them says, it among them. */
export function twinsOf(el: Element, all: readonly Element[], key: string): Element[] {
  const own = CHEAPEST_FIRST.map((feature) => ({ feature, says: OWN[feature](el) }));
  const labelled = holdsValue(el) || el.hasAttribute("aria-labelledby"); // what is elsewhere says something of it
  const isTwin = (other: Element) => (!labelled && el.isEqualNode(other)) || own.every(({ feature, says }) => saysSame(feature, OWN[feature](other), says, key));
  return all.filter((other) => other === el || isTwin(other));
}

/** Whether two values have the same hashes; those that are the same need none. */
function saysSame(feature: Feature, a: string[], b: string[], key: string): boolean {
  return same(a, b) || (TEXTS.has(feature) && a.length === b.length && same(hashed(feature, a, key), hashed(feature, b, key)));
}

export function sameOwn(a: Evidence, b: Evidence): boolean {
  return OWN_FEATURES.every((feature) => same(a[feature], b[feature]));
}

export function same(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((h, i) => h === b[i]);
}

function readAll(readers: Partial<Record<Feature, Reader>>, el: Element, key: string): Evidence {
  const evidence: Evidence = {};
  for (const [feature, read] of Object.entries(readers)) {
    const hashes = hashed(feature as Feature, read(el), key);
    if (hashes.length) evidence[feature as Feature] = hashes;
  }
  return evidence;
}

/** What goes into a document: nothing of what repeats a secret, not even as a hash. */
function hashed(feature: Feature, values: string[], key: string): string[] {
  const quotable = values.filter((value) => !repeatsSecret(value));
  return TEXTS.has(feature) ? [...new Set(quotable.flatMap((text) => hashWords(key, text)))] : quotable.map((value) => hash(key, value));
}

function one(value: string): string[] {
  return value ? [value] : [];
}

function stable(token: string): string {
  return isGenerated(token) ? "" : token;
}

// Of itself

/** Where a link leads, without what changes from visit to visit; "" where it leads nowhere. */
function addressOf(el: Element): string {
  const href = (el.getAttribute("href") ?? el.getAttribute("xlink:href") ?? "").trim();
  return /^(#!?$|javascript:)/.test(href) ? "" : href.replace(/(.)[?#].*$/, "$1");
}

/** As a button is one by any name, its type tells nothing. */
function typeOf(el: Element): string {
  if (el instanceof HTMLInputElement) return isButtonType(el.type) ? "" : el.type;
  return el instanceof HTMLSelectElement ? el.type : "";
}

function isButtonType(type: string): boolean {
  return type === "submit" || type === "button" || type === "reset" || type === "image";
}

/** Longest text that is read as a label: longer ones are prose. */
const LONGEST_LABEL = 200;

/** What an element is called, near enough to its accessible name, and read at a fraction of its cost. */
export function labelOf(el: Element): string {
  return (
    normalize(el.getAttribute("aria-label")) ||
    referenced(el) ||
    (holdsValue(el) ? labelsOf(el).map((label) => shownText(label, LONGEST_LABEL)).join(" ") : ownText(el)) ||
    normalize(el.getAttribute("alt")) ||
    normalize(el.getAttribute("title")) ||
    pictured(el)
  );
}

function referenced(el: Element): string {
  const ids = el.getAttribute("aria-labelledby");
  if (!ids) return "";
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.trim().split(/\s+/).map((id) => root.getElementById(id)).map((ref) => (ref ? shownText(ref, LONGEST_LABEL) : "")).join(" ").trim();
}

function ownText(el: Element): string {
  return normalize(shownText(el, LONGEST_LABEL));
}

function pictured(el: Element): string {
  const inner = el.firstElementChild && el.querySelector("[alt],[aria-label],[title],title");
  return inner ? normalize(inner.getAttribute("alt") ?? inner.getAttribute("aria-label") ?? inner.getAttribute("title") ?? inner.textContent) : "";
}

/** How many of a list's choices are read. */
const MOST_OPTIONS = 8;

function optionsOf(el: Element): string {
  if (!(el instanceof HTMLSelectElement)) return "";
  return Array.from({ length: Math.min(el.length, MOST_OPTIONS) }, (_, i) => el.item(i)?.text).join(" ");
}

/** Whether what is in it was typed or chosen by somebody. */
export function holdsValue(el: Element): boolean {
  if (el instanceof HTMLInputElement) return !isButtonType(el.type);
  return el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement || el.hasAttribute("contenteditable");
}

function classesOf(el: Element): string[] {
  const said = el.getAttribute("class");
  return said ? once(pass()?.classes, said, () => [...el.classList].filter((name) => !isGenerated(name) && !STATES.test(name)).slice(0, 12)) : [];
}

/** Classes that come and go while a page is used. */
const STATES = /^(is-|has-)?(active|focus(ed)?|hover(ed)?|open(ed)?|show(n)?|shown|selected|checked|disabled|loading|loaded|collapsed|expanded|current|visited|invalid|valid|dirty|pristine|touched|untouched)$/i;

/** Icons and pictures, by which a button without words is known. */
function innerOf(el: Element): string[] {
  if (!el.firstElementChild && el.localName !== "img") return pictureOf(el);
  const found: string[] = pictureOf(el);
  for (const inner of el.querySelectorAll("svg,use,path,img,i,span[class]")) {
    found.push(...pictureOf(inner));
    if (found.length >= 8) break;
  }
  return found.slice(0, 8);
}

function pictureOf(el: Element): string[] {
  switch (el.localName) {
    case "img": return compact((el.getAttribute("src") ?? "").replace(/[?#].*$/, "").split("/").at(-1));
    case "input": return compact((el as HTMLInputElement).type === "image" ? el.getAttribute("src") : "");
    case "use": return compact(el.getAttribute("href") ?? el.getAttribute("xlink:href"));
    case "path": return compact(el.getAttribute("d"));
    case "i": case "svg": case "span": return classesOf(el).map((name) => `.${name}`);
    default: return [];
  }
}

function compact(text: string | null | undefined): string[] {
  return text ? [text.slice(0, 200)] : [];
}

/** Attributes that are read apart, that tell of a state, or that only say how it looks. */
const NOT_TELLING = new Set([
  "id", "class", "style", "name", "href", "placeholder", "type", "aria-label", "aria-labelledby", "alt", "src", "srcset", "role", "tabindex",
  "aria-expanded", "aria-selected", "aria-checked", "aria-pressed", "aria-current", "aria-hidden", "aria-busy", "aria-invalid", "aria-disabled",
  "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant", "checked", "selected", "disabled", "open", "hidden", "inert", "readonly", "width", "height",
  "xmlns", "d", "viewBox", "fill", "stroke",
]);
/** Where `value` is a label and not what a person typed. */
const VALUE_IS_LABEL = new Set(["submit", "button", "reset", "radio", "checkbox"]);

function otherOf(el: Element): string[] {
  const found: string[] = [];
  for (const { name, value } of el.attributes) {
    if (NOT_TELLING.has(name) || isTestId(name) || name.startsWith("data-v-") || name.startsWith("_ng") || value.length > 200) continue;
    if (name === "value" && !VALUE_IS_LABEL.has((el as HTMLInputElement).type)) continue;
    if (isGenerated(value)) continue;
    found.push(`${name}=${value}`);
    if (found.length >= 8) break;
  }
  return found;
}

// Around it

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

const HEADINGS = "h1,h2,h3,h4,h5,h6,legend,caption,[role=heading]";

/** The heading that it stands under: the first in the nearest ancestor that has one before it. */
function headingOf(el: Element): string {
  let at = el.parentElement;
  for (let height = 0; at && height < HIGHEST; height++, at = at.parentElement) {
    const heading = firstHeading(at);
    if (!heading || heading.contains(el) || el.contains(heading)) continue;
    if (heading.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING) return shownText(heading, LONGEST_AROUND);
  }
  return "";
}

function firstHeading(at: Element): Element | null {
  return once(pass()?.headings, at, () => at.querySelector(HEADINGS));
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
