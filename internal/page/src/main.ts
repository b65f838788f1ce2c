// What the engine outside may call. It lives in a world of its own, which the
// page can neither see nor change.

import { act, outOf } from "./action";
import { brief } from "./dom";
import { describe } from "./describe";
import { queryPath } from "./selector";
import { record, stop } from "./recorder";
import { flush } from "./wire";

const api = { act, outOf, brief, describe, queryPath, record, stop, flush };
type Api = typeof api;

/** Given by the engine when it first finds this world: a call for another world that landed here must do nothing. */
let token = "";

function call<K extends keyof Api>(forToken: string, name: K, ...args: Parameters<Api[K]>): { value: unknown } | Promise<{ value: unknown }> {
  if (forToken !== token) throw new Error("stale world");
  const result: unknown = (api[name] as (...args: unknown[]) => unknown)(...args);
  return result instanceof Promise ? result.then((value: unknown) => ({ value })) : { value: result };
}

function adopt(given: string): void {
  token = given;
}

const outside = globalThis as unknown as { __reprise?: { call: typeof call; adopt: typeof adopt } };
outside.__reprise ??= { call, adopt };
