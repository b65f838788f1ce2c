// Finding another of the kind of a recorded element: another option of its list, the row
// of another record. Only its words are known; that others say them too, as the control
// that opened the list, is told by what such elements have in common.

import { dateIn, holdsMonthOrCount, isDay, isInItsMonth, MONTH_HEIGHT } from "../dom/calendar";
import { composedParent, isVisible, literal, normalize, placeAmongAlike, type Root } from "../dom/elements";
import { roleOf, saysExactly, textHolders, textStart } from "../dom/names";
import { aroundOf, ownOf, unpack } from "./evidence";
import type { Fingerprint } from "./fingerprint";
import { fits, isDayOf, parse, queryAll, saysAll } from "./selector";

type KinTraits = Pick<Fingerprint, "key" | "tag" | "role" | "own">;

/** What elements of the kind have in common with one that was recorded. */
export interface Kin extends KinTraits {
  shapes?: string[]; // XPaths of it without the positions
  places?: string[]; // CSS selectors of it without the positions
  rise?: number; // as in Fingerprint
  told?: string; // the same
  whole?: boolean; // the same
  above?: string; // what the boxes around it are called, hashed
  begins?: boolean; // it began with what was typed, where another of the list may hold that
  group?: string; // a CSS selector of the radio buttons that it is one of
  turns?: number[]; // which of those of its tag in its box it was, and then each box around it
}

/** How far above its words an element of the kind may be: an option has its text in a part of its own, and what was searched for marked in that. */
const DEPTH = 3;
const DEPTH_OF_ROLE = 10; // where its role tells it
/** The longest text of one: what says more holds several. */
const LONGEST = 300;

/** The elements of the kind that say the words, and nothing else where there are such. */
export function kinSaying(words: string, kin: Kin, root: Root): Element[] {
  const shaped = shapedIn(kin, root);
  const days = dateIn(words) === words ? [...shaped].filter((el) => isDayOf(el, words)) : [];
  if (days.length) return days;
  const holders = [...textHolders(words, root)];
  const kinsAround = (past: boolean) => holders.map((el) => kinAround(el, kin, shaped, past)).filter((el) => el !== undefined);
  const boxes = kinsAround(false);
  const around = boxes.length ? boxes : kinsAround(true); // what is dragged may hold a link with its name
  const alike = around.filter((el) => isUsed(kin.role ?? "") || stands(el, kin, shaped));
  const own = alike.length ? alike : around.filter((el) => shaped.has(el)); // an hour after noon may be drawn as another kind
  const rows = own.length || isUsed(kin.role ?? "") ? own : holders.filter((el) => isPlain(el) && [...el.querySelectorAll(kin.tag || "*")].some((part) => isKin(part, kin) && stands(part, kin, shaped)));
  const all = [...new Set(rows)].filter((el) => limits(DIGITS, words).test(saidBy(el)) && (!kin.whole || saysAll(el, words)));
  const isPlaced = (el: Element) => kin.places?.some((place) => fits(el, place)) ?? false; // as a day of the month that is shown, and not of the next
  const begins = (el: Element) => kin.begins === true && saidBy(el).startsWith(words);
  return [(el: Element) => saysExactly(el, words), begins, (el: Element) => limits(LETTERS, words).test(saidBy(el)), isPlaced]
    .reduce((left, says) => (left.some(says) ? left.filter(says) : left), ofItsMonth(all, kin));
}

/** Those that stand where the recorded one did. */
export function kinIn(kin: Kin, root: Root): Element[] {
  return [...shapedIn(kin, root)];
}

/** What those that stand where the recorded one did say, for a person who has asked for another. */
export function saidByKin(kin: Kin, root: Root): string[] {
  const said = [...shapedIn(kin, root)].filter(isVisible).map(saidBy);
  return [...new Set(said)].filter((text) => text !== "" && text.length < LONGEST);
}

/** Of more that say the same none is the day of a calendar, even of one that shows a year. */
const MOST_DAYS = 36;

