// What scripts of the page request after the user has done something, as the browser notes it
// (https://www.w3.org/TR/resource-timing/): a replay ends no sooner. A page may save what was
// typed a while after the last key.

import { sendEvent } from "../dom/wire";
import { noteControls } from "../locate/newest";
import { numberOf } from "./numbers";
import { repeatsSecret } from "../secret/secrets";

const BY_SCRIPTS = new Set(["fetch", "xmlhttprequest", "beacon"]);

/** How long after what the user did a request still counts as set off by it. */
const LATE_MS = 5000;

/** How soon after it a request still belongs to what is done next: many wait a moment for another key or press. */
const SOON_MS = 700;

/** Something that the user did. */
interface Act {
  at: number;
  heard: number; // when the page has heard of it: a button is held for a while, and a busy page is late
  asked: number; // when it set off the last request that was told of
  answered: number; // when the last request that it set off was: the next may ask for more
  press: number | undefined; // what it is a part of
}

/** The last things that were done, the latest first: a quick user has gone on before the browser reports an answer. */
let acts: Act[] = [];
const MOST_ACTS = 50;

let act: Event | null = null;
let unasked: PerformanceResourceTiming[] = []; // what nothing that was done has set off, as far as is known: answers are not told of in the order of their requests
const resting = new Set<string>(); // what the page requests whether anything is done or not
let observer: PerformanceObserver | null = null;

export function noteAct(event: Event): void {
  if (event.type === "pointerdown" || (event as KeyboardEvent).key === "Enter") noteControls(event.composedPath()[0]);
  flushRequests();
  if (act && acts[0]) acts[0].press = numberOf(act); // it has one by now
  act = event;
  const since = acts[1]?.at ?? -Infinity;
  for (const { name, startTime } of unasked) if (startTime < since) resting.add(placeOf(name));
  unasked = unasked.filter(({ startTime }) => startTime >= since);
  acts = [{ at: event.timeStamp, heard: performance.now(), asked: -Infinity, answered: -Infinity, press: undefined }, ...acts.slice(0, MOST_ACTS - 1)];
}

export function noteHeard(): void {
  if (acts[0]) acts[0].heard = performance.now();
}

export function watchRequests(): void {
  observer ??= new PerformanceObserver((list) => list.getEntries().forEach(tellRequest));
  observer.observe({ type: "resource" });
}

export function forgetRequests(): void {
  observer?.disconnect();
  observer = null;
}

/** Reports what the browser has noted and not told yet. */
export function flushRequests(): void {
  observer?.takeRecords().forEach(tellRequest);
}

function placeOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

function tellRequest(entry: PerformanceEntry): void {
  const { name, initiatorType, startTime, responseEnd } = entry as PerformanceResourceTiming;
  const of = acts.find(({ at }) => at <= startTime);
  if (!BY_SCRIPTS.has(initiatorType) || !of || startTime > of.heard + LATE_MS || !name.startsWith("http")) return;
  const place = placeOf(name);
  const soon = startTime <= of.heard + SOON_MS || startTime <= of.answered + SOON_MS && !resting.has(place);
  const early = of !== acts[0];
  const tells = startTime >= of.asked && (!early || soon && of.press) && !repeatsSecret(new URL(name).pathname);
  if (tells) sendEvent({ type: "request", url: place, ...(soon ? { soon } : {}), ...(early ? { press: of.press } : {}) });
  if (!soon) {
    unasked.push(entry as PerformanceResourceTiming);
    return;
  }
  of.asked = Math.max(of.asked, startTime);
  of.answered = Math.max(of.answered, responseEnd);
  const again = unasked;
  unasked = [];
  again.forEach(tellRequest);
}
