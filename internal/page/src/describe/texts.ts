// What the rows of a list say, and which of it tells one from the others.

import { elementsIn, firstOf, headOver, isTextEntry, isVisible, literal, normalize, placeAmongAlike, rootOf, valueOf } from "../dom/elements";
import { nameOf, shownText, textStart } from "../dom/names";
import { isPassing } from "../dom/calm";
import { isGeneratedClass, isStateClass } from "../locate/generated";
import { fits, queryPath, saysAll, shownFields } from "../locate/selector";
import { isSensitive, repeatsSecret } from "../secret/secrets";

/** The row of a control, or what else tells it from its likes. */
export interface Row {
  texts: string[]; // that tell it, the most telling first
  near: string; // the selector of the control next to one of them
  rise: number; // how many levels above the control the row is
  headed?: boolean; // the first is its heading, which names it whatever else it says
  called?: string; // what the page calls the first of them, as the head of its column does
  also?: { text: string; called?: string }; // where the first does not tell it alone
  named?: boolean; // the control has the first in its name, as "Edit Apples" has
  place?: boolean; // the control is a cell that is told from the others by its place, or by its column
  which?: string; // what tells it from the others of its row, as the head of a day's column or the number of a seat: with another it is another
  shared?: string[]; // the words of the first text that other rows say, too
  plain?: boolean; // it says one thing, has no other control and is a row by nothing but its likes: a control of a form, with its caption
  numbered?: boolean; // the control has the number of the row in its name
  alone?: boolean; // it is the only row: whether its text tells it, is not known
  held?: boolean; // the texts are held by fields of the row, which says nothing else
  hosted?: boolean; // the control is in the shadow root of what stands in the row
  across?: boolean; // the columns are what rows are elsewhere, as offers that are compared: the first is the head of one
  itself?: boolean; // the control is the field that holds the first, which is all that tells the row
  told?: string; // the cell that says the first, by its column
}

/** How far above a control its row may be. */
export const HEIGHT = 20; // a button may be a table in a table

/** More rows, and more parts of one, are not looked at. */
export const ROWS = 100;
export const PARTS = 200;

/** In so many of the others the same control is looked for. */
export const COMPARED = 12;

/** Longer texts are prose. */
export const LONGEST = 80;

/** So many texts of a row are told. */
export const TOLD = 5;

/** Roles of what is pressed, and may be drawn in a shadow root. */
export const HOSTED = new Set(["button", "link", "checkbox", "switch"]);

/** What the page calls a text, as a part of a description. */
export function calling(part: Element): { called?: string } {
  const called = calledIn(part);
  return called ? { called } : {};
}

