// What is looked up many times while one question is answered, kept for as long
// as that takes: the document does not change meanwhile, as no other script runs.

import type { Root } from "./dom";
import type { Repeats } from "./repeats";

/** What is known about the document until the question is answered. */
export interface Pass {
  readonly names: Map<Element, string>;
  readonly labels: Map<Node, Map<Element, HTMLLabelElement[]>>; // of each root, by control
  readonly roots: Map<Node, Root[]>; // a root, and the shadow roots in it
  readonly secrets: Map<"all", string[]>; // short ones that must not be quoted, in all their forms
  readonly repeats: Map<"all", Repeats>; // what of the document repeats a secret
  readonly headings: Map<Node, Element[]>; // of each root, in its order
  readonly texts: Map<readonly Element[], string[]>; // of each of some elements
  readonly special: Map<Node, Map<string, Set<Element | null>>>; // of each root and selector those that are not called what their text says
  readonly classes: Map<string, string[]>; // those that tell something, of what the class attribute says
}

let current: Pass | null = null;

/** Answers a question, which must not change the document, not even by a focus. */
export function inOnePass<T>(answer: () => T): T {
  if (current) return answer();
  current = { names: new Map(), labels: new Map(), roots: new Map(), secrets: new Map(), repeats: new Map(), headings: new Map(), texts: new Map(), special: new Map(), classes: new Map() };
  try {
    return answer();
  } finally {
    current = null;
  }
}

/** The pass that is under way, null outside of one. */
export function pass(): Pass | null {
  return current;
}

/** What is known by a key, found out the first time; outside of a pass every time. */
export function once<K, V>(known: Map<K, V> | undefined, key: K, findOut: () => V): V {
  const before = known?.get(key);
  if (before !== undefined) return before;
  const found = findOut();
  known?.set(key, found);
  return found;
}
