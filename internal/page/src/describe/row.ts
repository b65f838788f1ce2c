// What tells a control that says nothing itself: a text next to it. Where it stands in each row of a list, that is which
// row it is of.

import { columnOf, columnText, elementsIn, firstOf, hasEditContext, headOver, inOnePass, isTextEntry, isVisible, normalize, perPass, placeAmongAlike, rootOf, valueOf, withoutSigns } from "../dom/elements";
import { hiddenNameOf, nameOf, roleOf, shownText, textStart } from "../dom/names";
import { isDay, isInWeek, isOfMonth } from "../dom/calendar";
import { anyNumber } from "../locate/newest";
import { isPassing } from "../dom/calm";
import { isGenerated, isGeneratedClass, isStateClass } from "../locate/generated";
import { attribute, fits, format, parse, queryPath, saysAll, shownFields, testIdOf } from "../locate/selector";
import { isSensitive, repeatsSecret } from "../secret/secrets";

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
  itself?: boolean; // the control is the field that holds the first, which is all that tells the row
}

/** How far above a control its row may be. */
const HEIGHT = 20; // a button may be a table in a table
/** More rows, and more parts of one, are not looked at. */
const ROWS = 100;
/** In so many of the others the same control is looked for. */
const COMPARED = 12;
export const PARTS = 200;
/** So many other rows that have a control of that name are of a kind: the heads of groups, among the rows of these. */
const HEADS = 2;
/** Longer texts are prose. */
const LONGEST = 80;
/** So many texts of a row are told. */
const TOLD = 5;

