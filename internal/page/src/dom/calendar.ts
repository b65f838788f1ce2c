// Calendars, whose days are told by their numbers, and lists of hours and minutes.

import { firstOf, literal, normalize } from "./elements";
import { nameOf, textStart } from "./names";

const DAY = /^\d{1,2}$/;

/** In days. */
const SHORTEST_MONTH = 28;

/** How far above a day the box of its month is. */
export const MONTH_HEIGHT = 6;

/** More of a box are not looked at. */
const MANY = 100;

/** Whether a text is that of a day in a calendar. */
export function isDay(text: string): boolean {
  return DAY.test(text);
}

/** Whether an element is one of the days of a month. */
export function isOfMonth(el: Element, saidBy: (el: Element) => string): boolean {
  return isDay(saidBy(el)) && monthAround(el, saidBy).length > 0;
}

/** Whether a day is of the month that its calendar shows, and not one of those before its first and after its last. */
export function isInItsMonth(day: Element, saidBy: (el: Element) => string): boolean {
  const days = monthAround(day, saidBy);
  const firsts = days.flatMap((one, i) => (Number(saidBy(one)) === 1 && !days[i - 1]?.contains(one) ? [i] : [])); // one that is chosen may be drawn in a box of its own
  const [first = 0, next = days.length] = firsts;
  const at = days.indexOf(day);
  return !days.length || (at >= first && at < next);
}

/** The days of the calendar that one stands in; none for what is no day of a month. */
function monthAround(day: Element, saidBy: (el: Element) => string): Element[] {
  for (let box = day.parentElement, height = 0; box && height <= MONTH_HEIGHT; height++, box = box.parentElement) {
    const days = numbered(box, day.localName, saidBy);
    if (days.length >= SHORTEST_MONTH) return days;
  }
  return [];
}

/** The date that a text names, as 2031-03-18: in that form, or by the name of its month in English or in the page's language; "" for none. */
export function dateIn(text: string): string {
  if (!YEAR.test(text)) return "";
  const [, year = "", month = "", day = ""] = IN_NUMBERS.exec(text) ?? inWords(text);
  return day ? [year, month.padStart(2, "0"), day.padStart(2, "0")].join("-") : "";
}

/** Whether a text says a day of a month or a time, with or without a year. */
export function isDated(text: string): boolean {
  return dateIn(text) !== "" || dateIn(`${text} 2000`) !== "" || /(?<!\d)\d{1,2}(?::\d{2}|[./]\d{1,2}[./])(?!\d)/.test(text);
}

const YEAR = /(?<!\d)[12]\d{3}(?!\d)/;
const IN_NUMBERS = /(?<!\d)([12]\d{3})(?:-|\s*[年년]\s*)(\d{1,2})(?:-|\s*[月월]\s*)(\d{1,2})(?!\d)/;

function inWords(text: string): string[] {
  const year = YEAR.exec(text)?.[0] ?? "";
  for (const months of new Set([monthsIn("en"), monthsIn(document.documentElement.lang || "en")])) {
    const names = [...months.keys()].map(literal).join("|");
    for (const said of text.matchAll(new RegExp(`(?<!\\p{L})(?:${names})(?!\\p{L})`, "giu"))) {
      const after = /^\D{0,3}(\d{1,2})(?!\d)/.exec(text.slice(said.index + said[0].length));
      const day = after ?? /(?<!\d)(\d{1,2})\D{0,5}$/.exec(text.slice(0, said.index));
      if (day) return ["", year, String(months.get(said[0].toLowerCase())), day[1] as string];
    }
  }
  return [];
}

/** A box with more parts is no calendar. */
const MANY_PARTS = 400;

/** What a calendar writes over a month is no longer, with the buttons to the next and the one before. */
const LONGEST_CAPTION = 30;

