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

let since = -Infinity; // when the user did something last
let heard = -Infinity; // when the page has: a button is held for a while, and a busy page is late
let pressed: { at: number; heard: number; press: number } | null = null; // the press before that, if it was one
let act: Event | null = null;
let observer: PerformanceObserver | null = null;

export function noteAct(event: Event): void {
  if (event.type === "pointerdown" || (event as KeyboardEvent).key === "Enter") noteControls(event.composedPath()[0]);
  flushRequests();
  const press = act ? numberOf(act) : undefined;
  pressed = press === undefined ? null : { at: since, heard, press };
  since = event.timeStamp;
  noteHeard();
  act = event;
}

export function noteHeard(): void {
  heard = performance.now();
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

function tellRequest(entry: PerformanceEntry): void {
  const { name, initiatorType, startTime } = entry as PerformanceResourceTiming;
  if (!BY_SCRIPTS.has(initiatorType) || startTime > heard + LATE_MS || !name.startsWith("http")) return;
  const early = startTime < since; // a quick user has gone on before the answer came
  if (early && !(pressed && startTime >= pressed.at && startTime <= pressed.heard + SOON_MS)) return;
  const { origin, pathname } = new URL(name);
  if (repeatsSecret(pathname)) return;
  const soon = early || startTime <= heard + SOON_MS;
  sendEvent({ type: "request", url: origin + pathname, ...(soon ? { soon } : {}), ...(early ? { press: pressed?.press } : {}) });
}
