// The calendar that a day is chosen in, where the day is not shown: its months, and what turns them.

import { structuralXPath } from "../describe/describe";
import { dateIn, isDay, monthsAround } from "../dom/calendar";
import { isVisible } from "../dom/elements";
import { isReady } from "../dom/wait";
import { kinIn, type Kin, saidBy } from "../locate/kin";
import { queryPath } from "../locate/selector";
import type { Reply, Request } from "./request";

/** How far above its days the box of a calendar is that has what turns it. */
const HEIGHT = 8;

/** How far what turns a calendar may stand from its days, to a side of them and over them, in CSS pixels. */
const ASIDE = 60;
const OVER = 150;

/** Larger ones are no arrows, in CSS pixels. */
const LARGEST = 80;

/** What the calendar shows in which a day of a kind stands; undefined while there is none, and while it shows the months in value. */
export function calendar({ paths, kin, value }: Request): Reply | undefined {
  if (!isReady() || !kin) return kin ? undefined : { ok: true, done: true };
  if (paths.some((path) => queryPath(path, document).some(isVisible))) return { ok: true, done: true };
  const days = daysOf(kin);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return undefined;
  const months = [...new Set([...monthsAround(first), ...monthsAround(last)])].sort();
  if (!months.length) return { ok: true, done: true };
  return value === months.join() ? undefined : { ok: true, months, turners: turnersOf(days).map(structuralXPath) };
}

function daysOf(kin: Kin): Element[] {
  return kinIn(kin, document).filter((el) => isDay(saidBy(el)) && isVisible(el));
}

/** What may turn the months of a calendar, from left to right: what is pressed over its days, and says no word of a date; signs rather than words. */
function turnersOf(days: readonly Element[]): Element[] {
  const boxes = days.map((day) => day.getBoundingClientRect());
  const [left, right] = [Math.min(...boxes.map((box) => box.left)) - ASIDE, Math.max(...boxes.map((box) => box.right)) + ASIDE];
  const top = Math.min(...boxes.map((box) => box.top));
  const isNear = (el: Element) => {
    const box = el.getBoundingClientRect();
    return box.width <= LARGEST && box.left >= left && box.right <= right && box.top >= top - OVER && (box.top + box.bottom) / 2 <= top;
  };
  for (let box = days[0]?.parentElement, height = 0; box && height < HEIGHT; height++, box = box.parentElement) {
    const pressed = [...box.querySelectorAll("*")].filter((el) => isPressed(el) && isNear(el) && isVisible(el) && !saysDate(saidBy(el)));
    const signs = pressed.filter((el) => !/\p{L}/u.test(saidBy(el)));
    const found = signs.length > 1 ? signs : pressed;
    if (found.length > 1) return found.sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left);
  }
  return [];
}

const CONTROLS = "a,button,[role=button]";

/** Whether an element is pressed, and no part of what is. */
function isPressed(el: Element): boolean {
  if (el.matches(CONTROLS)) return true;
  const hasHand = (one: Element | null) => one !== null && getComputedStyle(one).cursor === "pointer";
  return !el.matches("input,select,textarea,option") && !el.closest(CONTROLS) && hasHand(el) && !hasHand(el.parentElement);
}

/** Whether a text says a year, a month or a number. */
function saysDate(text: string): boolean {
  return /\d/.test(text) || dateIn(`1 ${text} 2000`) !== "";
}
