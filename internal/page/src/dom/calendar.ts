// Calendars, whose days are told by their numbers, and lists of hours and minutes.

import { firstOf } from "./elements";

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

/** Whether a box holds as many days as a month has, each in an element of a tag. */
export function holdsMonth(box: Element, tag: string, saidBy: (el: Element) => string): boolean {
  return numbersIn(box, tag, saidBy).length >= SHORTEST_MONTH;
}

/** Whether a day is of the month that its calendar shows, and not one of those before its first and after its last. */
export function isInItsMonth(day: Element, saidBy: (el: Element) => string): boolean {
  let box = day.parentElement;
  for (let height = 0; box && height < MONTH_HEIGHT && !holdsMonth(box, day.localName, saidBy); height++) box = box.parentElement;
  if (!box || !holdsMonth(box, day.localName, saidBy)) return true;
  const days = firstOf(box.getElementsByTagName(day.localName), MANY).filter((one) => isDay(saidBy(one)));
  const firsts = days.flatMap((one, i) => (Number(saidBy(one)) === 1 ? [i] : []));
  const [first = 0, next = days.length] = firsts;
  const at = days.indexOf(day);
  return at >= first && at < next;
}

/** More than the days of a week. */
const SHORTEST_COUNT = 8;

/** Whether a box holds a month or, to choose from, numbers that rise, as hours and minutes do: a few of them by more than the days of a week. */
export function holdsMonthOrCount(box: Element, tag: string, saidBy: (el: Element) => string): boolean {
  const all = numbersIn(box, tag, saidBy);
  const steps = all.slice(1).map((one, i) => one - (all[i] as number));
  const isLong = all.length >= SHORTEST_COUNT;
  const falls = steps.filter((step) => step <= (isLong ? 0 : 1)).length;
  return all.length >= SHORTEST_MONTH || (steps.length > 0 && falls <= (isLong ? 1 : 0)); // of twelve hours the twelfth may come first
}

function numbersIn(box: Element, tag: string, saidBy: (el: Element) => string): number[] {
  return firstOf(box.getElementsByTagName(tag), MANY).map(saidBy).filter(isDay).map(Number);
}

/** Whether a cell is a day of a week: the next one, or the one before it, is a day away. */
export function isInWeek(cell: Element, saidBy: (el: Element) => string): boolean {
  const [day, before, after] = [cell, cell.previousElementSibling, cell.nextElementSibling].map((one) => parseInt(one ? saidBy(one) : "", 10)) as [number, number, number];
  return before === day - 1 || after === day + 1;
}
