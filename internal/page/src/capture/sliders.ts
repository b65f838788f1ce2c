// A slider that the page draws is recorded by the value that it was moved to, by the pointer or by keys: how far that is
// in pixels is another in a page of another width.

import { describeNow, type Target } from "../describe/describe";
import { until } from "../dom/wait";
import { sendEvent } from "../dom/wire";
import { repeatsSecret } from "../secret/secrets";
import { isTold, tellValue } from "./fields";

/** What keys move as well: https://www.w3.org/WAI/ARIA/apg/patterns/slider/ */
const SLIDER = "[role=slider][aria-valuenow][tabindex],input[type=range]";

/** What does something of its own on the line of one, as the buttons of a player do. */
const OTHERS = "a[href],button,select,textarea,[role=button]";

/** How far above what was pressed the box may be that has the slider in it, and how many it may have: a range has two. */
const TRACK_HEIGHT = 3;
const MOST = 2;

/** How long a page may take to move one, and to draw it where it comes to rest, in ms. */
const MOVES_MS = 300;
const RESTS_MS = 50;

interface Slider {
  element: Element;
  target: Target;
  before: string;
}

let sliding: { press: number; all: Slider[] } | null = null;

/** Notes the sliders that a press or a key may move, before the page hears of it. */
export function noteSliders(on: Element, press: number, at?: MouseEvent): void {
  tell(sliding); // a quick user has gone on
  const all = slidersAt(on).filter((slider) => slider === on || at && !on.matches(OTHERS) && isInLine(slider, at));
  sliding = all.length ? { press, all: all.map((element) => ({ element, target: describeNow(element), before: positionOf(element) })) } : null;
}

/** Whether a point is on the track of a slider: on one line with it. */
function isInLine(slider: Element, { clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = slider.getBoundingClientRect();
  return y >= top && y <= bottom || x >= left && x <= right;
}

function slidersAt(on: Element): Element[] {
  if (on.matches(SLIDER)) return [on];
  for (let at: Element | null = on, height = 0; at && height <= TRACK_HEIGHT; height++, at = at.parentElement) {
    const all = [...at.querySelectorAll(SLIDER)];
    if (all.length) return all.length <= MOST ? all : [];
  }
  return [];
}

/** Reports where the press, or the key, has moved one. */
export async function tellSlid(press: number): Promise<void> {
  const now = sliding;
  if (now?.press !== press) return;
  await until(MOVES_MS, () => sliding !== now || now.all.some(hasMoved) || undefined);
  setTimeout(() => tell(now), RESTS_MS);
}

function tell(now: typeof sliding): void {
  if (!now || sliding !== now) return;
  sliding = null;
  const press = now.press ? { press: now.press } : {};
  for (const { element, target } of now.all.filter(hasMoved)) {
    if (element instanceof HTMLInputElement) {
      if (!isTold(element)) tellValue(element, press);
    } else if (!repeatsSecret(positionOf(element))) {
      sendEvent({ type: "input", target, value: positionOf(element), ...press });
    }
  }
}

function hasMoved({ element, before }: Slider): boolean {
  return element.isConnected && positionOf(element) !== before;
}

function positionOf(slider: Element): string {
  return slider instanceof HTMLInputElement ? slider.value : (slider.getAttribute("aria-valuenow") ?? "");
}

export function forgetSliders(): void {
  sliding = null;
}
