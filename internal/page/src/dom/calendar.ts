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

/** More than the days of a week. */
const SHORTEST_COUNT = 8;

/** Whether a box holds a month or, to choose from, numbers that only rise, as hours and minutes do. */
export function holdsMonthOrCount(box: Element, tag: string, saidBy: (el: Element) => string): boolean {
  const all = numbersIn(box, tag, saidBy);
  return all.length >= SHORTEST_MONTH || all.length >= SHORTEST_COUNT && all.every((one, i) => i === 0 || one > (all[i - 1] as number));
}

function numbersIn(box: Element, tag: string, saidBy: (el: Element) => string): number[] {
  return firstOf(box.getElementsByTagName(tag), MANY).map(saidBy).filter(isDay).map(Number);
}

/** Whether a cell is a day of a week: the next one, or the one before it, is a day away. */
export function isInWeek(cell: Element, saidBy: (el: Element) => string): boolean {
  const [day, before, after] = [cell, cell.previousElementSibling, cell.nextElementSibling].map((one) => parseInt(one ? saidBy(one) : "", 10)) as [number, number, number];
  return before === day - 1 || after === day + 1;
}
