// Telling an element from its twins, which say of themselves what it says: by the
// words around them, or by its turn among them while none can have been lost.

import { OWN_FEATURES, sameOwn, type Evidence, type Feature } from "./evidence";
import type { Candidate, Case } from "./judge";

/** Words around an element by which a person tells it from others that say the same, most telling first. */
export const TELLING: Feature[] = ["row", "before", "after", "heading"];

/** Whether a rival, which is given by what differs, says of itself what the wanted element says. */
export function isTwin(rival: Evidence): boolean {
  return !OWN_FEATURES.some((f) => rival[f]);
}

/** The words that told the wanted element from its twins; undefined where it had none, or where they stood alike. */
export function telltale(c: Case): Feature | undefined {
  if (!c.twins.length) return undefined;
  const twins = c.rivals.filter(isTwin);
  return TELLING.find((f) => c.wanted[f] && twins.some((twin) => twin[f]));
}

/**
 * Whether an element stands in its turn. None of the twins may have gone: with
 * fewer of them, the wanted one may be what is missing.
 */
export function isInTurn(c: Case, candidate: Candidate): boolean {
  const [, count = 0] = c.twins;
  if (!count) return false;
  const twins = c.candidates.filter((other) => sameOwn(other.own, candidate.own));
  if (twins.length >= count) return isInTurnAmong(twins, c, candidate);
  const others = c.candidates.filter((other) => other === candidate || sameOwn(other.own, c.wanted)); // it alone has changed
  return others.length === count && isInTurnAmong(others, c, candidate);
}

/** Where some have come, its turn and its place among all of the kind must be the same from the same end. */
function isInTurnAmong(twins: Candidate[], c: Case, candidate: Candidate): boolean {
  const [turn = 0, count = 0] = c.twins;
  const [rank = 0, all = 0] = c.alike;
  const isTurn = twins.indexOf(candidate) === turn;
  const isTurnFromEnd = twins.length - twins.indexOf(candidate) === count - turn;
  const at = c.candidates.indexOf(candidate);
  if (isTurn && (at === rank || (twins.length === count && candidate.placed > 0))) return true;
  return isTurnFromEnd && c.candidates.length - at === all - rank;
}
