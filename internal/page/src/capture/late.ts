// What a page shows a while after something was done, by a clock of its own: what a search finds once no more is typed, an
// answer that is put off. A person who does the next thing only then has waited for it.

import { bringsWords, LATE_MS } from "../dom/changes";
import { isVisible } from "../dom/elements";
import { sendEvent } from "../dom/wire";

/** Until when after an act what is shown is noted, in ms. */
const NOTED_MS = 10_000;

/** What is shown so soon after the pointer has moved is shown for that, in ms. */
const MOVED_MS = 20;

/** What says something else of itself more often than this is a clock. */
const MOST_TICKS = 2;

let acted = Infinity;
let moved = -Infinity;
let shown = false;
let end: ReturnType<typeof setTimeout> | undefined;
let ticks = new WeakMap<Node, number>();
const observer = new MutationObserver(note);

function note(records: MutationRecord[]): void {
  const now = performance.now();
  if (now < acted + LATE_MS || now < moved + MOVED_MS) return;
  for (const target of new Set(records.filter(bringsWords).map((record) => record.target))) {
    const box = target instanceof Element ? target : target.parentElement;
    if (!box || !isVisible(box)) continue;
    const times = (ticks.get(target) ?? 0) + 1;
    ticks.set(target, times);
    shown ||= times <= MOST_TICKS;
  }
  if (shown) observer.disconnect();
}

export function noteMoved(): void {
  moved = performance.now();
}

/** Begins to look for what comes late after what has just been done. */
export function watchLate(): void {
  acted = performance.now();
  shown = false;
  observer.disconnect();
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  clearTimeout(end);
  end = setTimeout(() => observer.disconnect(), NOTED_MS);
}

/** Reports that something has come, before the next thing is done. */
export function tellLate(): void {
  note(observer.takeRecords());
  observer.disconnect();
  if (shown) sendEvent({ type: "update" });
  shown = false;
}

export function forgetLate(): void {
  observer.disconnect();
  clearTimeout(end);
  shown = false;
  ticks = new WeakMap();
}