/** What is no name of a record: a price, which changes, or a measure, a count or a size, which others have: "€ 12.50", "3 rooms", "of 3", "XL". */
const AMOUNT = /^\P{L}{0,4}\d[\d.,' ]*(?:[.,]\d\d\P{L}{0,4}|%)$|^(?:\p{Ll}{1,2} ?)?\d[\d.,]*(?:\s?\p{L}+\.?)?$|^\p{Lu}{1,3}$/u;

/** Whether a part of a row may be what its record is called: words, or a number with letters; another one, or a link next to the control, only where the row begins with it. */
export function isName(part: Element, el: Element, row: Element): boolean {
  const text = textOf(part);
  if (part.closest("[rowspan]:not([rowspan='1'])")) return false; // it is over other rows, too
  const leads = firstOf(row.getElementsByTagName("*"), PARTS).find((one) => isTextual(one) && isVisible(one)) === part;
  if (!/\p{L}/u.test(text) || part.closest("a,button")?.parentElement === el.parentElement) return leads; // else a command
  return !AMOUNT.test(text) && (/\d/.test(text) || worth(part) >= WORDS);
}

/** Whether a path names an element and no other. */
export function leadsOnlyTo(el: Element, path: readonly string[]): boolean {
  const [one, other] = queryPath(path, rootOf(el));
  return one === el && !other;
}

/** The texts with letters in a row outside its control, in their order. */
export function textsOf(el: Element, row: Element): Element[] {
  const isTold = (text: string) => text.length <= LONGEST && /\p{L}/u.test(text) && !repeatsSecret(text);
  return [row, ...firstOf(row.getElementsByTagName("*"), PARTS)].filter((part) => !part.contains(el) && !el.contains(part) && isTextual(part) && isVisible(part) && isTold(textOf(part))).slice(0, TOLD);
}

/** The pairs of words of a row that no other row has both of, as a product and its size, in their order. */
export function pairOf(el: Element, row: Element, others: readonly Element[]): [Element, Element][] {
  const elsewhere = others.map(saidIn);
  const parts = textsOf(el, row);
  const isAlone = (one: Element, also: Element) => !elsewhere.some((said) => isSaidIn(said, textOf(one)) && isSaidIn(said, textOf(also)));
  return parts.flatMap((one, i) => parts.slice(i + 1).filter((also) => isAlone(one, also)).map((also): [Element, Element] => [one, also]));
}

/** What a row says next to its controls, and no other row does. */
export function ownTexts(el: Element, row: Element, others: readonly Element[]): (readonly [Element, string])[] {
  const elsewhere = others.map((other) => textStart(other, 50 * LONGEST));
  const parts = firstOf(row.getElementsByTagName("*"), PARTS).filter((part) => !el.contains(part) && isTextual(part) && isVisible(part));
  const texts = parts.flatMap((part) => [...part.childNodes].map((node) => [part, node instanceof Text ? normalize(node.data) : ""] as const));
  return texts.filter(([, text]) => text !== "" && !repeatsSecret(text) && !elsewhere.some((said) => isSaidIn(said, text)));
}

/** A pattern of a text whose numbers are others in another row. */
export function numbered(text: string): string {
  return literal(text).replace(/\d+/g, "\\d+");
}

/** Whether something can be written in a row; what a drawn list takes its keys by is none. */
export function isWritable(row: Element): boolean {
  return [...row.querySelectorAll<HTMLInputElement>(FIELDS)].some((field) => !field.readOnly && field.checkVisibility({ opacityProperty: true }));
}

export const FIELDS = "input:not([type=checkbox],[type=radio],[type=hidden],[type=button],[type=submit]),select,textarea";

export const HEADING = 'h1,h2,h3,h4,h5,h6,[role="heading"]';

export const ROW = 'tr,li,article,[role="row"],[role="listitem"],[role="article"]';

/** What stands next to a row and is of its kind. */
export function siblings(row: Element): Element[] {
  return row.parentElement ? elementsIn(row.parentElement, ROWS).filter((other) => other !== row && isLike(other, row)) : [];
}

/** What is of the kind of a row in the lists next to its own, as the cards in the other columns of a board are. Of the parts of a row there is one in each. */
export function cousins(row: Element): Element[] {
  const [kind, list] = [classSelector(row), row.parentElement];
  if (!kind || !list) return [];
  const lists = siblings(list).map((other) => elementsIn(other, ROWS).filter((part) => fits(part, kind)));
  return lists.some((rows) => rows.length > 1) ? lists.flat().slice(0, ROWS) : [];
}

function isLike(one: Element, other: Element): boolean {
  if (one.localName !== other.localName) return false;
  if (one.matches('tr,[role="row"]') && one.childElementCount === other.childElementCount) return true; // odd and even, or by their numbers
  const [a, b] = [one, other].map((row) => [...row.classList].filter((name) => !/\d/.test(name))) as [string[], string[]];
  return !a.length || !b.length || a.some((name) => b.includes(name));
}

/** Whether there is anything in a row: an empty one only holds the place of those that are not drawn. */
export function holdsAny(row: Element): boolean {
  return row.childElementCount > 0 || normalize(row.textContent) !== "";
}

export function classSelector(el: Element): string {
  const classes = [...el.classList].filter((c) => !/\d/.test(c) && !isGeneratedClass(c) && !isStateClass(c) && !isPassing(el, c));
  return classes.length ? el.localName + classes.slice(0, 3).map((c) => `.${CSS.escape(c)}`).join("") : "";
}

/** The parts of a row outside its control whose text no other row has, the most telling first. */
export function tellingTexts(el: Element, row: Element, others: readonly Element[]): Element[] {
  const isAlone = saidNowhereIn(others);
  const inner = el.closest(ROW);
  const isLikeIt = (part: Element) => classSelector(part) === classSelector(el) && (textOf(el) !== "" || nameOf(part) === nameOf(el));
  const holdsList = inner !== null && inner !== row && row.contains(inner) && (!others.length || siblings(inner).some((other) => [...other.getElementsByTagName(el.localName)].some(isLikeIt))); // and not only its parts in a line
  const parts = firstOf(row.getElementsByTagName("*"), PARTS).filter((part) => {
    if ((el !== row && (part.contains(el) || el.contains(part))) || !isTextual(part, !holdsList) || !isVisible(part)) return false;
    if (part.closest('[role="tooltip"]')) return false; // it is of a control, and there as long as the mouse
    const of = part.closest(ROW);
    if (holdsList && of && of !== inner && of !== row && row.contains(of)) return false; // it tells another row of that list
    const text = textOf(part);
    return (text.length > 1 || /\p{L}/u.test(text)) && isAlone(text);
  });
  const said = parts.filter((part) => !part.closest("[contenteditable]:not([contenteditable=false])"));
  if (said.length) parts.splice(0, parts.length, ...said); // what is written there is a value
  parts.sort((a, b) => worth(b) - worth(a));
  if (parts.length < 2) return parts;
  const best = parts.slice(0, 2 * TOLD);
  const weights = new Map(best.map((part) => [part, worth(part) + (isOfNames(part, row, others.slice(0, COMPARED)) ? NAMES : 0)]));
  return [...best.sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)), ...parts.slice(best.length)];
}

