// Which of several an element is: one of the items that people choose from, or the name of a record. And which control
// shows what is chosen in the list that it opens.

import { isOfMonth } from "../dom/calendar";
import { deepActiveElement, elementsIn, firstOf, headOver, isTextEntry, isVisible, normalize, placeAmongAlike, rootOf, valueOf, withoutSigns } from "../dom/elements";
import { INTERACTIVE, nameOf, roleOf, textStart } from "../dom/names";
import { isSensitive, quote } from "../secret/secrets";
import { isOfRecord } from "./records";
import { rowOf } from "./row";
import { FIELDS, type Row } from "./texts";

/** A control that may show what is chosen in a list that it opens. */
export interface Opener {
  ref: number;
  words: string; // that it shows
  captioned: string[][]; // the path to it by the text next to it, as the only one of several or none
  row?: Row; // as a control that shows a value
}

/** Roles of what is chosen in a list, and known by what it shows. */
export const CHOICES = new Set(["option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem"]);

/** How far above what is pressed an item of a list may be: an option has its text in a part of its own. */
const ITEM_DEPTH = 4;

/** Whether the element is, or is in, one of several of a kind next to each other. */
export function isListed(el: Element): boolean {
  let at: Element | null = el;
  for (let depth = 0; at && depth < ITEM_DEPTH; depth++, at = at.parentElement) if (placeAmongAlike(at)) return true;
  return false;
}

/**
 * Whether another of its list says what the field with the focus holds, too: that does not tell which of them is chosen.
 * One that ends with it offers to make it.
 */
export function hasRival(el: Element): boolean {
  const field = deepActiveElement();
  const typed = field instanceof HTMLElement && isTextEntry(field) && !field.contains(el) && !isSensitive(field) ? normalize(valueOf(field)).toLowerCase() : "";
  if (!typed) return false;
  const says = (one: Element, like: Element) => one.localName === like.localName && isVisible(one) && goesOn(textOf(one).toLowerCase(), typed);
  let at: Element | null = el;
  for (let depth = 0; at && depth < ITEM_DEPTH; depth++, at = at.parentElement) {
    const like = at;
    if (like.parentElement && elementsIn(like.parentElement, MANY).some((one) => one !== like && says(one, like))) return true;
  }
  return false;
}

function goesOn(text: string, typed: string): boolean {
  return text.startsWith(typed) || /[\p{L}\p{N}]/u.test(text.split(typed).slice(1).join(""));
}

/** So many of a kind are a list of choices; fewer buttons in a row are the answers of a dialog. */
const FEW = 3;

const FEW_BUTTONS = 7; // a week

/** So many of a tag are looked at for another that says the same. */
const MOST_ALIKE = 1000;

/** More of a list are not looked at. */
const MANY = 100;

/** What is longer is no choice in a list, in characters; and so many of the document are read of one, spaces included. */
export const LONGEST_ITEM = 60;

const MOST_READ = 500;

export function textOf(el: Element): string {
  return normalize(textStart(el, MOST_READ));
}

/** Whether what is pressed is the name of one record of several. */
export function namesRecord(el: Element): boolean {
  if (isOfMonth(el, textOf)) return false;
  const cell = el.parentElement?.closest("td,[role=gridcell]");
  if (cell && textOf(el).length <= LONGEST_ITEM && heldBy(cell, el) === el && !isRepeated(el, cell)) return true;
  if (cell && isRepeated(el, cell, true)) return false;
  const isCellsOwn = roleOf(el) === "button" && el.closest("td,[role=cell]")?.querySelectorAll("a,button,input,[role=button]").length === 1;
  const mayName = el.localName === "a" || roleOf(el) === "link" || isCellsOwn || !INTERACTIVE.has(roleOf(el));
  return textOf(el).length <= LONGEST_ITEM && mayName && isOfRecord(el);
}

/** Whether others of the grid, or of the column, say the same, as the commands of each row do. */
function isRepeated(el: Element, cell: Element, inColumn = false): boolean {
  const grid = cell.closest("table,[role=grid],[role=treegrid]");
  const place = (of: Element | null) => (of?.parentElement ? [...of.parentElement.children].indexOf(of) : -1);
  const isBelow = (other: Element) => !inColumn || place(other.closest("td,[role=gridcell]")) === place(cell);
  const says = (other: Element) => !cell.contains(other) && !other.contains(el) && textOf(other) === textOf(el);
  return Array.from(grid?.getElementsByTagName(el.localName) ?? []).slice(0, MANY).some((other) => says(other) && isBelow(other));
}

