// What finds a control within its row: what it is for, its column, or its place in a plan.

import { columnOf, columnSaid, elementsIn, firstOf, headOver, isVisible, perPass, rootOf } from "../dom/elements";
import { nameOf, roleOf } from "../dom/names";
import { isInWeek, isOfMonth } from "../dom/calendar";
import { attribute, fits, format, queryPath, testIdOf } from "../locate/selector";
import { repeatsSecret } from "../secret/secrets";
import { calling, classSelector, FEW, LONGEST, PARTS, type Row, ROW, ROWS, saidNowhereIn, siblings, textOf } from "./texts";

/** What finds a control whose name has an amount or a date in it, as "Pay 25 €": in another row it says another. */
export function withoutValue(el: Element): string[] {
  return /^(?:button|link)$/.test(roleOf(el)) && /\d/.test(nameOf(el)) ? [format("aria", `[role="${roleOf(el)}"]`)] : [];
}

/** The tags from a row down to a control of it. */
export function pathIn(row: Element, el: Element): string {
  let path = "";
  for (let at = el; at !== row && at.parentElement; at = at.parentElement) path = `/${at.localName}${path}`;
  return path;
}

/** The only element of a tag in a row that the selector fits, and that can be seen; many rows show their controls only under the mouse. */
export function only(selector: string, row: Element, tag: string, hidden = false): Element | undefined {
  let one: Element | undefined;
  for (const part of firstOf(row.getElementsByTagName(tag), PARTS)) {
    if (!fits(part, selector) || (!hidden && !isVisible(part))) continue;
    if (one) return undefined;
    one = part;
  }
  return one;
}

/** The one of several in a row that stands in it as the control does in its own: the answers to a comment have such controls, too. */
export function atItsPlace(selector: string, row: Element, tag: string, path: string): Element | undefined {
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
    !role && el instanceof HTMLInputElement ? el.localName + attribute("type", el.type) : "", // of a date, of a file
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

/** The places of a cell that nothing but its place tells from the others of its row: what it says is another thing in another. */
export function placesAmongCells(el: Element): string[] {
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
export function columnsOfNameless(el: Element, value: string): string[] {
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
export function placeInPlan(el: Element): Place | undefined {
  if (!PLACED.has(roleOf(el))) return undefined;
  const head = columnOfPlan(el);
  if (head) return { selector: format("under", head), which: head };
  const text = textOf(el);
  const [box] = el.parentElement?.localName === "dd" ? [el.parentElement] : [];
  const isPlace = VALUE.test(text) && [...siblings(el), ...(box ? siblings(box).flatMap((other) => elementsIn(other, ROWS)) : [])].filter((other) => VALUE.test(textOf(other))).length >= FEW - 1;
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
  const heads = elementsIn(el.closest("tr,[role=row]") as Element).map(columnSaid);
  return columns.size >= 2 && columns.size * 2 >= heads.length - 1 && heads.filter((one) => one === head).length === 1 ? head : "";
}

/** The row of a place in a plan, by its head: the others have such a place, too. */
export function rowOfPlan(el: Element, row: Element, { selector, which }: Place): Omit<Row, "rise"> | undefined {
  const others = siblings(row);
  const term = row.localName === "dd" ? row.previousElementSibling : null;
  const head = term ?? row.querySelector(":scope > th,:scope > [role=rowheader]") ?? row.firstElementChild;
  const alike = others.filter((other) => only(selector, other, el.localName)).length;
  const text = head && !head.contains(el) && alike >= (isOfMonth(el, textOf) ? 2 : 1) ? textOf(head) : ""; // a month has two weeks with a 30, at most
  const near = format("near", selector);
  const isTold = text !== "" && saidNowhereIn(term ? siblings(term) : others)(text) && queryPath([format("text", text), near], rootOf(el))[0] === el;
  return isTold ? { texts: [text], near, which, place: true, ...calling(head as Element) } : undefined;
}

/** How far up the place of a control in its row goes. */
const PLACE_HEIGHT = 3;

/** The places of a control that shows a picture and has no name: others of its row may look the same. */
export function placesOfNameless(el: Element): string[] {
  if (!roleOf(el) || CELLS.has(roleOf(el)) || nameOf(el)) return [];
  const places: string[] = [];
  for (let at = el, within = ""; at.parentElement && places.length < PLACE_HEIGHT; at = at.parentElement, within = ` > ${places.at(-1)}`) {
    const alike = elementsIn(at.parentElement).filter((other) => other.localName === at.localName);
    places.push(`${at.localName}:nth-of-type(${alike.indexOf(at) + 1})${within}`);
  }
  return places;
}

/** Whether an element is a cell below the head of a column, or says all that one does, and of no week of a calendar. */
export function isCell(el: Element): boolean {
  return knownCells(el, () => {
    let cell = el;
    const says = textOf(el);
    while (cell.parentElement && roleOf(cell) === "" && textOf(cell.parentElement) === says) cell = cell.parentElement;
    return /^(?:cell|gridcell)$/.test(roleOf(cell)) && headOver(cell) !== undefined && !isInWeek(cell, textOf);
  });
}

const knownCells = perPass<Element, boolean>();

const CELLS = new Set(["", "cell", "gridcell"]);

const PLACED = new Set([...CELLS, "button", "link"]);

export const isPlace = (selector: string) => selector.includes(":nth-of-type(");