/** The row of a control that others have, too; undefined for another. A value that the control shows is in no part of what finds it there. */
export function rowOf(el: Element, value = ""): Row | undefined {
  return inOnePass(() => {
    const own = innerSelectors(el, value);
    const plan = placeInPlan(el);
    const hidden = !isVisible(el); // something is drawn in place of a box
    let inner = plan ? [plan.selector] : [...(isCell(el) ? own.filter((selector) => !/^(?:aria|text)\//.test(selector)) : own), ...columnsOfNameless(el, value), ...placesAmongCells(el), ...placesOfNameless(el)];
    for (let at = el.parentElement, height = 0; at?.parentElement && height < HEIGHT; height++, at = at.parentElement) {
      const row = at;
      if (isWindow(row)) return undefined; // what is asked there is of no row of the page
      inner = inner.filter((selector) => only(selector, row, el.localName, hidden) === el);
      if (!inner.length) return undefined;
      const found = plan ? rowOfPlan(el, row, plan) : rowAt(el, row, inner, value);
      if (found) return { ...found, rise: height + 1 };
    }
    return undefined;
  });
}

/** The row of what draws a control in its shadow root, as each row may have a button of a library's. */
export function rowOfHost(el: Element): Row | undefined {
  const root = rootOf(el);
  if (!(root instanceof ShadowRoot) || rootOf(root.host) !== document || !HOSTED.has(roleOf(el))) return undefined;
  const row = rowOf(root.host);
  return row && { ...row, hosted: true };
}

const HOSTED = new Set(["button", "link", "checkbox", "switch"]);

/** How far above a control the part of the page may be that a text next to it is in. */
const AROUND = 30;

/** The path to a control from the text that is nearest to it, where there is only one such control; undefined for none. A value that the control shows is in no part of it. */
export function nextToText(el: Element, value = ""): string[] | undefined {
  const isOther = (text: string) => value === "" || !text.includes(value);
  if (hasEditContext(el)) return undefined; // next to it is drawn what it holds
  let inner = innerSelectors(el, value);
  for (let at = el.parentElement, height = 0; at && height < AROUND && inner.length; height++, at = at.parentElement) {
    const around = at;
    inner = inner.filter((selector) => only(selector, around, el.localName) === el);
    const texts = inner.length ? tellingTexts(el, around, around.matches(ROW) ? siblings(around) : []).filter((part) => worth(part) >= WORDS && !part.closest('[role=option],[role=menuitem]') && !labelsOther(part, el) && !isValueOf(el, part) && isOther(textOf(part))).slice(0, TOLD) : [];
    for (const selector of inner) {
      for (const part of texts) {
        const path = [format("text", textOf(part)), format("near", selector)];
        const [one, other] = queryPath(path, rootOf(el));
        if (one === el && !other) return path;
      }
    }
    if (texts.length || isOneOfCards(around, el)) return undefined; // what is farther says less, or is said of others
  }
  return undefined;
}

/** Whether a box has a control next to that one, as the others of its kind do that stand next to it. */
function isOneOfCards(box: Element, el: Element): boolean {
  const kind = classSelector(box);
  return kind !== "" && holdsControl(box, el) && siblings(box).filter((other) => fits(other, kind) && holdsControl(other, el)).length >= FEW - 1;
}

/** Whether a text is what a control holds by now: drawn over it, or the date that its calendar shows. */
function isValueOf(el: Element, part: Element): boolean {
  return (overlap(part, el) && !HOSTED.has(roleOf(el)) && !part.closest("label")) || (!(el instanceof HTMLInputElement) && isDay(textOf(el)) && /\d/.test(textOf(part)));
}

/** Whether something empty is laid over all of a row, which is pressed by it. */
function coversAll(el: Element, row: Element): boolean {
  const [a, b] = [el.getBoundingClientRect(), row.getBoundingClientRect()];
  return textOf(el) === "" && !(el instanceof HTMLInputElement) && a.width * a.height >= MOST * b.width * b.height;
}

/** So much of a row is nearly all of it. */
const MOST = 0.8;

/** Whether a text is the label of another control. */
function labelsOther(part: Element, el: Element): boolean {
  const control = part.closest("label")?.control;
  return !!control && control !== el;
}

function rowAt(el: Element, at: Element, inner: readonly string[], value: string): Omit<Row, "rise"> | undefined {
  if (at.localName === "table" && at.querySelector(":scope > thead th")) return undefined; // rows
  if (at.localName === "fieldset") return undefined; // a part of a form, with its legend
  const next = siblings(at);
  const others = (next.length ? next : cousins(at)).filter((other) => isVisible(other) && holdsAny(other));
  if (others.some((other) => overlap(at, other))) return undefined; // windows, and no rows
  if (!others.length && !at.matches(ROW)) return undefined;
  const takesValue = isTextEntry(el) || isWritable(at) || roleOf(el) === "combobox" || el.querySelector('[role="combobox"]') !== null;
  if (takesValue && !at.matches('tr,[role="row"]') && !isLine(el, at, others)) return undefined; // a field of a form, with its label
  const own = isCell(el) || value !== "" ? "" : nameOf(el); // what a cell says is a value
  const looked = others.slice(0, COMPARED);
  const covers = coversAll(el, at);
  const named = namedAfterRow(el, own, at, looked);
  if (named) return { ...named, near: format("near", el.localName), named: true };
  for (const selector of inner) {
    const counterparts = looked.map((other) => only(selector, other, el.localName) ?? only(selector, other, el.localName, true) ?? atItsPlace(selector, other, el.localName, pathIn(at, el))).filter((other) => other !== undefined);
    const namesakes = own ? counterparts.filter((other) => anyNumber(nameOf(other) || hiddenNameOf(other)) === anyNumber(own)).length : 0; // "Select row 3"
    if (counterparts.length * 2 < looked.length && namesakes < HEADS) continue;
    if (counterparts.length === 1 && !at.matches(ROW) && pathIn(at, el) !== pathIn(looked.find((other) => other.contains(counterparts[0] as Element)) as Element, counterparts[0] as Element)) continue; // a side bar, and the page next to it
    if (own && counterparts.length && !namesakes) continue; // it has a name of its own
    if (isOfForm(el, counterparts)) continue;
    const near = format("near", selector);
    const leads = (kind: "text" | "value", text: string) => queryPath([format(kind, text), near], rootOf(el))[0] === el;
    const leadsToEl = (part: Element) => leads(part instanceof HTMLInputElement ? "value" : "text", textOf(part));
    const texts = tellingTexts(el, at, others).filter((part) => !part.closest("label") && (covers || !isValueOf(el, part))).slice(0, TOLD).filter(leadsToEl);
    const opensField = !HOSTED.has(roleOf(el)) && !isTextEntry(el) && shownFields(at).length === 1; // what is chosen in it
    const fields = opensField || texts.some((part) => worth(part) >= WORDS) ? [] : tellingFields(el, at, others).slice(0, TOLD).filter(leadsToEl);
    const telling = fields.length ? fields : texts;
    const [first] = telling;
    const before = first && worth(first) >= WORDS ? "" : toldByItself(el, counterparts, others);
    if (before) return { texts: [before], near, held: true, itself: true };
    const place = isCell(el) || isPlace(selector);
    if (place && !isWithin(el, at)) return undefined; // a menu of the row
    const isNumbered = namesakes > 0 && counterparts.every((other) => (nameOf(other) || hiddenNameOf(other)) !== own);
    const head = parse(selector).kind === "under" ? columnOf(el) : "";
    const which = /\d/.test(head) ? { which: head } : {}; // a date is another one later
    const alone = { ...which, ...(isPlain(el, at) ? { plain: true } : {}), ...(isNumbered ? { numbered: true } : {}), ...(counterparts.length ? {} : { alone: true }) };
    const bare = place || (first && worth(first) >= WORDS) ? "" : bareText(el, at, others);
    if (bare && leads("text", bare)) return { texts: [bare], near, ...alone };
    const pair = !counterparts.length || !at.matches(ROW) || (first && !AMOUNT.test(textOf(first))) ? undefined : pairOf(el, at, others).find(([one, also]) => queryPath([format("text", textOf(one)), format("near", format("text", textOf(also))), near], rootOf(el))[0] === el);
    if (pair) return { texts: [textOf(pair[0])], near, ...calling(pair[0]), also: { text: textOf(pair[1]), ...calling(pair[1]) }, ...(place ? { place } : {}), ...which };
    const isKey = first !== undefined && /\p{L}/u.test(textOf(first)) && !AMOUNT.test(textOf(first)); // "AL-2"
    if (!first || (place && (!(worth(first) >= WORDS || isKey) || tellsItself(el, first, counterparts)))) return undefined;
    const headed = first.closest(HEADING) !== null;
    const elsewhere = others.map(saidIn);
    const shared = textOf(first).split(" ").map(withoutSigns).filter((word) => elsewhere.some((said) => isSaidIn(said, word)));
    return { texts: [...new Set(telling.map(textOf))], near, ...(shared.length ? { shared } : {}), ...(headed ? { headed } : {}), ...(place ? { place } : {}), ...calling(first), ...(fields.length ? { held: true } : {}), ...alone };
  }
  return undefined;
}

function calling(part: Element): { called?: string } {
  const called = calledIn(part);
  return called ? { called } : {};
}

/** Whether a box holds a control and one text next to it, and is no row by its tag or role. */
function isPlain(el: Element, box: Element): boolean {
  const says = (part: Element) => !part.contains(el) && !el.contains(part) && isTextual(part) && isVisible(part);
  return !box.matches(ROW) && !holdsControl(box, el) && firstOf(box.getElementsByTagName("*"), PARTS).filter(says).length <= 1;
}

/** What is no name of a record: a price, which changes, or a measure, which others have. */
const AMOUNT = /^\P{L}{0,4}\d[\d.,' ]*(?:[.,]\d\d\P{L}{0,4}|\s?(?:\p{L}{1,3}|%))$/u;

/** The pairs of words of a row that no other row has both of, as a product and its size, in their order. */
function pairOf(el: Element, row: Element, others: readonly Element[]): [Element, Element][] {
  const elsewhere = others.map(saidIn);
  const isTold = (text: string) => text.length > 1 && text.length <= LONGEST && /\p{L}/u.test(text) && !repeatsSecret(text);
  const parts = firstOf(row.getElementsByTagName("*"), PARTS).filter((part) => !part.contains(el) && !el.contains(part) && isTextual(part) && isVisible(part) && isTold(textOf(part))).slice(0, TOLD);
  const isAlone = (one: Element, also: Element) => !elsewhere.some((said) => isSaidIn(said, textOf(one)) && isSaidIn(said, textOf(also)));
  return parts.flatMap((one, i) => parts.slice(i + 1).filter((also) => isAlone(one, also)).map((also): [Element, Element] => [one, also]));
}

/** Whether an element is a window over the page. */
function isWindow(el: Element): boolean {
  return el.matches('dialog,[role="dialog"],[role="alertdialog"]') || getComputedStyle(el).position === "fixed";
}

/** The tags from a row down to a control of it. */
function pathIn(row: Element, el: Element): string {
  let path = "";
  for (let at = el; at !== row && at.parentElement; at = at.parentElement) path = `/${at.localName}${path}`;
  return path;
}

/** Whether a box with fields is one of a list, each of which asks the same of another thing, rather than a field of a form with its label. */
function isLine(el: Element, box: Element, others: readonly Element[]): boolean {
  const asks = (one: Element) => [...one.querySelectorAll<HTMLInputElement>(FIELDS)].filter(isVisible).map(asked).join("\n");
  const own = asks(box);
  if (own === "" || others.filter((other) => asks(other) === own).length * 2 < others.length) return false;
  const texts = [...tellingTexts(el, box, others).filter((part) => !part.closest("label")).map(textOf), bareText(el, box, others)].filter((text) => text !== "");
  if (!texts.length && !nameOf(el)) return box.matches(ROW) && toldByItself(el, others, others) !== "";
  const isCounted = (text: string) => /\d+$/.exec(text)?.[0] === String(placeAmongAlike(box)); // "Server 2" is what its fields are called
  return texts.some((text) => !isCounted(text)) && (texts.length > 1 || holdsControl(box, el) || /[^\s|]/.test(own));
}

/** What a field asks for: the number in its name is that of a line. */
function asked(field: Element): string {
  return [(field.getAttribute("name") ?? "").replace(/\d+/g, ""), field.getAttribute("placeholder") ?? "", field instanceof HTMLSelectElement ? [...field.options].map((option) => option.text).join() : ""].join("|");
}

/** Whether the rows are those of a form, whose fields its author calls by other words than a number: what stands next to each is its label. */
function isOfForm(el: Element, counterparts: readonly Element[]): boolean {
  const stem = (field: Element) => (field.getAttribute("name") ?? "").replace(/\d+/g, "");
  return isTextEntry(el) && stem(el) !== "" && counterparts.filter((other) => stem(other) === stem(el)).length * 2 < counterparts.length;
}

/** The shortest text that a control is named after though it is an identifier or a number, where all others are named so. */
const LEAST_NAME = 3;

/** The text of its row that the name of a control has in it, where the controls of the other rows are named after theirs; else undefined. */
function namedAfterRow(el: Element, own: string, row: Element, others: readonly Element[]): Pick<Row, "texts" | "called"> | undefined {
  if (!own || others.length === 0) return undefined;
  const shown = textOf(el).length > 1 && textOf(el) !== own && !others.some((other) => textStart(other, 50 * LONGEST).includes(textOf(el))) ? [el] : [];
  const parts = [...shown, ...tellingTexts(el, row, others)].slice(0, TOLD);
  for (const [part, text] of [...parts.map((part) => [part, textOf(part)] as const), ...ownTexts(el, row, others)]) {
    const [before, after, more] = own.split(text);
    if ((text.length < LEAST_NAME && !/\p{L}{2}/u.test(text)) || before === undefined || after === undefined || more !== undefined || !/\p{L}{2}/u.test(before + after)) continue;
    if (/[-_./]$/.test(before) || /^[-_/]/.test(after)) continue; // a name for programs, in which each button of a bar has its words
    const named = new RegExp(`^${numbered(before)}(.+)${numbered(after)}$`);
    const isAfterItsOwn = (other: Element): boolean => firstOf(other.getElementsByTagName(el.localName), PARTS).some((control) => {
      const its = named.exec(nameOf(control))?.[1] ?? "";
      return its !== "" && saidIn(other).includes(its);
    });
    if (others.filter(isAfterItsOwn).length * 2 < others.length) continue;
    return { texts: [text], ...calling(part) };
  }
  return undefined;
}

/** What a row says next to its controls, and no other row does. */
function ownTexts(el: Element, row: Element, others: readonly Element[]): (readonly [Element, string])[] {
  const elsewhere = others.map((other) => textStart(other, 50 * LONGEST));
  const parts = firstOf(row.getElementsByTagName("*"), PARTS).filter((part) => !el.contains(part) && isTextual(part) && isVisible(part));
  const texts = parts.flatMap((part) => [...part.childNodes].map((node) => [part, node instanceof Text ? normalize(node.data) : ""] as const));
  return texts.filter(([, text]) => text !== "" && !repeatsSecret(text) && !elsewhere.some((said) => isSaidIn(said, text)));
}

/** A pattern of a text whose numbers are others in another row. */
function numbered(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\d+/g, "\\d+");
}

/** Whether something can be written in a row; what a drawn list takes its keys by is none. */
function isWritable(row: Element): boolean {
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
function cousins(row: Element): Element[] {
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

function overlap(one: Element, other: Element): boolean {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
}

/** Whether one element is drawn no higher and no lower than another. */
function isWithin(el: Element, box: Element): boolean {
  const [a, b] = [el.getBoundingClientRect(), box.getBoundingClientRect()];
  return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
}

/** The only element of a tag in a row that the selector fits, and that can be seen; many rows show their controls only under the mouse. */
function only(selector: string, row: Element, tag: string, hidden = false): Element | undefined {
  let one: Element | undefined;
  for (const part of firstOf(row.getElementsByTagName(tag), PARTS)) {
    if (!fits(part, selector) || (!hidden && !isVisible(part))) continue;
    if (one) return undefined;
    one = part;
  }
  return one;
}

/** The one of several in a row that stands in it as the control does in its own: the answers to a comment have such controls, too. */
function atItsPlace(selector: string, row: Element, tag: string, path: string): Element | undefined {
  return firstOf(row.getElementsByTagName(tag), PARTS).find((part) => fits(part, selector) && pathIn(row, part) === path);
}

/** What finds a control within its row: what it is for, rather than what it looks like, and nothing that says a value which it shows. */
export function innerSelectors(el: Element, value = ""): string[] {
  const marked = testIdOf(el);
  const [role, name, title] = [roleOf(el), nameOf(el), el.getAttribute("title")];
  const [own, parent] = [classSelector(el), el.parentElement ? classSelector(el.parentElement) : ""];
  const drawn = isHost(el) ? "" : own || (parent ? `${parent} > ${el.localName}` : "");
  const unnamed = role && (!name || value !== "") ? format("aria", `[role="${role}"]`) : "";
  return [
    marked && !/\d/.test(marked.value) ? format("testid", marked.value) : "",
    role && name && name.length <= LONGEST ? format("aria", `${name}[role="${role}"]`) : "",
    title && title.length <= LONGEST ? attribute("title", title) : "",
    ...(value === "" ? [drawn, unnamed] : [unnamed, drawn]),
    !role && (el.localName === "a" || isHost(el)) ? wordsOrTag(el) : "",
  ].filter((selector) => selector !== "" && !repeatsSecret(selector) && (value === "" || !selector.includes(value)));
}

function wordsOrTag(el: Element): string {
  const text = textOf(el);
  return text && text.length <= LONGEST ? format("text", text) : el.localName;
}

/** Whether its author has named the tag of an element, which draws itself then. */
function isHost(el: Element): boolean {
  return el.localName.includes("-") && roleOf(el) === "";
}

export function classSelector(el: Element): string {
  const classes = [...el.classList].filter((c) => !/\d/.test(c) && !isGeneratedClass(c) && !isStateClass(c) && !isPassing(el, c));
  return classes.length ? el.localName + classes.slice(0, 3).map((c) => `.${CSS.escape(c)}`).join("") : "";
}

/** The places of a cell that nothing but its place tells from the others of its row: what it says is another thing in another. */
function placesAmongCells(el: Element): string[] {
  let [cell, within] = [el, ""];
  for (let box = el.parentElement; box && isOnlyShown(cell, box); cell = box, box = box.parentElement) within = ` > ${cell.localName}${within}`;
  const cells = cell.parentElement ? elementsIn(cell.parentElement).filter((other) => other.localName === cell.localName) : [];
  const few = /\p{L}{2}/u.test(textOf(el)) ? FEW : 2; // a number is what its row has, be it that of a label
  if (cells.length < few || !CELLS.has(roleOf(el)) || !CELLS.has(roleOf(cell))) return [];
  const place = `:nth-of-type(${cells.indexOf(cell) + 1})${within}`;
  const marked = testIdOf(cell);
  const column = cell === el ? el.ariaColIndex : null;
  return [...(column ? [attribute("aria-colindex", column)] : []), ...(marked && !/\d/.test(marked.value) && !repeatsSecret(marked.value) ? [attribute(marked.attribute, marked.value) + place] : []), cell.localName + (cell.role ? attribute("role", cell.role) : "") + place]; // a row of as many as there are cells may stand in that place, too
}

/** Whether nothing else is shown in a box: the field that it becomes may wait there. */
function isOnlyShown(el: Element, box: Element): boolean {
  return box.childElementCount <= FEW && elementsIn(box).every((other) => other === el || !isVisible(other));
}

/** The column of a control that has no name: in a table of boxes, or of switches that are drawn, all look the same. */
function columnsOfNameless(el: Element, value: string): string[] {
  const isDrawn = roleOf(el) === "" && textOf(el) === "" && !el.matches(ROW);
  const head = (isDrawn || !CELLS.has(roleOf(el))) && (value !== "" || !nameOf(el)) ? toldColumnOf(el) : "";
  return head ? [format("under", head)] : [];
}

/** The column of a control, where its head may be told. */
function toldColumnOf(el: Element): string {
  const head = columnOf(el);
  return head.length <= LONGEST && !repeatsSecret(head) ? head : "";
}

/** A place in a plan, told by its row and by what others of the row have another of. */
interface Place {
  selector: string; // that finds it in its row
  which: string;
}

/** So many places of a plan are looked at. */
const PLACES = 200;

/** The place that a cell is in a plan, by the head of its column, or one of several boxes by its number, as a seat; undefined for what is none. */
function placeInPlan(el: Element): Place | undefined {
  if (!PLACED.has(roleOf(el))) return undefined;
  const head = columnOfPlan(el);
  if (head) return { selector: format("under", head), which: head };
  const text = textOf(el);
  const isPlace = VALUE.test(text) && siblings(el).filter((other) => VALUE.test(textOf(other))).length >= FEW - 1;
  return isPlace ? { selector: format("text", text), which: text } : undefined;
}

/** What is said by one of several places or buttons that is a value and no command: the number of a seat, an hour, a size. */
const VALUE = /^(?:\p{L}?\d{1,3}|\d{1,2}[:.]\d{2}|\p{Lu}{1,3})$/u;

/** The head over a place in a plan, as that of a room over its free hours: others like it stand in at least half of the columns. "" for what is none. */
function columnOfPlan(el: Element): string {
  const [head, table] = [toldColumnOf(el), el.closest("table,[role=grid]")];
  if (!table || head === "") return "";
  const isLikeIt = (other: Element) => other !== el && classSelector(other) === classSelector(el) && textOf(other) === textOf(el);
  const columns = new Set(firstOf(table.getElementsByTagName(el.localName), PLACES).filter(isLikeIt).map(columnOf).filter((column) => column !== ""));
  const heads = elementsIn(headOver(el)?.parentElement as Element).map(columnText);
  return columns.size >= 2 && columns.size * 2 >= heads.length - 1 && heads.filter((one) => one === head).length === 1 ? head : "";
}

/** The row of a place in a plan, by its head: the others have such a place, too. */
function rowOfPlan(el: Element, row: Element, { selector, which }: Place): Omit<Row, "rise"> | undefined {
  const others = siblings(row);
  const head = row.querySelector(":scope > th,:scope > [role=rowheader]") ?? row.firstElementChild;
  const alike = others.filter((other) => only(selector, other, el.localName)).length;
  const text = head && !head.contains(el) && alike >= (isOfMonth(el, textOf) ? 2 : 1) ? textOf(head) : ""; // a month has two weeks with a 30, at most
  const near = format("near", selector);
  const isTold = text !== "" && saidNowhereIn(others)(text) && queryPath([format("text", text), near], rootOf(el))[0] === el;
  return isTold ? { texts: [text], near, which, place: true, ...calling(head as Element) } : undefined;
}

/** How far up the place of a control in its row goes. */
const PLACE_HEIGHT = 3;

/** The places of a control that shows a picture and has no name: others of its row may look the same. */
function placesOfNameless(el: Element): string[] {
  if (!roleOf(el) || CELLS.has(roleOf(el)) || nameOf(el)) return [];
  const places: string[] = [];
  for (let at = el, within = ""; at.parentElement && places.length < PLACE_HEIGHT; at = at.parentElement, within = ` > ${places.at(-1)}`) {
    const alike = elementsIn(at.parentElement).filter((other) => other.localName === at.localName);
    places.push(`${at.localName}:nth-of-type(${alike.indexOf(at) + 1})${within}`);
  }
  return places;
}

/** Whether an element is a cell below the head of a column, or says all that one does, and of no week of a calendar. */
function isCell(el: Element): boolean {
  return cells(el, () => {
    let cell = el;
    const says = textOf(el);
    while (cell.parentElement && roleOf(cell) === "" && textOf(cell.parentElement) === says) cell = cell.parentElement;
    return /^(?:cell|gridcell)$/.test(roleOf(cell)) && headOver(cell) !== undefined && !isInWeek(cell, textOf);
  });
}

const cells = perPass<Element, boolean>();

/** Whether a cell is known by its own words: one of a column is, unless what stands before it tells its row. */
function tellsItself(el: Element, first: Element, others: readonly Element[]): boolean {
  const text = textOf(el);
  if (isCell(el) && first.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING) return false;
  return /\p{L}{2}/u.test(text) && !others.some((other) => textOf(other) === text);
}

const CELLS = new Set(["", "cell", "gridcell"]);
const PLACED = new Set([...CELLS, "button", "link"]);
const isPlace = (selector: string) => selector.includes(":nth-of-type(");

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
function isOfNames(part: Element, row: Element, others: readonly Element[]): boolean {
  let place = "";
  for (let at = part; at !== row && at.parentElement; at = at.parentElement) place = standing(at) + place;
  if (!place) return false;
  const said = [part, ...others.map((other) => other.querySelector(`:scope${place}`))].map((one) => (one ? textOf(one) : ""));
  return new Set(said).size === said.length;
}

/** What a row says in no box of its own around its control, as a plain list does, and no other row does; "" for nothing. */
function bareText(el: Element, row: Element, others: readonly Element[]): string {
  const isAlone = saidNowhereIn(others);
  for (let at = el.parentElement; at; at = at === row ? null : at.parentElement) {
    const text = [...at.childNodes].map((node) => (node instanceof Text ? normalize(node.data) : "")).find((said) => /\p{L}{2}/u.test(said) && isAlone(said));
    if (text) return text;
  }
  return "";
}

/** What fields held that someone types in by now. */
const before = new WeakMap<Element, string>();

/** Notes what a field holds as it is entered. */
export function noteHeld(field: HTMLElement): void {
  before.set(field, valueOf(field));
}

export function forgetHeld(field: Element): void {
  before.delete(field);
}

/** What a field held before it was typed in, where that tells its row as no field of another row holds it; "" for another. */
function toldByItself(el: Element, counterparts: readonly Element[], others: readonly Element[]): string {
  if (!(el instanceof HTMLInputElement) || !counterparts.length || !isTextEntry(el) || isSensitive(el)) return "";
  const held = normalize(before.get(el) ?? el.value);
  const isTold = /\p{L}{2}/u.test(held) && held.length <= LONGEST && !repeatsSecret(held) && !others.some((other) => shownFields(other).some((field) => textOf(field) === held));
  return isTold ? held : "";
}

/** The fields of a row that hold words which no field of another row holds. */
function tellingFields(el: Element, row: Element, others: readonly Element[]): Element[] {
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
function isSaidIn(said: string, text: string): boolean {
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
  return el instanceof HTMLInputElement ? normalize(el.value) : saidIn(el);
}

function saidIn(el: Element): string {
  return normalize(textStart(el, 50 * LONGEST));
}

/** So many rows of a kind, and more, are a list; and in a table whose columns have heads. */
export const FEW = 3;
const FEW_UNDER_HEAD = 2;

/** Whether an element is in the head of a column; one of a row stands next to its cells. */
function isInHead(el: Element): boolean {
  const head = el.closest("th");
  return el.closest("thead") !== null || (head !== null && !head.parentElement?.querySelector(":scope > td"));
}

/** Whether a row is of a table whose columns have heads. */
function hasHead(row: Element): boolean {
  return row.localName === "tr" && row.closest("table")?.querySelector(":scope > thead th") != null;
}

/** Whether an element says which of several records it is of: each says something else in its place, and more than that. */
export function isOfRecord(el: Element): boolean {
  const text = textOf(el);
  if (!text || el.localName === "label" || isInHead(el)) return false;
  const leads = leadsToIt(el) ? leadsToIt : byId(el);
  let place = "";
  for (let at = el, height = 0; at.parentElement && height < HEIGHT; height++, at = at.parentElement) {
    const isRow = height > 0 && (saysMore(at, el) || isContent(at) || holdsControl(at, el));
    if ((isRow || (leads && (height > 0 || leads !== leadsToIt))) && !isWritable(at)) {
      const others = siblings(at);
      const parts = others.map((other) => (place ? other.querySelector(`:scope${place}`) : other)).filter((part) => part !== null && textOf(part) !== "") as Element[];
      const said = parts.map(textOf);
      const byName = leads !== undefined && parts.every(leads);
      const isLeft = others.length === 0 && leads !== undefined && leads !== leadsToIt && hasHead(at); // by a search
      const enough = isLeft || said.length + 1 >= (byName || hasHead(at) ? FEW_UNDER_HEAD : FEW) && said.length * 2 >= others.length;
      if (enough && (byName || isRow)) return new Set([text, ...said]).size * 2 > said.length + 1 && !said.includes(text);
    }
    place = standing(at) + place;
  }
  return false;
}

/** Whether a link says just what its address ends with, as one of a record does: what leads to a part of the site is written as a title. */
function leadsToIt(el: Element): boolean {
  if (!(el instanceof HTMLAnchorElement)) return false;
  try {
    return decodeURIComponent(lastOf(el.href).replaceAll("+", " ")) === textOf(el);
  } catch {
    return false; // it is written otherwise
  }
}

function lastOf(address: string): string {
  return address.split(/[/#?&=]/).filter((part) => part !== "").at(-1) ?? "";
}

/**
 * Tells the links that lead where one does but for a number or an identifier, as those to records do, and those to the parts
 * of a site do not; undefined where that one leads to none, or says no words.
 */
function byId(el: Element): ((other: Element) => boolean) | undefined {
  if (!(el instanceof HTMLAnchorElement) || !/\p{L}{2}/u.test(textOf(el))) return undefined;
  const { origin } = el;
  const address = (link: HTMLAnchorElement) => link.pathname + link.search + link.hash;
  const id = lastOf(address(el));
  if (!/^\d+$/.test(id) && !isGenerated(id)) return undefined;
  const at = address(el).lastIndexOf(id);
  const [before, after] = [address(el).slice(0, at), address(el).slice(at + id.length)];
  return (other) => {
    if (!(other instanceof HTMLAnchorElement) || other.origin !== origin || !address(other).startsWith(before) || !address(other).endsWith(after)) return false;
    const its = address(other).slice(before.length, address(other).length - after.length);
    return its !== id && !/[/#?&=]/.test(its);
  };
}

/** Whether what stands somewhere is what the page is about, rather than a way through the site. */
function isContent(el: Element): boolean {
  return el.closest("main,[role=main]") !== null && el.closest("nav,header,footer,aside,[role=navigation],[role=tablist],[role=menu],[role=menubar],[role=toolbar]") === null;
}

/** Whether a row has words that can be seen in addition to those of one part of it. */
function saysMore(row: Element, than: Element): boolean {
  return firstOf(row.getElementsByTagName("*"), PARTS).some((part) => !than.contains(part) && !part.contains(than) && isTextual(part) && isVisible(part));
}

/** Whether a row has a control next to one of its parts. */
function holdsControl(row: Element, than: Element): boolean {
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