/**
 * Whether the element is one of several of a kind that say different things: an option or a day
 * that a page draws without telling its role, a cell of a row. Of buttons, and of links that lead
 * nowhere, only those in a box over the page: elsewhere each is a control of its own.
 */
export function isItem(el: Element): boolean {
  const text = saidOf(el);
  if (text !== "" && (isSegment(el) || isValue(el) || el.matches("[role=listbox] > li,[role=menu] > li"))) return true;
  const isControl = INTERACTIVE.has(roleOf(el)) && !(onlyPressed(el) && isOfMonth(el, textOf));
  if (text === "" || text.length > LONGEST_ITEM || isControl && !(onlyPressed(el) && inBox(el))) return false;
  let at: Element | null = el;
  for (let depth = 0; at && depth < ITEM_DEPTH && saidOf(at) === text; depth++, at = at.parentElement) {
    if (at !== el && isControl && at.matches("td,[role=cell],[role=gridcell]")) return false; // the cells next to it are no others of its kind
    if (at.querySelector(ASKS)) return false; // it is what a field is called, of a form
    const box = at;
    const holdsOne = (other: Element) => !isControl || box === el || [...other.getElementsByTagName(el.localName)].some((one) => textOf(one) === textOf(other)); // and is no line of a form
    const alike = [...(at.parentElement?.children ?? [])].slice(0, MANY).filter((other) => isAlike(other, box) && saidOf(other) !== "" && holdsOne(other));
    const enough = roleOf(el) !== "button" || areStacked(alike) ? FEW : FEW_BUTTONS;
    if (alike.length >= enough) return new Set(alike.map(saidOf)).size > alike.length / 2 && !standsElsewhere(el);
  }
  return false;
}

/** Whether others of its kind in several other boxes say the same, as the seats of each row have the same numbers: it does not tell which. */
function standsElsewhere(el: Element): boolean {
  const all = firstOf((el.closest("table") ?? el.ownerDocument).getElementsByTagName(el.localName), MOST_ALIKE);
  const isSame = (other: Element) => other !== el && other.className === el.className && other.parentElement !== el.parentElement && textOf(other) === textOf(el) && isVisible(other);
  return all.filter(isSame).length >= FEW - 1;
}

/** What an element says, or is called that says nothing and has no role, as the patch of a colour. */
function saidOf(el: Element): string {
  return textOf(el) || (roleOf(el) === "" && !el.childElementCount ? nameOf(el) : "");
}

/** Whether an element is one of several boxes that are the answers to one question: of one name, or those of a list over the page. */
export function isBoxOfSeveral(el: Element): boolean {
  if (!(el instanceof HTMLInputElement) || el.type !== "checkbox" || nameOf(el) === "") return false;
  const areOthers = (boxes: Element[], least: number) => boxes.length >= least && new Set(boxes.map(nameOf)).size === boxes.length;
  const named = el.name ? [...(el.form ?? rootOf(el)).querySelectorAll(`input[type=checkbox][name="${CSS.escape(el.name)}"]`)] : [];
  if (areOthers(named, 2)) return true;
  const list = inBox(el) ? el.closest("ul,ol,[role=listbox],[role=menu]") : null;
  return list !== null && areOthers([...list.querySelectorAll("input[type=checkbox]")], FEW);
}

/** What may open a list, as it is before that. */
export interface Pressed extends Omit<Opener, "row"> {
  element: Element;
}

/** The control that was pressed before a choice, where its words are one of the choices: what it shows is a value. */
export function openerOf(el: Element, { element, words, ...opener }: Pressed): { opener?: Opener } {
  if (!(CHOICES.has(roleOf(el)) || isItem(el)) || textOf(el) === "" || !element.isConnected) return {};
  const shown = withoutSigns(words);
  const isSaid = (one: Element) => shown !== "" && withoutSigns(textOf(one)) === shown;
  for (let at = el.parentElement, depth = 0; at && depth < ITEM_DEPTH && !at.contains(element); at = at.parentElement, depth++) {
    const choices = [...at.getElementsByTagName(el.localName)].slice(0, MANY);
    const chosen = choices.length > 1 ? choices.find(isSaid) : undefined;
    if (!chosen) continue;
    const row = rowOf(element, shown);
    const isOfTable = headOver(element) !== undefined && !row?.near.includes("under/"); // its table tells it, as that of a cell
    return isOfTable || standsAs(chosen, element) ? {} : { opener: { ...opener, words: quote(shown), ...(row ? { row } : {}) } }; // else the control of another row
  }
  return {};
}