/** Of days that are shown twice, as of two months, or of an hour that is a minute, too, the one that looks just as the recorded one did, in the calendar where that stood. */
function ofItsMonth(all: Element[], kin: Kin): Element[] {
  if (all.length > MOST_DAYS) return all;
  const had = unpack(kin.own?.class ?? "");
  const differs = (el: Element) => { // a day that is chosen, or of today, has a class more
    const is = ownOf(el, kin.key).class ?? [];
    return is.filter((hash) => !had.includes(hash)).length;
  };
  const days = all.filter((el) => isDay(saidBy(el)));
  const inMonth = days.filter((el) => isInItsMonth(el, saidBy));
  if (days.length === all.length && !inMonth.length && all.every((el) => differs(el) > 0)) return []; // the month has no such day
  const same = best(inMonth.length ? inMonth : days, (el) => -differs(el));
  const [only, other] = best(best(same, (el) => sameTurns(el, kin)), (el) => sharedAbove(el, kin));
  return only && !other ? [only] : all;
}

/** Those of which most is said. */
function best(all: Element[], score: (el: Element) => number): Element[] {
  const scores = all.map(score);
  return all.filter((_, i) => scores[i] === Math.max(...scores));
}

/** How many of the boxes around a day or an hour, from that of its month or its list on, stand in their box where that of the recorded one did. */
function sameTurns(el: Element, { turns = [] }: Kin): number {
  let count = 0;
  let isAround = false;
  let at: Element | null = el;
  for (let height = 0; at && height < turns.length; at = at.parentElement, height++) {
    isAround ||= height <= MONTH_HEIGHT && holdsMonthOrCount(at, el.localName, saidBy);
    if (isAround && (placeAmongAlike(at) || 1) === turns[height]) count++;
  }
  return count;
}

/** The element itself that is recorded by words in a part of it, where that says the same. */
export function aroundWords(holder: Element, print: KinTraits): Element {
  const around = kinAround(holder, print);
  return around && saysExactly(around, normalize(textStart(holder, LONGEST))) ? around : holder;
}

/** The first of the kind around words, also past what is used alone if that is asked for; of several boxes around them the one that stands where the recorded one did. */
function kinAround(holder: Element, kin: KinTraits & Pick<Kin, "whole">, shaped: Set<Element> = new Set(), past = false): Element | undefined {
  let first: Element | undefined;
  let at: Element | null = holder;
  const words = saidBy(holder);
  const highest = NAMING_ROLES.has(kin.role ?? "") ? DEPTH_OF_ROLE : DEPTH;
  for (let depth = 0; at && depth <= highest && saidBy(at).length < LONGEST; depth++, at = at.parentElement ?? composedParent(at)) { // a host that draws its words in a slot is right around them
    const isUsedAlone = isUsed(roleOf(at));
    if (isKin(at, kin) && (at === holder || isUsedAlone || saidBy(at) === words || (kin.whole && shaped.has(at)) || (kin.own?.class && sharesClass(at, kin)))) {
      if (!shaped.size || shaped.has(at)) return at;
      first ??= at;
    }
    if (isUsedAlone && !past) break;
  }
  return first;
}

function isKin(el: Element, { tag, role }: KinTraits): boolean {
  return roleOf(el) === (role ?? "") && (el.localName === tag || NAMING_ROLES.has(role ?? ""));
}

/** Roles that tell a kind, whatever the tag is. */
const NAMING_ROLES = new Set(["button", "link", "option", "menuitem", "menuitemradio", "menuitemcheckbox", "radio", "tab", "treeitem", "gridcell"]);
/** Roles of what opens lists, besides. */
const OPENING_ROLES = new Set(["combobox", "listbox", "textbox", "searchbox"]);

/** Whether an element is nothing that is used alone: in it may be what is recorded of a row, as the words of it that were marked. */
function isPlain(el: Element): boolean {
  return !isUsed(roleOf(el)) && saidBy(el).length < LONGEST;
}

/** Elements that stand where the recorded one did, in whatever position. */
function shapedIn(kin: Kin, root: Root): Set<Element> {
  return new Set((kin.shapes ?? []).flatMap((shape) => queryAll(shape, root)));
}

