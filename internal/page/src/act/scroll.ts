// Looking for an element that is not there until a list is scrolled to it. Such a list is
// recognized by what it does: it is longer than its box, and draws other rows when it is
// scrolled, or gets more of them when its end comes into sight. One that does neither has
// all its rows already, is put back, and left alone.

import { deepActiveElement, eachRoot, isTextEntry, isVisible } from "../dom/elements";
import { Paced } from "../dom/wait";

/** A list is worth a try that is longer than its box by a low row, in pixels, */
const LEAST_MORE = 20;
/** and whose box is at least this high, in pixels. */
const LEAST_BOX = 40;
/** A step in boxes: rows at the edges come whole. */
const STEP = 0.8;

/** How long after a step a list may begin to draw, and how long it may go on, in ms. */
const BEGIN_MS = 120;
const DRAW_MS = 600;
/** How long its end is shown in a second pass to a list that has drawn nothing, for rows that are fetched then, in ms. */
const END_MS = 1500;
/** A list is taken for drawn when it was quiet for this long; in a second pass longer, for rows that are fetched. */
const QUIET_MS = [16, 350] as const;

/** While a field of text has the focus, suggestions for it may be still to come, and pages close those that were scrolled away from. They are waited for so long, in ms. */
const SUGGEST_MS = 5000;

/** The lists of a page are looked for at most this often: each element is asked. */
const AGAIN_MS = 500;

/** One search through the lists of the page, a step at a time. */
export class Search {
  private place: Place | null = null;
  private lists: Element[] = [];
  private looked = -Infinity;
  private readonly began = performance.now();
  private readonly pace = new Paced();
  /** How long a list was when it was searched, and how often it was then. */
  private readonly done = new Map<Element, { height: number; passes: number }>();

  /** Whether a list has just been scrolled, and is to be looked at soon. */
  get isUnderWay(): boolean {
    return this.place !== null;
  }

  /** Goes on to what was not seen yet, when what is there was drawn. */
  advance(): void {
    if (this.place?.isDrawing()) return;
    if (this.place?.next()) return;
    this.leave();
    if (this.awaitsSuggestions()) return;
    const list = this.nextList();
    if (!list) return;
    const passes = this.passesOf(list);
    this.done.set(list, { height: list.scrollHeight, passes: passes + 1 });
    this.place = new Place(list, QUIET_MS[passes] ?? 0, passes > 0);
    if (!this.place.next()) this.leave();
  }

  /** Ends the search; a list in which the element was found stays where it is. */
  stop(found: boolean): void {
    if (found) this.place?.end();
    else this.leave();
    this.place = null;
  }

  private leave(): void {
    const { place } = this;
    if (!place) return;
    place.restore();
    this.place = null;
  }

  private awaitsSuggestions(): boolean {
    const focused = deepActiveElement();
    return focused instanceof HTMLElement && isTextEntry(focused) && performance.now() - this.began < SUGGEST_MS;
  }

  private nextList(): Element | undefined {
    if (!this.lists.length && performance.now() - this.looked >= AGAIN_MS && this.pace.dueIn() <= 0) {
      this.looked = performance.now();
      this.lists = this.pace.run(longLists).filter((list) => this.passesOf(list) < QUIET_MS.length);
    }
    return this.lists.shift();
  }

  private passesOf(list: Element): number {
    const before = this.done.get(list);
    return before?.height === list.scrollHeight ? before.passes : 0;
  }
}

/** Where the search is in one list: from where it was to the end, and then from the start. */
class Place {
  draws = false;
  private readonly start: number;
  private wrapped = false;
  private showsEnd = false;
  private scrolled = 0; // when
  private drew = 0; // when last
  private readonly observer = new MutationObserver((records) => {
    if (!showsMore(records)) return;
    this.draws = true;
    this.drew = performance.now();
  });

  constructor(readonly list: Element, private readonly quiet: number, private readonly patient: boolean) {
    this.start = list.scrollTop;
    const box = list === document.scrollingElement ? document : list;
    this.observer.observe(box, { childList: true, characterData: true, subtree: true });
    if (list.shadowRoot) this.observer.observe(list.shadowRoot, { childList: true, characterData: true, subtree: true });
  }

  isDrawing(): boolean {
    const now = performance.now();
    if (this.drew < this.scrolled) return now - this.scrolled < (this.patient && this.atEnd() ? END_MS : BEGIN_MS);
    return now - this.drew < this.quiet && now - this.scrolled < DRAW_MS;
  }

  /** Scrolls on; false when all was seen, or nothing is ever drawn. */
  next(): boolean {
    const { list } = this;
    if (this.scrolled && !this.draws) {
      if (!this.patient || this.showsEnd) return false;
      this.showsEnd = true;
      this.go(list.scrollHeight);
      return true;
    }
    const before = list.scrollTop;
    if (!this.wrapped) this.go(before + list.clientHeight * STEP);
    if (this.wrapped || list.scrollTop === before) {
      const to = this.wrapped ? before + list.clientHeight * STEP : 0;
      if (to >= this.start) return false;
      this.wrapped = true;
      this.go(to);
    }
    return true;
  }

  private atEnd(): boolean {
    return this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 1;
  }

  private go(top: number): void {
    this.scrolled = performance.now();
    this.list.scrollTo({ top, behavior: "instant" });
  }

  restore(): void {
    this.end();
    this.list.scrollTo({ top: this.start, behavior: "instant" });
  }

  end(): void {
    this.observer.disconnect();
  }
}

/** Whether rows came, or got other texts: a clock that ticks is one text. */
function showsMore(records: readonly MutationRecord[]): boolean {
  const adds = ({ addedNodes }: MutationRecord) => [...addedNodes].some((node) => node instanceof Element);
  return new Set(records.map(({ target }) => target)).size > 1 || records.some(adds);
}

/** The lists that can be seen and are longer than their boxes, the largest first. */
function longLists(): Element[] {
  const found: { list: Element; area: number }[] = [];
  const whole = document.scrollingElement;
  if (whole && whole.scrollHeight >= innerHeight + LEAST_MORE) found.push({ list: whole, area: innerWidth * innerHeight });
  eachRoot(document, (root) => {
    for (const list of root.querySelectorAll("*")) {
      if (list !== whole && isLong(list)) found.push({ list, area: list.clientWidth * list.clientHeight });
    }
  });
  return found.sort((a, b) => b.area - a.area).map(({ list }) => list);
}

function isLong(el: Element): boolean {
  if (el.clientHeight < LEAST_BOX || el.scrollHeight < el.clientHeight + LEAST_MORE) return false;
  if (el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement) return false;
  return /auto|scroll|overlay/.test(getComputedStyle(el).overflowY) && isVisible(el);
}
