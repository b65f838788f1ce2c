// What the engine outside may call. It lives in a world of its own, which the
// page can neither see nor change.

import { act, frame } from "./act/act";
import { keyed } from "./act/commit";
import { keysPressed } from "./act/typed";
import { mayType, slid, typedSecret } from "./act/fields";
import { carry, dragBegan, drawn, drewSince, middle, updated, watchKey } from "./act/press";
import { aim, aimedAt, pointed } from "./capture/pick";
import { standsAt } from "./capture/presses";
import { learn, record, stop } from "./capture/recorder";
import { isUnsure, tellLine } from "./capture/fields";
import { flushRequests } from "./capture/requests";
import { blocker, frameThereFor } from "./describe/blockers";
import { complaints } from "./describe/complaints";
import { describe, describeFrame } from "./describe/describe";
import { about, outline } from "./describe/outline";
import { accessible } from "./dom/names";
import { adoptRoots, answers, hosts } from "./dom/roots";
import { breathe, loaded } from "./dom/wait";
import { elementOf, flush } from "./dom/wire";
import { controlAt, focusedControl, focusedKind, frameAt, inFrameAt, measure, relay, secretFields, setControl } from "./handoff/view";
import { hide, pieces } from "./secret/secrets";
import { repeatsAny } from "./secret/repeats";
import { coverOf, covers, guardSecrets, viewport, whyNoKey } from "./secret/withhold";

/** Sends what is waiting, and what the browser has still to tell. */
function flushAll(): ReturnType<typeof flush> & { unsure: boolean } {
  tellLine();
  flushRequests();
  return { ...flush(), unsure: isUnsure() };
}

const api = { about, accessible, act, adoptRoots, aim, aimedAt, answers, blocker, breathe, carry, complaints, controlAt, coverOf, covers, dragBegan, drawn, drewSince, frame, describe, describeFrame, elementOf, focusedControl, focusedKind, frameAt, guardSecrets, hide, hosts, inFrameAt, frameThereFor, keyed, keysPressed, learn, loaded, mayType, measure, middle, outline, pieces, pointed, record, relay, repeatsAny, secretFields, setControl, slid, standsAt, stop, typedSecret, updated, flush: flushAll, viewport, watchKey, whyNoKey };
type Api = typeof api;

/** Set by the engine when it first finds this world: a call for another world that landed here must do nothing. */
let token = "";

function call<K extends keyof Api>(forToken: string, name: K, ...args: Parameters<Api[K]>): { value: unknown } | Promise<{ value: unknown }> {
  if (forToken !== token) throw new Error("stale world");
  const result: unknown = (api[name] as (...args: unknown[]) => unknown)(...args);
  return result instanceof Promise ? result.then((value: unknown) => ({ value })) : { value: result };
}

type Held = Element | Element[] | null;

/** As call, for a function that returns elements: the engine holds them by reference. */
function element<K extends "frame" | "frameAt" | "elementOf" | "hosts">(forToken: string, name: K, ...args: Parameters<Api[K]>): Held | Promise<Held> {
  if (forToken !== token) throw new Error("stale world");
  return (api[name] as (...args: unknown[]) => Held | Promise<Held>)(...args);
}

function adopt(given: string): void {
  token = given;
}

const outside = globalThis as unknown as { __reprise?: { call: typeof call; element: typeof element; adopt: typeof adopt } };
outside.__reprise ??= { call, element, adopt };