/** Whether an element looks as the recorded one or, without a class of either, stands where it did, as far as that is known. */
function stands(el: Element, kin: Kin, shaped: Set<Element>): boolean {
  if (kin.own?.class && ownOf(el, kin.key).class?.length) return sharesClass(el, kin);
  return shaped.has(el) || !kin.shapes?.length;
}

const isUsed = (role: string) => NAMING_ROLES.has(role) || OPENING_ROLES.has(role);

export function saidBy(el: Element): string {
  return normalize(textStart(el, LONGEST));
}

const LETTERS = String.raw`[\p{L}\p{N}]`;
const DIGITS = String.raw`\d`;

/** Matches words that are no part of a longer one: a number goes on with digits, anything else with letters, too. */
function limits(longer: string, words: string): RegExp {
  const edge = (at: string | undefined) => new RegExp(longer, "u").test(at ?? "");
  return new RegExp(`${edge(words[0]) ? `(?<!${longer})` : ""}${literal(words)}${edge(words.at(-1)) ? `(?!${longer})` : ""}`, "u");
}

/**
 * Of several elements that say the same those that are most of the kind: of its tag and role, with a class of its own,
 * where such elements stand, in boxes of the same names. Two of one list are never told apart.
 */
export function likeKin(all: Element[], kin: Kin, root: Root): Element[] {
  const days = ofItsMonth(all, kin);
  if (days.length === 1) return days;
  const { group } = kin;
  const grouped = group ? all.filter((el) => el.matches(group)) : [];
  if (grouped.length === 1) return grouped;
  const shaped = shapedIn(kin, root);
  const tests = [
    (el: Element) => isKin(el, kin),
    (el: Element) => shaped.has(el),
    (el: Element) => sharesClass(el, kin),
  ];
  const likely = tests.reduce((left, test) => (left.some(test) ? left.filter(test) : left), all);
  const [only, other] = best(likely, (el) => sharedAbove(el, kin));
  if (!only || other || all.some((el) => el !== only && areListed(el, only))) return all;
  return [only];
}

/** Whether an element does not show another picture than the recorded one; what only comes or goes, as under the mouse, makes no other one. */
export function showsAs(el: Element, { key, own }: KinTraits): boolean {
  const [was, is] = [unpack(own?.inner ?? ""), ownOf(el, key).inner ?? []];
  return was.every((hash) => is.includes(hash)) || is.every((hash) => was.includes(hash));
}

function sharesClass(el: Element, { key, own }: KinTraits): boolean {
  const had = unpack(own?.class ?? "");
  return ownOf(el, key).class?.some((hash) => had.includes(hash)) ?? false;
}

/** How many of the names of the boxes around the recorded element those around an element have. */
function sharedAbove(el: Element, { key, above }: Kin): number {
  const had = unpack(above ?? "");
  return had.length ? (aroundOf(el, key).above ?? []).filter((hash) => had.includes(hash)).length : 0;
}

/** Whether two elements are parts of two of one list: from what holds both, they stand alike. */
function areListed(a: Element, b: Element): boolean {
  const [ofA, ofB] = [chain(a, b), chain(b, a)];
  const [topA, topB] = [ofA[0], ofB[0]];
  if (!topA || !topB || ofA.length !== ofB.length || ofA.some((el, i) => el.localName !== ofB[i]?.localName)) return false;
  if (!rowTags.has(topA.localName) && ofA.some((el) => rowTags.has(el.localName))) return false; // two lists
  const some = Math.min(topA.classList.length, topB.classList.length) > 0;
  return ofA.length === 1 || !some || [...topA.classList].some((name) => topB.classList.contains(name)) || rowTags.has(topA.localName);
}

const rowTags = new Set(["tr", "li", "article", "option", "dd"]);

/** The elements from below what holds both to the first one. */
function chain(el: Element, other: Element): Element[] {
  const all: Element[] = [];
  for (let at: Element | null = el; at && !at.contains(other); at = at.parentElement) all.unshift(at);
  return all;
}

/** The words of a selector of that kind, "" for another. */
export function wordsOf(selector: string): string {
  const { kind, body } = parse(selector);
  return kind === "text" ? normalize(body) : "";
}