/** The months that the calendar around an element shows, by what its days are called or else by what it writes over them, as 2031-03; none where it is in no calendar. */
export function monthsAround(el: Element): string[] {
  for (let box = el.parentElement, height = 0; box && height <= MONTH_HEIGHT; height++, box = box.parentElement) {
    const parts = firstOf(box.getElementsByTagName("*"), MANY_PARTS + 1);
    if (parts.length > MANY_PARTS) return [];
    const said = parts.map((part) => normalize(textStart(part, LONGEST_CAPTION + 1)));
    if (new Set(said.filter(isDay)).size < SHORTEST_MONTH) continue;
    const named = parts.filter((_, i) => isDay(said[i] as string)).map((day) => dateIn(nameOf(day)).slice(0, MONTH_LENGTH));
    const whole = named.filter((month) => month && named.filter((other) => other === month).length >= SHORTEST_MONTH);
    const captions = said.filter((text) => text.length <= LONGEST_CAPTION).map(monthIn).filter((month) => month !== "");
    const months = new Set(whole.length ? whole : captions);
    if (months.size) return [...months].sort();
  }
  return [];
}

const MONTH_LENGTH = "2031-03".length;

/** The date of a day by the months that its calendar shows, as 2031-03-18; "" where these tell none. */
export function dateByMonth(day: Element, [month, other]: readonly string[], saidBy: (el: Element) => string): string {
  const text = saidBy(day);
  return month && !other && isDay(text) && isInItsMonth(day, saidBy) ? `${month}-${text.padStart(2, "0")}` : "";
}

/** The month that a text names, which names no day of it; "" for none. */
function monthIn(text: string): string {
  if (dateIn(text)) return "";
  return (dateIn(`1 ${text}`) || dateIn(`${text}1`)).slice(0, MONTH_LENGTH);
}

const known = new Map<string, Map<string, number>>();

/** What months are called in a language, each with its number. */
function monthsIn(language: string): Map<string, number> {
  const names = known.get(language) ?? new Map<string, number>();
  if (!names.size) {
    for (const kind of ["long", "short"] as const) for (let number = 1; number <= 12; number++) names.set(monthName(language, kind, number), number);
    known.set(language, names);
  }
  return names;
}

/** As it is written next to a day. */
function monthName(language: string, kind: "long" | "short", number: number): string {
  try {
    const parts = new Intl.DateTimeFormat(language, { day: "numeric", month: kind, timeZone: "UTC" }).formatToParts(Date.UTC(2000, number - 1, 1));
    return (parts.find((part) => part.type === "month")?.value ?? "").toLowerCase().replace(/\.$/, "");
  } catch {
    return `${language} ${number}`; // no language
  }
}

/** More than the days of a week. */
const SHORTEST_COUNT = 8;

/** Whether a box holds a month or, to choose from, numbers that rise, as hours and minutes do: a few of them by more than the days of a week. */
export function holdsMonthOrCount(box: Element, tag: string, saidBy: (el: Element) => string): boolean {
  const all = numbered(box, tag, saidBy).map((one) => Number(saidBy(one)));
  const steps = all.slice(1).map((one, i) => one - (all[i] as number));
  const isLong = all.length >= SHORTEST_COUNT;
  const falls = steps.filter((step) => step <= (isLong ? 0 : 1)).length;
  return all.length >= SHORTEST_MONTH || (steps.length > 0 && falls <= (isLong ? 1 : 0)); // of twelve hours the twelfth may come first
}

function numbered(box: Element, tag: string, saidBy: (el: Element) => string): Element[] {
  return firstOf(box.getElementsByTagName(tag), MANY).filter((one) => isDay(saidBy(one)));
}

/** Whether a cell is a day of a week: the next one, or the one before it, is a day away. */
export function isInWeek(cell: Element, saidBy: (el: Element) => string): boolean {
  const [day, before, after] = [cell, cell.previousElementSibling, cell.nextElementSibling].map((one) => parseInt(one ? saidBy(one) : "", 10)) as [number, number, number];
  return before === day - 1 || after === day + 1;
}
