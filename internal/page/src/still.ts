// Whether an element is still what was found, in the moment of the press: pages
// put other words into the same elements, and count on nobody being that quick.

import { aroundOf, ownOf, same, twinsOf, type Evidence, type Feature } from "./evidence";
import type { Fingerprint } from "./fingerprint";
import { alike } from "./kind";
import { inOnePass } from "./pass";
import { withTestId } from "./testid";

/** What makes an element another one to a person. How it looks may change under the pointer, and does. */
const TELLING: Feature[] = ["testid", "name", "href", "placeholder", "label", "row"];

interface Snapshot {
  evidence: Evidence;
  turn: number; // among its twins, of which it had some when it was recorded
  twins: number;
}

/** A test whether the element is still what it is now. Without evidence there is nothing to go by. */
export function stillIs(el: Element, print: Fingerprint | undefined): () => boolean {
  if (!print?.own) return () => true;
  const look = () => withTestId(print.testIdAttribute, () => inOnePass(() => snapshot(el, print)));
  const was = look();
  return () => isAs(look(), was);
}

function snapshot(el: Element, print: Fingerprint): Snapshot {
  const twins = print.twins ? twinsOf(el, alike(print.tag, print.role ?? "", document)) : [el];
  return { evidence: { ...ownOf(el, print.key), ...aroundOf(el, print.key) }, turn: twins.indexOf(el), twins: twins.length };
}

function isAs(is: Snapshot, was: Snapshot): boolean {
  return is.turn === was.turn && is.twins === was.twins && TELLING.every((feature) => same(is.evidence[feature], was.evidence[feature]));
}
