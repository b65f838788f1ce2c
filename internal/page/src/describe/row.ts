// What tells a control that says nothing itself: a text next to it. Where it stands in each row of a list, that is which
// row it is of.

import { CELL, columnOf, columnSaid, elementsIn, fieldOf, firstOf, hasEditContext, headOver, holdsField, inOnePass, isTextEntry, isVisible, placeAmongAlike, rootOf, withoutSigns } from "../dom/elements";
import { hiddenNameOf, nameOf, roleOf, textStart } from "../dom/names";
import { isDated, isDay, isInWeek } from "../dom/calendar";
import { isGenerated } from "../locate/generated";
import { anyNumber } from "../locate/newest";
import { fits, format, headed, isOfKind, parse, queryPath, saysOnly, shownFields } from "../locate/selector";
import { repeatsSecret } from "../secret/secrets";
import { atItsPlace, columnsOfNameless, innerSelectors, isCell, isPlace, only, pathIn, placeInPlan, placesAmongCells, placesOfNameless, rowOfPlan, withoutValue } from "./inner";
import { bareText, bareTexts, calledIn, calling, classSelector, COMPARED, cousins, FEW, FIELDS, HEADING, HEIGHT, holdsAny, holdsControl, HOSTED, isName, isOfNames, isSaidIn, isTextual, isWritable, leadsOnlyTo, LONGEST, numbered, ownTexts, pairOf, PARTS, type Row, ROW, saidIn, saidNowhereIn, siblings, tellingFields, tellingTexts, textOf, textsOf, TOLD, toldByItself, WORDS, worth } from "./texts";

/** So many other rows that have a control of that name are of a kind: the heads of groups, among the rows of these. */
const HEADS = 2;

