// Waiting inside the page: on what changes, never on a guess from outside.

/** A new look is taken this often though nothing was seen to change: CSS and media queries change without a mutation. */
const LOOK_AGAIN_MS = 50;
/** Mutations come in storms; this is the least time between two looks. */
const BREATHE_MS = 4;

/** Events after which the page may look different without a mutation. */
const TELLING = ["readystatechange", "DOMContentLoaded", "transitionend", "animationend"];

/**
 * Calls probe until it returns something or the time is up; undefined then. While
 * urgent reports that something moves, it is called with each frame.
 */
export async function until<T>(timeout: number, probe: () => T | undefined, urgent?: () => boolean): Promise<T | undefined> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const found = probe();
    if (found !== undefined) return found;
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    await (urgent?.() ? nextFrame() : change(Math.min(left, LOOK_AGAIN_MS)));
  }
}

/** What waits for a change now. */
const waiting = new Set<() => void>();

/** Wakes what waits for a change, where no event of the page reports one. */
export function wake(): void {
  for (const done of [...waiting]) done();
}

/** Resolves when the document changes, or after ms. */
function change(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const started = performance.now();
    const done = () => {
      waiting.delete(done);
      observer.disconnect();
      clearTimeout(timer);
      for (const type of TELLING) document.removeEventListener(type, done, true);
      removeEventListener("load", loaded);
      resolve();
    };
    const loaded = () => setTimeout(done); // when all that listens to it has run
    const observer = new MutationObserver(() => {
      const early = BREATHE_MS - (performance.now() - started);
      if (early <= 0) done();
      else setTimeout(done, early);
    });
    const timer = setTimeout(done, ms);
    waiting.add(done);
    for (const type of TELLING) document.addEventListener(type, done, true);
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