/** How much more a text is worth where all rows say another: "web-02" rather than "down", which is the state of one by chance. */
const NAMES = 2;

/** Where an element stands in its box, as a part of a selector. */
export function standing(el: Element): string {
  return ` > ${el.localName}:nth-of-type(${placeAmongAlike(el) || 1})`;
}

/** Whether no two rows say the same in the place of a text. */
export function isOfNames(part: Element, row: Element, others: readonly Element[]): boolean {
  let place = "";
  for (let at = part; at !== row && at.parentElement; at = at.parentElement) place = standing(at) + place;
  if (!place) return false;
  const said = [part, ...others.map((other) => other.querySelector(`:scope${place}`))].map((one) => (one ? textOf(one) : ""));
  return new Set(said).size === said.length;
}

/** What a row says in no box of its own around its control, as a plain list does, and no other row does; "" for nothing. */
export function bareText(el: Element, row: Element, others: readonly Element[]): string {
  const isAlone = saidNowhereIn(others);
  return bareTexts(el, row).find(isAlone) ?? "";
}

/** What a row says in no box of its own around its control, the nearest first. */
export function bareTexts(el: Element, row: Element): string[] {
  const texts: string[] = [];
  for (let at = el.parentElement; at; at = at === row ? null : at.parentElement) for (const node of at.childNodes) if (node instanceof Text) texts.push(normalize(node.data));
  return texts.filter((text) => /\p{L}{2}/u.test(text) && text.length <= LONGEST && !repeatsSecret(text));
}

/** What fields held that someone types in by now. */
const heldBefore = new WeakMap<Element, string>();

/** Notes what a field holds as it is entered. */
export function noteHeld(field: HTMLElement): void {
  heldBefore.set(field, valueOf(field));
}

export function forgetHeld(field: Element): void {
  heldBefore.delete(field);
}

/** What a field held before it was typed in, where that tells its row as no field of another row holds it; "" for another. */
export function toldByItself(el: Element, counterparts: readonly Element[], others: readonly Element[]): string {
  if (!(el instanceof HTMLInputElement) || !counterparts.length || !isTextEntry(el) || isSensitive(el)) return "";
  const held = normalize(heldBefore.get(el) ?? el.value);
  const isTold = /\p{L}{2}/u.test(held) && held.length <= LONGEST && !repeatsSecret(held) && !others.some((other) => shownFields(other).some((field) => textOf(field) === held));
  return isTold ? held : "";
}

/** The fields of a row that hold words which no field of another row holds. */
export function tellingFields(el: Element, row: Element, others: readonly Element[]): Element[] {
  const elsewhere = new Set(others.flatMap((other) => shownFields(other).map(textOf)));
  return shownFields(row).filter((field) => field !== el && textOf(field).length <= LONGEST && worth(field) >= WORDS && !elsewhere.has(textOf(field)) && !repeatsSecret(textOf(field)));
}

