// What opens under the mouse: a menu whose items nobody sees until the mouse is over
// what it hangs from.

import { composedParent, isVisible } from "./dom";
import { reachable } from "./point";
import type { Ready, Request } from "./request";
import { queryPath } from "./selector";

/** How far above a hidden item what opens it is looked for. */
const HIGHEST = 8;

/** Where the mouse should come over for the element of a request to show, if it is there and hidden. */
export function openerOf({ paths }: Request): Ready | undefined {
  for (const path of paths) {
    const [only, other] = queryPath(path, document);
    if (!only || other || isVisible(only)) continue;
    const { press, ...point } = above(only) ?? {};
    if (press) return point;
  }
  return undefined;
}

/** A point of the nearest element above that can be seen, and is less than the page. */
function above(el: Element): Ready | undefined {
  let at = composedParent(el);
  for (let height = 0; at && height < HIGHEST; height++, at = composedParent(at)) {
    if (at === document.body || at === document.documentElement) return undefined;
    if (isVisible(at)) return reachable(at, {});
  }
  return undefined;
}