/** Whether two elements are of a kind in boxes of a kind. */
function standsAs(one: Element, other: Element): boolean {
  const isSame = (a: Element | null, b: Element | null) => a?.localName === b?.localName && (a?.classList.length === 0 && b?.classList.length === 0 || [...(a?.classList ?? [])].some((name) => b?.classList.contains(name)));
  return isSame(one, other) && isSame(one.parentElement, other.parentElement);
}

const ASKS = `${FIELDS},[role=combobox]`;

/** Whether the element is one of a group of buttons of which one is pressed: the page draws a choice so. */
function isSegment(el: Element): boolean {
  if (!el.hasAttribute("aria-pressed")) return false;
  const all = Array.from(el.parentElement?.children ?? []).slice(0, MANY);
  return all.every((one) => one.hasAttribute("aria-pressed")) && all.filter((one) => one.ariaPressed === "true").length === 1 && all.length > 1;
}

/** What is said by one of several buttons that are values and no commands: a number, an hour, a size. */
const VALUE = /^(?:\d{1,4}(?:\s?\p{L}{1,8})?|\d{1,2}[:.]\d{2}|\p{Lu}{1,3})$/u;

/** Whether the element is one of a group of buttons that say a value each; those of a keypad are pressed one after the other. */
function isValue(el: Element): boolean {
  if (roleOf(el) !== "button" || !VALUE.test(textOf(el))) return false;
  const all = Array.from(el.parentElement?.children ?? []).slice(0, MANY).filter((one) => roleOf(one) === "button");
  const isKeypad = all.filter((one) => /^\d$/.test(textOf(one))).length >= KEYS;
  return all.length >= FEW && !isKeypad && all.every((one) => VALUE.test(textOf(one)));
}

/** The digits of a keypad. */
const KEYS = 9;

/** Whether elements stand one below the other. */
function areStacked(all: readonly Element[]): boolean {
  const boxes = all.map((el) => el.getBoundingClientRect());
  return boxes.every((box, i) => i === 0 || box.top >= (boxes[i - 1] as DOMRect).bottom - 1);
}

/** Whether elements are of a kind. One without a class may have got one under the pointer, or as the one that is chosen. */
function isAlike(one: Element, other: Element): boolean {
  if (one.localName !== other.localName) return false;
  const some = Math.min(one.classList.length, other.classList.length) > 0;
  return !some || one.classList.length === other.classList.length || [...one.classList].some((name) => other.classList.contains(name));
}

export function onlyPressed(el: Element): boolean {
  if (el.localName !== "a") return roleOf(el) === "button";
  return /^(?:#(?![/!])|javascript:)/.test(el.getAttribute("href") ?? "#"); // "#/…" is the address of a view
}

/** How far above an item the box over the page is that it stands in. */
const BOX_HEIGHT = 8;

function inBox(el: Element): boolean {
  let at = el.parentElement;
  for (let height = 0; at && height < BOX_HEIGHT; height++, at = at.parentElement) {
    if (!/absolute|fixed/.test(getComputedStyle(at).position)) continue;
    const { width, height: tall } = at.getBoundingClientRect();
    return width * tall < innerWidth * innerHeight / 2;
  }
  return false;
}

/** What a cell holds that is pressed for itself, where it holds more: an event of a day, and not the day. */
export function heldBy(cell: Element, hit: Element): Element | null {
  if (roleOf(cell) !== "gridcell" || getComputedStyle(cell).cursor === "pointer") return null;
  let held: Element | null = null;
  for (let at: Element | null = hit; at && at !== cell; at = at.parentElement) if (getComputedStyle(at).cursor === "pointer") held = at;
  if (!held || textOf(held) === "" || textOf(held) === textOf(cell)) return null;
  return textOf(hit) === textOf(held) ? hit : held;
}