/** Tells the texts that name a row: no prose, nothing secret, and what no other row says, but in words that go on. */
export function saidNowhereIn(others: readonly Element[]): (text: string) => boolean {
  const elsewhere = others.map(saidIn);
  const says = (said: string, i: number, text: string) => isSaidIn(said, text) && saysAll(others[i] as Element, text);
  return (text) => text.length <= LONGEST && !repeatsSecret(text) && !elsewhere.some((said, i) => says(said, i, text));
}

/** Whether something else says a text, too: "job 12" does not say "job 1". */
export function isSaidIn(said: string, text: string): boolean {
  for (let at = said.indexOf(text); at >= 0; at = said.indexOf(text, at + 1)) {
    const goesOn = /\d$/.test(text) && /^\d/.test(said.slice(at + text.length));
    const began = /^\d/.test(text) && /\d$/.test(said.slice(0, at));
    if (!goesOn && !began) return true;
  }
  return false;
}

/** Whether an element has text of its own, and none of its parts has; what a button says counts only where that is asked for. */
export function isTextual(el: Element, onButtons = false): boolean {
  return [...el.childNodes].some((node) => node instanceof Text && node.data.trim() !== "") && !/^(?:script|style|textarea)$/.test(el.localName) && !el.closest(onButtons ? "select" : "button,select");
}

/** What words are worth that are no number and no identifier. */
export const WORDS = 3;

/** How well a text names a row: what leads to it or is its heading, rather than words, rather than what is on a button, rather than numbers. */
export function worth(el: Element): number {
  const text = textOf(el);
  const letters = /\p{L}{2}/u.test(text) ? 1 : 0;
  if (el instanceof HTMLInputElement) return letters * WORDS; // an identifier is what a record is called there
  const spoken = /\d|\p{Ll}\p{Lu}.*\p{Ll}\p{Lu}/u.test(text) || el.closest("button") ? 0 : 1; // and no identifier
  return (letters && el.closest(`${HEADING},a,th,strong,[role="rowheader"],[role="link"]`) ? 4 : 0) + 2 * letters + spoken;
}

export function textOf(el: Element): string {
  return el instanceof HTMLInputElement ? normalize(el.value) : withoutCount(el) || saidIn(el);
}

/** The words of an element that has nothing else but a number in a part of its own, as "Doing 3" of a column: later it is another. */
function withoutCount(el: Element): string {
  const [count, other] = el.childElementCount < 3 ? [...el.children].filter((part) => part.textContent !== "") : [];
  if (!count || other || !/^\s*[([]?\d[\d.,]*\+?[)\]]?\s*$/.test(count.textContent)) return "";
  const [words, more] = [...el.childNodes].flatMap((node) => (node instanceof Text && node.data.trim() !== "" ? [normalize(node.data)] : []));
  return words && !more && words.length <= LONGEST && /\p{L}{2}/u.test(words) ? words : "";
}

export function saidIn(el: Element): string {
  return normalize(textStart(el, 50 * LONGEST));
}

/** So many rows of a kind, and more, are a list; and in a table whose columns have heads. */
export const FEW = 3;

/** Whether an element is in the head of a column; one of a row stands next to its cells. */
export function isInHead(el: Element): boolean {
  const head = el.closest("th");
  return el.closest("thead") !== null || (head !== null && !head.parentElement?.querySelector(":scope > td"));
}

/** Whether a row is of a table whose columns have heads. */
export function hasHead(row: Element): boolean {
  return row.localName === "tr" && row.closest("table")?.querySelector(":scope > thead th") != null;
}

/** Whether a row has words that can be seen in addition to those of one part of it. */
export function saysMore(row: Element, than: Element): boolean {
  return firstOf(row.getElementsByTagName("*"), PARTS).some((part) => !than.contains(part) && !part.contains(than) && isTextual(part) && isVisible(part));
}

/** Whether a row has a control next to one of its parts. */
export function holdsControl(row: Element, than: Element): boolean {
  return [...row.querySelectorAll("button,input:not([type=hidden]),[role=button],[role=checkbox]")].some((part) => !part.contains(than) && !than.contains(part) && isVisible(part));
}

/** A shorter head is a day of the week, or a sign. */
const SHORTEST_HEAD = 3;

/** The head of the column that a cell is in, "" for none. */
export function calledIn(el: Element): string {
  const title = headOver(el);
  const says = title && !repeatsSecret(title.textContent) ? normalize(shownText(title, 50 * LONGEST)) : "";
  return says.length < SHORTEST_HEAD ? "" : says.slice(0, LONGEST);
}
