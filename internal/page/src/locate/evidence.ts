// What an element shows: of itself (what it is called, what it leads to, what it is made
// of), and of what is around it (its row, its heading, its neighbours, its containers).
// All of it is read without styles and in bounded time, as it is read of many elements at
// once, and all of it is hashed, as it goes into the document.

import { isPassing } from "../dom/calm";
import { attributesOf, boxOf, idOf, labelsOf, normalize, perPass, type Root, rootOf } from "../dom/elements";
import { isValueOf, roleOf, shownText } from "../dom/names";
import { repeatsSecret } from "../secret/secrets";
import { isGenerated, isGeneratedClass, isStateClass } from "./generated";
import { isNumbered } from "./numbered";
import { isTestId, testIdOf } from "./selector";
import {
  type AroundFeature, CLASSES_ABOVE, type Feature, HIGHEST_ABOVE, HIGHEST_AROUND, LONGEST_AROUND, LONGEST_LABEL,
  LONGEST_VALUE, MOST_ABOVE, MOST_ATTRIBUTES, MOST_CLASSES, MOST_LANDMARKS, MOST_OPTIONS, MOST_PICTURES,
  MOST_WORDS, NEIGHBOUR_LENGTH, NEIGHBOUR_LEVELS, NEIGHBOUR_STEPS, type OwnFeature,
} from "./weights";

/** Hashes by the name of a feature; one that an element does not have is absent, and one that repeats a secret has none. */
export type Evidence = Partial<Record<Feature, readonly string[]>>;

/** Features of which each word is hashed, and not the whole. */
const TEXTS = new Set<Feature>(["placeholder", "label", "text", "options", "row", "heading", "before", "after"]);

export const ITSELF: Record<OwnFeature, (el: Element) => string[]> = {
  testid: (el) => one(markOf(el)),
  id: (el) => one(isNumbered(el, "id") ? "" : stable(idOf(el))),
  name: (el) => one(nameOf(el)),
  href: (el) => one(addressOf(el)),
  placeholder: (el) => one(el.getAttribute("placeholder") ?? ""),
  label: (el) => one(labelOf(el)),
  text: (el) => one(besidesLabel(el)),
  options: (el) => one(optionsOf(el)),
  type: (el) => one(typeOf(el)),
  tag: (el) => one(el.localName),
  class: classesOf,
  inner: innerOf,
  other: otherOf,
};

function one(value: string): string[] {
  return value ? [value] : [];
}

function markOf(el: Element): string {
  const marked = testIdOf(el);
  return marked && !isNumbered(el, marked.attribute) ? marked.value : "";
}

function stable(token: string): string {
  return token && isGenerated(token) ? "" : token;
}

/** What an author calls it; a number in the name of a radio is that of its question, and another where one was added before it. */
function nameOf(el: Element): string {
  const name = el.getAttribute("name") ?? "";
  return el.getAttribute("type") === "radio" && /\d/.test(name) ? "" : stable(name);
}

