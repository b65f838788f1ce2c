// Telling an element from its twins, which say of themselves what it says: by the
// words around them, or by its turn among them while none can have been lost.

import { OWN_FEATURES, same, sameOwn, type Evidence, type Feature } from "./evidence";
import type { Candidate, Case } from "./judge";

/** Words around an element by which a person tells it from others that say the same, most telling first. */
export const TELLING: Feature[] = ["row", "before", "after", "heading"];

/** Whether a rival, which is given by what differs, says of itself what the wanted element says. */
export function isTwin(rival: Evidence): boolean {
  return !OWN_FEATURES.some((f) => rival[f]);
}

/**
 * The words that told the wanted element from its twins; none where they stood
 * alike. What stands next to an element tells it from them only if something
 * stands next to each that is not what they say themselves: else it says that the
 * element was the first or the last, and after that has gone another is.
 */
export function telltales(c: Case): Feature[] {
  const twins = c.twins.length ? c.rivals.filter(isTwin) : [];
  const isItself = (words?: readonly string[]) => !!words && (words.length === 0 || same(words, c.wanted.label));
  const beside = (f: Feature) => f === "before" || f === "after";
  return TELLING.filter((f) => c.wanted[f] && twins.some((twin) => twin[f]) && !(beside(f) && [c.wanted, ...twins].some((one) => isItself(one[f]))));
}

/**
 * Whether an element stands in its turn among its twins, of which none may have
 * come or gone: the wanted one may be what is missing.
 */
export function isInTurn(c: Case, candidate: Candidate): boolean {
  const [turn, count] = c.twins;
  const twins = c.candidates.filter((other) => sameOwn(other.own, candidate.own));
  const others = () => c.candidates.filter((other) => other === candidate || sameOwn(other.own, c.wanted)); // it alone has changed
  const among = twins.length < (count ?? 0) ? others() : twins;
  return among.length === count && among.indexOf(candidate) === turn && isPlaced(c, candidate);
}

/** Whether as many of its kind stand before it as did, or after it. */
function isPlaced(c: Case, candidate: Candidate): boolean {
  const [rank = 0, all = 0] = c.alike;
  const at = c.candidates.indexOf(candidate);
  return candidate.placed > 0 || at === rank || c.candidates.length - at === all - rank;
}
