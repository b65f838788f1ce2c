// What the engine outside may call. It lives in a world of its own, which the
// page can neither see nor change.

import { act, frame } from "./action";
import { aim, aimedAt } from "./aim";
import { accessible } from "./aria";
import { whyNoKey } from "./carry";
import { keyed } from "./committing";
import { coverOf, covers, viewport } from "./covers";
import { standsAt } from "./box";
import { describe } from "./describe";
import { dragBegan } from "./guard";
import { hide } from "./marked";
import { mayType, typedSecret } from "./field";
import { carry, middle } from "./point";
import { pointed } from "./pointed";
import { record, stop } from "./recorder";
import { repeatsAny } from "./repeats";
import { adoptRoots, answers, hosts } from "./roots";
import { guardSecrets } from "./secrets";
import { about, outline } from "./snapshot";
import { learn, pieces } from "./spread";
import { breathe } from "./wait";
import { elementOf } from "./told";
import { wall } from "./walls";
import { flush } from "./wire";

const api = { about, accessible, act, adoptRoots, aim, aimedAt, answers, breathe, carry, coverOf, covers, dragBegan, frame, describe, elementOf, guardSecrets, hide, hosts, keyed, learn, mayType, middle, outline, pieces, pointed, record, repeatsAny, standsAt, stop, typedSecret, flush, viewport, wall, whyNoKey };
type Api = typeof api;

/** Given by the engine when it first finds this world: a call for another world that landed here must do nothing. */
let token = "";

function call<K extends keyof Api>(forToken: string, name: K, ...args: Parameters<Api[K]>): { value: unknown } | Promise<{ value: unknown }> {
  if (forToken !== token) throw new Error("stale world");
  const result: unknown = (api[name] as (...args: unknown[]) => unknown)(...args);
  return result instanceof Promise ? result.then((value: unknown) => ({ value })) : { value: result };
}

type Held = Element | Element[] | null;

/** As call, for a function that gives elements: the engine takes hold of them. */
function element<K extends "frame" | "elementOf" | "hosts">(forToken: string, name: K, ...args: Parameters<Api[K]>): Held | Promise<Held> {
  if (forToken !== token) throw new Error("stale world");
  return (api[name] as (...args: unknown[]) => Held | Promise<Held>)(...args);
}

function adopt(given: string): void {
  token = given;
}

const outside = globalThis as unknown as { __reprise?: { call: typeof call; element: typeof element; adopt: typeof adopt } };
outside.__reprise ??= { call, element, adopt };