/** Where a link leads, without what changes from visit to visit; "" where it leads nowhere. */
function addressOf(el: Element): string {
  const href = (el.getAttribute("href") ?? el.getAttribute("xlink:href") ?? "").trim();
  return /^(#!?$|javascript:)/.test(href) ? "" : href.replace(/(.)[?#].*$/, "$1");
}

/** As a button is one by any name, its type tells nothing. */
function typeOf(el: Element): string {
  if (el.localName !== "input" && el.localName !== "select") return "";
  const { type } = el as HTMLInputElement | HTMLSelectElement;
  return isButtonType(type) ? "" : type;
}

function isButtonType(type: string): boolean {
  return type === "submit" || type === "button" || type === "reset" || type === "image";
}

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

/** What can be read in an element that is called something else. */
function besidesLabel(el: Element): string {
  return !holdsValue(el) && (el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby")) ? ownText(el) : "";
}

function referenced(el: Element): string {
  const ids = el.getAttribute("aria-labelledby");
  if (!ids) return "";
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.trim().split(/\s+/).map((id) => root.getElementById(id)).map((ref) => (ref && !isValueOf(ref, el) ? shownText(ref, LONGEST_LABEL) : "")).join(" ").trim();
}

function ownText(el: Element): string {
  if (roleOf(el) === "combobox") return ""; // what is chosen in it
  return normalize(shownText(el, LONGEST_LABEL));
}

function pictured(el: Element): string {
  const inner = el.firstElementChild && el.querySelector("[alt],[aria-label],[title],title");
  return inner ? normalize(inner.getAttribute("alt") ?? inner.getAttribute("aria-label") ?? inner.getAttribute("title") ?? inner.textContent) : "";
}

function optionsOf(el: Element): string {
  if (!(el instanceof HTMLSelectElement)) return "";
  return Array.from({ length: Math.min(el.length, MOST_OPTIONS) }, (_, i) => el.item(i)?.text).join(" ");
}

/** Whether what is in it was typed or chosen by the user. */
export function holdsValue(el: Element): boolean {
  switch (el.localName) {
    case "input": return !isButtonType((el as HTMLInputElement).type);
    case "textarea": case "select": return true;
    default: return el.hasAttribute("contenteditable");
  }
}

const classesSaid = perPass<string, string[]>();

function classesOf(el: Element): string[] {
  const said = el.getAttribute("class");
  return said ? classesSaid(said, () => [...el.classList].filter((name) => !isGeneratedClass(name) && !isStateClass(name) && !isPassing(el, name)).slice(0, MOST_CLASSES)) : [];
}

/** Icons and pictures, by which a button without words is known; one that a script has made has another address at each visit. */
function innerOf(el: Element): string[] {
  if (!el.firstElementChild && el.localName !== "img") return pictureOf(el);
  const found: string[] = pictureOf(el);
  for (const inner of el.querySelectorAll("svg,use,path,img,i,span[class],[aria-hidden=true]")) {
    found.push(...pictureOf(inner), ...ligatureOf(inner));
    if (found.length >= MOST_PICTURES) break;
  }
  return found.slice(0, MOST_PICTURES);
}

function pictureOf(el: Element): string[] {
  switch (el.localName) {
    case "img": return compact((el.getAttribute("src") ?? "").replace(/^blob:.*/, "").replace(/[?#].*$/, "").split("/").at(-1));
    case "input": return compact((el as HTMLInputElement).type === "image" ? el.getAttribute("src") : "");
    case "use": return compact(el.getAttribute("href") ?? el.getAttribute("xlink:href"));
    case "path": return compact(el.getAttribute("d"));
    case "i": case "svg": case "span": return [...classesOf(el).map((name) => `.${name}`), ...[...el.attributes].filter(({ name }) => name.includes("icon")).flatMap(({ value }) => compact(value))];
  }
  return [];
}

/** The name by which a font draws a picture: hidden from those who hear the page. */
function ligatureOf(el: Element): string[] {
  return el.getAttribute("aria-hidden") === "true" && !el.firstElementChild ? compact(normalize(el.textContent)) : [];
}

function compact(text: string | null | undefined): string[] {
  return text ? [text.slice(0, LONGEST_VALUE)] : [];
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
  for (const { name, value } of attributesOf(el)) {
    if (NOT_TELLING.has(name) || isTestId(name) || name.startsWith("data-v-") || name.startsWith("_ng") || value.length > LONGEST_VALUE) continue;
    if (name === "value" && !VALUE_IS_LABEL.has((el as HTMLInputElement).type)) continue;
    if (isGenerated(value)) continue;
    found.push(`${name}=${value}`);
    if (found.length >= MOST_ATTRIBUTES) break;
  }
  return found;
}

const AROUND: Record<AroundFeature, (el: Element) => string[]> = {
  row: (el) => one(rowOf(el)),
  heading: (el) => one(headingOf(el)),
  before: (el) => one(neighbour(el, "previousSibling")),
  after: (el) => one(neighbour(el, "nextSibling")),
  landmark: landmarksOf,
  above: aboveOf,
  place: (el) => one(placeOf(el)),
};

/** The words of the item that it is in: a row of a table, an entry of a list, a card among others. */
function rowOf(el: Element): string {
  const cell = el.closest('[role="gridcell"][aria-rowindex]');
  if (cell && !cell.closest('tr,[role="row"]')) return ofNumber(cell, el); // a grid that draws its columns
  let at: Element | null = el;
  for (let height = 0; at && height < HIGHEST_AROUND; height++, at = at.parentElement) {
    if (!isItem(at)) continue;
    const says = at === el ? "" : `${shownText(at, LONGEST_AROUND, el)} ${termOf(at)}`;
    return says.trim() || at === el ? says : besideRow(at);
  }
  return "";
}

/** What the cells of the row of a cell say, by its number. */
function ofNumber(cell: Element, but: Element): string {
  const row = [...(cell.closest('[role="grid"],[role="treegrid"]') ?? cell.ownerDocument).querySelectorAll(`[role="gridcell"][aria-rowindex="${CSS.escape(cell.getAttribute("aria-rowindex") ?? "")}"]`)];
  return row.map((other) => shownText(other, LONGEST_AROUND, but)).join(" ").slice(0, LONGEST_AROUND);
}

/** What the rest of a row says that a grid draws in another table, at the same height. */
function besideRow(row: Element): string {
  const table = row.closest("table");
  const { top, height } = boxOf(row);
  let at = table?.parentElement;
  for (let up = 0; table && at && up < HIGHEST_AROUND; up++, at = at.parentElement) {
    const rest = [...at.querySelectorAll("tr")].filter((other) => !table.contains(other) && Math.abs(boxOf(other).top - top) < 1 && Math.abs(boxOf(other).height - height) < 1);
    if (rest.length) return rest.map((other) => shownText(other, LONGEST_AROUND)).join(" ").slice(0, LONGEST_AROUND);
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
  return isNear(el, first, "nextElementSibling") || isNear(el, first, "previousElementSibling");
}

/** Whether there is another like it close by: a note may stand between them. */
function isNear(el: Element, first: string, side: "nextElementSibling" | "previousElementSibling"): boolean {
  for (let at = el[side], steps = 0; at && steps < NEIGHBOUR_STEPS; at = at[side], steps++) {
    if (at.localName === el.localName && at.classList.contains(first)) return true;
  }
  return false;
}

const headingsByRoot = perPass<Root, Element[]>();

/** The heading that it stands under: the first in the nearest ancestor that has one before it. */
function headingOf(el: Element): string {
  const all = headingsByRoot(rootOf(el), () => headingsIn(rootOf(el)));
  let at = el.parentElement;
  for (let height = 0; at && height < HIGHEST_AROUND; height++, at = at.parentElement) {
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

/** What is read next to an element; another that says the same says nothing. */
function neighbour(el: Element, side: "previousSibling" | "nextSibling"): string {
  const words = nextTo(el, side);
  return words === labelOf(el) ? "" : side === "previousSibling" ? words.slice(-NEIGHBOUR_LENGTH) : words.slice(0, NEIGHBOUR_LENGTH);
}

function nextTo(el: Element, side: "previousSibling" | "nextSibling"): string {
  let at: Element | null = el;
  for (let level = 0; at && level < NEIGHBOUR_LEVELS; level++, at = at.parentElement) {
    if (at !== el && isItem(at)) return "";
    for (let node: Node | null = at[side], steps = 0; node && steps < NEIGHBOUR_STEPS; node = node[side], steps++) {
      if (at !== el && node instanceof Element && node.localName === at.localName && node.querySelector(el.localName)) return ""; // another box like its own
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
  for (; at && found.length < MOST_LANDMARKS; at = at.parentElement?.closest(LANDMARKS)) {
    found.push(`${roleOf(at) || at.localName} ${at.getAttribute("aria-label") ?? stable(at.getAttribute("name") ?? idOf(at))}`);
  }
  return found;
}

/** Ids, labels and classes of what it stands in: as many as a wrapper more or less does not change much. Those with numbers may only count. */
function aboveOf(el: Element): string[] {
  const found: string[] = [];
  let at = el.parentElement;
  for (let height = 0; at && height < HIGHEST_ABOVE && at !== at.ownerDocument.body; height++, at = at.parentElement) {
    const [label, mark] = [normalize(at.getAttribute("aria-label")), testIdOf(at)?.value];
    if (idOf(at) && isLasting(idOf(at))) found.push(`#${idOf(at)}`);
    if (mark && isLasting(mark)) found.push(`[${mark}]`);
    if (label) found.push(`=${label}`);
    for (const name of classesOf(at).slice(0, CLASSES_ABOVE)) if (isLasting(name)) found.push(`.${name}`);
  }
  return [...new Set(found)].slice(0, MOST_ABOVE);
}

/** Whether a name stays with a box that moves, or when another is removed. */
function isLasting(name: string): boolean {
  return !/\d/.test(name) && !PLACES.test(name) && !isGenerated(name);
}

/** Names of where something stands among others. */
const PLACES = /^(is-|has-)?(first|last|odd|even|alt|alternate|left|right|top|bottom|middle|next|prev(ious)?)$/i;

/** Which it is among its siblings of the same tag, and of how many. */
function placeOf(el: Element): string {
  let index = 0;
  let count = 1;
  for (let at = el.previousElementSibling; at; at = at.previousElementSibling) if (at.localName === el.localName) index++;
  count += index;
  for (let at = el.nextElementSibling; at; at = at.nextElementSibling) if (at.localName === el.localName) count++;
  return `${index}/${count}`;
}

/** A text besides a label is compared as one, where it became one. */
export const OWN_FEATURES = (Object.keys(ITSELF) as OwnFeature[]).filter((feature) => feature !== "text");
export const AROUND_FEATURES = Object.keys(AROUND) as AroundFeature[];

export function ownOf(el: Element, key: string): Evidence {
  return readAll(ITSELF, el, key);
}

export function aroundOf(el: Element, key: string): Evidence {
  return readAll(AROUND, el, key);
}

export function sameOwn(a: Evidence, b: Evidence): boolean {
  return OWN_FEATURES.every((feature) => same(a[feature], b[feature]));
}

export function same(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((h, i) => h === b[i]);
}

function readAll(readers: Partial<Record<Feature, (el: Element) => string[]>>, el: Element, key: string): Evidence {
  const evidence: Evidence = {};
  for (const [feature, read] of Object.entries(readers)) {
    const values = read(el);
    const quotable = values.filter((value) => !repeatsSecret(value));
    const hashes = hashed(feature as Feature, quotable, key);
    if (hashes.length || quotable.length < values.length) evidence[feature as Feature] = hashes;
  }
  return evidence;
}

function hashed(feature: Feature, values: string[], key: string): string[] {
  return TEXTS.has(feature) ? [...new Set(values.flatMap((text) => hashWords(key, text)))] : values.map((value) => hash(key, value));
}

/** The length of one hash, in characters. */
const HASH_LENGTH = 4;

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over the key and the text, folded to 16 bits. */
export function hash(key: string, text: string): string {
  let h = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (((h >>> 16) ^ h) & 0xffff).toString(16).padStart(HASH_LENGTH, "0");
}

/** The hashes of a text's words. Numbers are marked: they change where words stay. */
function hashWords(key: string, text: string): string[] {
  const words = normalize(text).toLowerCase().split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).slice(0, MOST_WORDS);
  return words.map((word) => (isNumeric(word) ? asNumber(hash(key, word)) : hash(key, word)));
}

/** Whether a word is a number, or a time as machines write it. */
function isNumeric(word: string): boolean {
  const letters = word.match(/\p{L}/gu)?.length ?? 0;
  return letters * DIGITS_EACH <= (word.match(/\p{N}/gu)?.length ?? 0);
}

/** So many digits a letter make a word a number. */
const DIGITS_EACH = 4;

/** The same digits in letters: from g for 0 to v for 15. */
function asNumber(hashed: string): string {
  return hashed.replace(/./g, (digit) => String.fromCharCode(FIRST_NUMBER + parseInt(digit, 16)));
}

const FIRST_NUMBER = "g".charCodeAt(0);

/** Whether a hash is of a number. */
export function isNumber(hashed: string): boolean {
  return hashed.charCodeAt(0) >= FIRST_NUMBER;
}

/** Hashes as a document keeps them, and back. */
export function pack(hashes: readonly string[]): string {
  return hashes.join("");
}

export function unpack(packed: string): string[] {
  return packed.match(/.{4}/g) ?? [];
}
