// What scripts of the page request after the user has done something, as the browser notes it
// (https://www.w3.org/TR/resource-timing/): a replay ends no sooner. A page may save what was
// typed a while after the last key.

import { sendEvent } from "../dom/wire";
import { repeatsSecret } from "../secret/secrets";

const BY_SCRIPTS = new Set(["fetch", "xmlhttprequest", "beacon"]);

/** How long after what the user did a request still counts as set off by it. */
const LATE_MS = 5000;

/** How soon after it a request still belongs to what is done next: many wait a moment for another key or press. */
const SOON_MS = 500;

let since = -Infinity; // when the user did something last
let observer: PerformanceObserver | null = null;

export function noteAct(event: Event): void {
  flushRequests();
  since = event.timeStamp;
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
  if (!BY_SCRIPTS.has(initiatorType) || startTime < since || startTime > since + LATE_MS || !name.startsWith("http")) return;
  const { origin, pathname } = new URL(name);
  if (!repeatsSecret(pathname)) sendEvent({ type: "request", url: origin + pathname, ...(startTime <= since + SOON_MS ? { soon: true } : {}) });
}