/** The row of a control that others have, too; undefined for another. A value that the control shows is in no part of what finds it there. */
export function rowOf(el: Element, value = ""): Row | undefined {
  return inOnePass(() => {
    const own = innerSelectors(el, value);
    const across = columnAcross(el, own);
    if (across) return across;
    const plan = placeInPlan(el);
    const hidden = !isVisible(el); // something is drawn in place of a box
    let inner = plan ? [plan.selector] : [...withoutValue(el), ...(isCell(el) ? own.filter((selector) => !/^(?:aria|text)\//.test(selector)) : own), ...columnsOfNameless(el, value), ...placesAmongCells(el), ...placesOfNameless(el)];
    for (let at = el.parentElement, height = 0; at?.parentElement && height < HEIGHT; height++, at = at.parentElement) {
      const row = at;
      if (isWindow(row)) return undefined; // what is asked there is of no row of the page
      inner = inner.filter((selector) => only(selector, row, el.localName, hidden) === el);
      if (!inner.length) break;
      const found = plan ? rowOfPlan(el, row, plan) : rowAt(el, row, inner, value);
      if (found) return { ...found, rise: height + 1 };
    }
    return rowUnderHead(el, isCell(el) ? [] : own);
  });
}

/** What heads a record that has no box of its own. */
const RECORD_HEAD = "h1,h2,h3,h4,h5,h6,dt";

/** How far above a control the part of its record may be that stands next to the head of that. */
const UNDER_HEIGHT = 3;

/** Whether an element asks what the radio buttons after it answer. */
function isQuestion(el: Element): boolean {
  return el.localName !== "label" && !el.querySelector("input,select,textarea,button,a") && /\p{L}{2}/u.test(textOf(el));
}

/**
 * The record of a control that a heading or a term tells, or the question that a radio button answers, and has no box of its own:
 * under another there is such a control, too, and no other form.
 */
function rowUnderHead(el: Element, inner: readonly string[]): Row | undefined {
  const isAnswer = roleOf(el) === "radio";
  let head: Element | null = null;
  for (let box: Element | null = el, height = 0; box && !head && height < UNDER_HEIGHT; box = box.parentElement, height++) {
    head = box.previousElementSibling;
    while (head && !head.matches(RECORD_HEAD) && !(isAnswer && isQuestion(head))) head = head.previousElementSibling;
  }
  const text = head ? textOf(head) : "";
  const others = head ? siblings(head) : [];
  if (!head || !/\p{L}{2}/u.test(text) || !saidNowhereIn(others)(text)) return undefined;
  for (const selector of inner) {
    const isSuch = (part: Element) => part !== el && [part, ...part.getElementsByTagName(el.localName)].some((one) => fits(one, selector));
    const path = [format("text", text), format("near", selector)] as const;
    const isSuchRecord = (other: Element) => headed(other).some(isSuch) && asks(headed(other)) === asks(headed(head));
    const name = el.getAttribute("name") ?? "";
    const which = isAnswer && (/\d/.test(name) || isGenerated(name) || isOfRowAlone(el, text)) ? { which: nameOf(el) } : {};
    if (others.some(isSuchRecord) && leadsOnlyTo(el, path)) return { texts: [text], near: path[1], rise: UNDER_HEIGHT, ...which };
  }
  return undefined;
}

/** The row of what draws a control in its shadow root, as each row may have a button of a library's. */
export function rowOfHost(el: Element): Row | undefined {
  const root = rootOf(el);
  if (!(root instanceof ShadowRoot) || rootOf(root.host) !== document || !HOSTED.has(roleOf(el))) return undefined;
  const row = rowOf(root.host);
  return row && { ...row, hosted: true };
}

/** How far above a control the part of the page may be that a text next to it is in. */
const AROUND = 30;

/** The path to a control from the text that is nearest to it, where there is only one such control; undefined for none. A value that the control shows is in no part of it. */
export function nextToText(el: Element, value = ""): string[] | undefined {
  const isOther = (text: string) => value === "" || !text.includes(value);
  if (hasEditContext(el) || fieldOf(el) && headOver(el)) return undefined; // next to it is drawn what it holds, or what other cells say
  let inner = innerSelectors(el, value);
  const caption = captionOf(el, inner);
  if (caption && isOther(caption[0] ?? "")) return caption;
  for (let at = el.parentElement, height = 0; at && height < AROUND && inner.length; height++, at = at.parentElement) {
    const around = at;
    inner = inner.filter((selector) => only(selector, around, el.localName) === el);
    const texts = inner.length ? tellingTexts(el, around, around.matches(ROW) ? siblings(around) : []).filter((part) => worth(part) >= WORDS && !part.closest('[role=option],[role=menuitem]') && !part.closest("label")?.control && !isValueOf(el, part) && isOther(textOf(part))).slice(0, TOLD) : []; // what labels it may label others, too
    for (const selector of inner) {
      for (const part of texts) {
        const path = [format("text", textOf(part)), format("near", selector)];
        if (leadsOnlyTo(el, path)) return path;
      }
    }
    if (texts.length || isOneOfCards(around, el)) return undefined; // what is farther says less, or is said of others
  }
  return undefined;
}

/** The path to a field from the words in the box right before its own. */
function captionOf(el: Element, inner: readonly string[]): string[] | undefined {
  const caption = captionBefore(el);
  return caption && inner.map((selector) => [format("text", textOf(caption)), format("near", selector)]).find((path) => leadsOnlyTo(el, path));
}

/** The box with one text right before that of a field. */
function captionBefore(el: Element): Element | undefined {
  let box = el;
  while (box.parentElement && !box.previousElementSibling && saysOnly(box.parentElement, el)) box = box.parentElement;
  const caption = fieldOf(el) && !headOver(el) ? box.previousElementSibling : null;
  if (!caption || !isVisible(caption) || holdsField(caption) || labelsOther(caption, el)) return undefined;
  const isOne = elementsIn(caption).filter((part) => textOf(part) !== "").length <= 1;
  return isOne && /\p{L}{2}/u.test(textOf(caption)) && textOf(caption).length <= LONGEST ? caption : undefined;
}

/** Whether a line of a form has several fields, each after its own caption. */
function isOfCaptions(el: Element, line: Element, others: readonly Element[]): boolean {
  const isAlone = saidNowhereIn(others);
  const isCaptioned = (field: Element) => [captionBefore(field)].some((caption) => caption && isAlone(textOf(caption)));
  return isCaptioned(el) && [...line.querySelectorAll(FIELDS)].some((field) => field !== el && isCaptioned(field));
}

/** Whether a box has a control next to that one, as the others of its kind do that stand next to it. */
function isOneOfCards(box: Element, el: Element): boolean {
  const kind = classSelector(box);
  return kind !== "" && holdsControl(box, el) && siblings(box).filter((other) => fits(other, kind) && holdsControl(other, el)).length >= FEW - 1;
}

/** The column of a control that others of its row have another of, and no other row has; undefined where the columns say different things of one record. */
function columnAcross(el: Element, inner: readonly string[]): Row | undefined {
  const [cell, row] = [el.closest(CELL), el.closest("tr,[role=row]")];
  const head = cell && row && !isTextEntry(el) && !cell.closest("thead") && !isInWeek(cell, textOf) ? columnSaid(cell) : "";
  if (!cell || !row || !HOSTED_OR_CHOSEN.has(roleOf(el)) || head === "" || head.length > LONGEST || repeatsSecret(head)) return undefined;
  const isSuch = (other: Element) => other !== el && roleOf(other) === roleOf(el) && nameOf(other) === nameOf(el) && textOf(other) === textOf(el);
  const controls = (one: Element) => firstOf(one.getElementsByTagName(el.localName), PARTS);
  if (!controls(row).some((other) => !cell.contains(other) && isSuch(other)) || siblings(row).some((other) => controls(other).some(isSuch))) return undefined;
  const near = inner.map((selector) => format("near", selector)).find((selector) => leadsOnlyTo(el, [format("under", head), selector]));
  let rise = 0;
  for (let at = el; at !== row && at.parentElement; at = at.parentElement) rise++;
  return near ? { texts: [head], called: "column", near, rise, across: true, ...(roleOf(el) === "radio" ? { which: nameOf(el) } : {}) } : undefined;
}

const HOSTED_OR_CHOSEN = new Set([...HOSTED, "radio", "combobox", "listbox"]);

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
  if (at.localName === "fieldset" || at.localName === "label") return undefined; // a part of a form, with its legend; what a control is called
  const next = siblings(at);
  const others = (next.length ? next : cousins(at)).filter((other) => isVisible(other) && holdsAny(other));
  if (others.some((other) => overlap(at, other))) return undefined; // windows, and no rows
  if (!others.length && !at.matches(ROW)) return undefined;
  const takesValue = isTextEntry(el) || el.matches(FIELDS) || isWritable(at) || roleOf(el) === "combobox" || el.querySelector('[role="combobox"]') !== null;
  if (takesValue && !at.matches('tr,[role="row"]') && !isLine(el, at, others)) return undefined; // a field of a form, with its label
  if (takesValue && isOfCaptions(el, at, others)) return undefined;
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
    const dated = isDated(own) && selector === withoutValue(el)[0] ? own : ""; // which date it is tells it, and an amount does not
    const near = format("near", dated ? format("aria", `${dated}[role="${roleOf(el)}"]`) : selector);
    const saying = (part: Element) => format(part instanceof HTMLInputElement ? "value" : "text", textOf(part));
    const leads = (says: string) => queryPath([says, near], rootOf(el))[0] === el;
    const leadsToEl = (part: Element) => leads(saying(part));
    const texts = tellingTexts(el, at, others).filter((part) => !part.closest("label") && (covers || !isValueOf(el, part))).slice(0, TOLD).filter(leadsToEl);
    const written = opensField(el, at) ? [] : tellingFields(el, at, others).slice(0, TOLD).filter(leadsToEl);
    const worthy = texts.filter((part) => worth(part) >= WORDS);
    const isFirst = written.some((field) => worthy.every((part) => field.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING)); // what is written first names the row, rather than what was chosen in it
    const fields = isFirst ? written : [];
    const found = fields.length ? fields : texts;
    const name = found.find((part) => isName(part, el, at));
    const telling = name ? [name, ...found.filter((part) => part !== name)] : found; // rather than a count that no other row has by chance
    const [first] = telling;
    const before = name ? "" : toldByItself(el, counterparts, others);
    if (before) return { texts: [before], near, held: true, itself: true };
    const place = isCell(el) || isPlace(selector);
    if (place && !isWithin(el, at)) return undefined; // a menu of the row
    const isNumbered = namesakes > 0 && counterparts.every((other) => (nameOf(other) || hiddenNameOf(other)) !== own);
    const head = parse(selector).kind === "under" ? columnOf(el) : "";
    const isAnswer = isAnswerIn(el, at) || (first !== undefined && isOfRowAlone(el, textOf(first)));
    const which = /\d/.test(head) || (head !== "" && roleOf(el) === "radio") ? { which: head } : dated || isAnswer ? { which: own } : {}; // a date is another one later, and so is an answer
    const alone = { ...which, ...(isPlain(el, at) ? { plain: true } : {}), ...(isNumbered ? { numbered: true } : {}), ...(counterparts.length ? {} : { alone: true }) };
    const bare = place || (first && worth(first) >= WORDS) ? "" : bareText(el, at, others);
    if (place && name && tellsItself(el, name, counterparts)) return undefined;
    const says = bare ? format("text", bare) : name ? saying(name) : "";
    const grouped = counterparts.length && !(says && leadsOnlyTo(el, [says, near])) ? groupOf(el, at, near) : undefined;
    if (grouped) return { ...grouped, near, ...(place ? { place } : {}), ...alone };
    if (bare && leads(says)) return { texts: [bare], near, ...alone };
    const [lead] = textsOf(el, at);
    const byChance = name && lead && !found.includes(lead) && !isOfNames(name, at, looked); // others of its column are said twice, and so is what its row begins with
    const pair = !counterparts.length || (name && !byChance) || !(first || at.matches(ROW)) ? undefined : pairOf(el, at, others).find(([one, also]) => leadsOnlyTo(el, [format("text", textOf(one)), format("near", format("text", textOf(also))), near]));
    if (pair) return { texts: [textOf(pair[0])], near, ...calling(pair[0]), also: { text: textOf(pair[1]), ...calling(pair[1]) }, ...(place ? { place } : {}), ...alone };
    if (!first || (place && !name)) return undefined;
    const headed = first.closest(HEADING) !== null;
    const elsewhere = others.map(saidIn);
    const shared = textOf(first).split(" ").map(withoutSigns).filter((word) => elsewhere.some((said) => isSaidIn(said, word)));
    return { texts: [...new Set(telling.map(textOf))], near, ...(shared.length ? { shared } : {}), ...(headed ? { headed } : {}), ...(place ? { place } : {}), ...calling(first), ...(fields.length ? { held: true } : cellOf(first)), ...alone };
  }
  return undefined;
}

/** The cell of a row that a part stands in, by its column: under its head or, without one, by its place among as many. */
function cellOf(part: Element): Pick<Row, "told"> {
  const cell = part.closest(CELL);
  if (!cell?.parentElement?.matches("tr,[role=row]")) return {};
  const head = columnSaid(cell);
  if (head && head.length <= LONGEST && !/\d/.test(head) && !repeatsSecret(head)) return { told: format("under", head) };
  const cells = elementsIn(cell.parentElement);
  const at = cells.indexOf(cell);
  return { told: `${cell.localName}:nth-child(${at + 1}):nth-last-child(${cells.length - at})` };
}

/** Whether an element is pressed to write in the only field of a row: what is chosen there does not tell the row. */
function opensField(el: Element, row: Element): boolean {
  const [field, other] = shownFields(row);
  return !HOSTED.has(roleOf(el)) && !isTextEntry(el) && field !== undefined && !other && ((el.parentElement ?? el).contains(field) || overlap(el, field));
}

/** Whether a radio button is one of a record, which says more than what is asked. */
function isAnswerIn(el: Element, row: Element): boolean {
  return roleOf(el) === "radio" && textsOf(el, row).filter((part) => !part.closest("label")).length > 1;
}

/** Whether the name of a radio button's group has the words of its row in it. */
function isOfRowAlone(el: Element, text: string): boolean {
  const name = roleOf(el) === "radio" ? (el.getAttribute("name") ?? "") : "";
  const tight = (words: string) => words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return tight(text) !== "" && tight(name).includes(tight(text));
}

/** Whether a box holds a control and one text next to it, and is no row by its tag or role. */
function isPlain(el: Element, box: Element): boolean {
  const says = (part: Element) => !part.contains(el) && !el.contains(part) && isTextual(part) && isVisible(part);
  return !box.matches(ROW) && !holdsControl(box, el) && firstOf(box.getElementsByTagName("*"), PARTS).filter(says).length <= 1;
}

/** So many texts before a row are tried as what rows are grouped by. */
const GROUPS = 6;

/** What the rows are grouped by that a row is one of, and what of the row only it says in its group; undefined where they are not. */
function groupOf(el: Element, row: Element, near: string): Pick<Row, "texts" | "called" | "also"> | undefined {
  const own = [...textsOf(el, row).filter((part) => isName(part, el, row)).map((part) => ({ text: textOf(part), ...calling(part) })), ...bareTexts(el, row).map((text) => ({ text, called: "" }))];
  let tried = 0;
  for (let box: Element | null = row; box?.parentElement && tried < GROUPS; box = box.parentElement) {
    for (let before = box.previousElementSibling; before && tried < GROUPS; before = before.previousElementSibling) {
      if (isOfKind(before, box) || before.localName === "thead" || !isVisible(before)) continue;
      if (before.querySelector(FIELDS)) return undefined; // a form, and no heading
      for (const head of textsOf(el, before).slice(0, 2)) {
        tried++;
        const also = own.find(({ text }) => leadsOnlyTo(el, [format("text", textOf(head)), format("near", format("text", text)), near]));
        if (also) return { texts: [textOf(head)], called: (!head.matches("[colspan]") && calledIn(head)) || "group", also };
      }
      break; // what is farther is over other rows
    }
  }
  return undefined;
}

/** Whether an element is a window over the page. */
function isWindow(el: Element): boolean {
  return el.matches('dialog,[role="dialog"],[role="alertdialog"]') || getComputedStyle(el).position === "fixed";
}

/** Whether a box with fields is one of a list, each of which asks the same of another thing, rather than a field of a form with its label. */
function isLine(el: Element, box: Element, others: readonly Element[]): boolean {
  const own = asks([box]);
  if (own === "" || others.filter((other) => asks([other]) === own).length * 2 < others.length) return false;
  const texts = [...tellingTexts(el, box, others).filter((part) => !part.closest("label")).map(textOf), bareText(el, box, others)].filter((text) => text !== "");
  if (!texts.length && !nameOf(el)) return box.matches(ROW) && toldByItself(el, others, others) !== "";
  const isCounted = (text: string) => /\d+$/.exec(text)?.[0] === String(placeAmongAlike(box)); // "Server 2" is what its fields are called
  return texts.some((text) => !isCounted(text)) && (texts.length > 1 || holdsControl(box, el) || /[^\s|]/.test(own));
}

/** What the fields in some boxes ask for. */
function asks(boxes: readonly Element[]): string {
  return boxes.flatMap((box) => [...box.querySelectorAll(`${FIELDS},[contenteditable]:not([contenteditable=false])`)]).filter(isVisible).map(asked).join("\n");
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

function overlap(one: Element, other: Element): boolean {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
}

/** Whether one element is drawn no higher and no lower than another. */
function isWithin(el: Element, box: Element): boolean {
  const [a, b] = [el.getBoundingClientRect(), box.getBoundingClientRect()];
  return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
}

/** Whether a cell is known by its own words: one of a column is, unless what stands before it tells its row. */
function tellsItself(el: Element, first: Element, others: readonly Element[]): boolean {
  const text = textOf(el);
  if (isCell(el) && first.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING) return false;
  return /\p{L}{2}/u.test(text) && !others.some((other) => textOf(other) === text);
}
