// Waiting inside the page: on what changes, never on a guess from outside.

/** A new look is taken this often though nothing was seen to change: CSS and media queries change without a mutation. */
const LOOK_AGAIN_MS = 50;
/** Mutations come in storms; this is the least time between two looks. */
const BREATHE_MS = 4;

/** Events after which the page may look different without a mutation. */
const TELLING = ["readystatechange", "DOMContentLoaded", "transitionend", "animationend"];

/** What is looked for again and again takes at most this share of the page's time, */
const SHARE = 0.05;
/** or this, for as long as something moves. */
const SHARE_IN_MOTION = 0.5;

/** How much of the work under way was paced apart, in ms. */
let apart = 0;

/** Work that is repeated while a step waits, paced by what it costs: the page's own work goes on meanwhile. */
export class Paced {
  private end = -Infinity;
  /** Of the last time, in ms, without what was paced apart within it. */
  cost = 0;

  /** Its cost is added to another's, where both are done together. */
  run<T>(work: () => T, cost = 0): T {
    const before = apart;
    const start = performance.now();
    apart = 0;
    try {
      return work();
    } finally {
      this.end = performance.now();
      this.cost = cost + Math.max(0, this.end - start - apart);
      apart = before + this.end - start;
    }
  }

  /** In how many ms it may be done again. */
  dueIn(inMotion = false): number {
    return this.end + this.cost * (1 / (inMotion ? SHARE_IN_MOTION : SHARE) - 1) - performance.now();
  }
}

/** TypeScript's library has no types of it yet. */
declare const scheduler: { postTask(task: () => void, options?: { priority: "user-blocking" }): Promise<void> };

/** Calls something in a task of its own, before the timers that are due by then. */
export function inNextTask(task: () => void = () => {}): Promise<void> {
  return scheduler.postTask(task, { priority: "user-blocking" });
}

/**
 * Calls probe until it returns something or the time is up; undefined then. While
 * urgent reports that something moves, it is called with each frame, and with the next task after a probe that
 * says so.
 */
export async function until<T>(timeout: number, probe: () => T | undefined, urgent?: () => boolean, isNext?: () => boolean): Promise<T | undefined> {
  const deadline = performance.now() + timeout;
  const pace = new Paced();
  for (;;) {
    const found = pace.run(probe);
    if (found !== undefined) return found;
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    if (isNext?.()) await inNextTask();
    else if (urgent?.()) do await nextFrame(); while (pace.dueIn(true) > 0 && performance.now() < deadline);
    else await change(Math.min(left, Math.max(BREATHE_MS, pace.dueIn())), Math.min(left, Math.max(LOOK_AGAIN_MS, pace.dueIn())));
  }
}

/** What waits for a change now. */
const waiting = new Set<() => void>();

/** Wakes what waits for a change, where no event of the page reports one. */
export function wake(): void {
  for (const soon of [...waiting]) soon();
}

/** Resolves when the document changes, but not before least ms, or after most. */
function change(least: number, most: number): Promise<void> {
  return new Promise((resolve) => {
    const started = performance.now();
    let timer = setTimeout(done, most);
    function done(): void {
      forget();
      clearTimeout(timer);
      resolve();
    }
    function soon(): void {
      const early = started + least - performance.now();
      forget(); // once is enough
      clearTimeout(timer);
      if (early > 0) timer = setTimeout(done, early);
      else void inNextTask(done); // in this one the page may have yet to put into its place what it has just drawn
    }
    function forget(): void {
      waiting.delete(soon);
      observer.disconnect();
      for (const type of TELLING) document.removeEventListener(type, soon, true);
      removeEventListener("load", loaded);
    }
    const loaded = () => setTimeout(soon); // when all that listens to it has run
    const observer = new MutationObserver(soon);
    waiting.add(soon);
    for (const type of TELLING) document.addEventListener(type, soon, true);
    addEventListener("load", loaded);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

/** The next frame; a hidden page draws none, so a timer stands in. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_AGAIN_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Whether scripts that the document brought with it have run: before that, its controls may do nothing. */
export function isReady(): boolean {
  if (document.readyState === "loading") return false;
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return document.readyState === "complete" || !navigation || navigation.domContentLoadedEventEnd > 0;
}

/** How long a document that is read may go on loading before it is used: many bring it to life only when all is there. */
const LOADS_MS = 500;

/** Whether the document has loaded, or has had its time for it. */
export function hasLoaded(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (!navigation || navigation.loadEventEnd > 0) return true; // all that listens to the load has run
  return performance.now() > navigation.domContentLoadedEventEnd + LOADS_MS;
}

/** How long a document may take to be there before it is taken as it is. */
const MAX_LOADS_MS = 3000;

/** Resolves when the document and its scripts have loaded. */
export async function loaded(): Promise<void> {
  await until(MAX_LOADS_MS, () => (isReady() && hasLoaded()) || undefined);
}

/** How long the document has been quiet, in ms. */
export class Quiet {
  private last = performance.now();
  private readonly observer = new MutationObserver(() => (this.last = performance.now()));

  constructor() {
    this.observer.observe(document, { subtree: true, childList: true, attributes: true });
  }

  for(): number {
    return performance.now() - this.last;
  }

  stop(): void {
    this.observer.disconnect();
  }
}

/** Tasks after a frame in which pages go on with what they have drawn. */
const TASKS_AFTER = 2;

/** A frame, and the tasks around it: what the page has to do with what has just come, it does meanwhile. */
export async function breathe(): Promise<void> {
  await nextFrame();
  for (let task = 0; task < TASKS_AFTER; task++) await new Promise((resolve) => setTimeout(resolve));
}
