// What is looked up many times while one question is answered, kept for as long
// as that takes: the document does not change meanwhile, as no other script runs.

/** What is known about the document until the question is answered. */
export interface Pass {
  readonly names: Map<Element, string>;
  readonly labels: Map<Node, Map<Element, HTMLLabelElement[]>>; // of each root, by control
}

let current: Pass | null = null;

/** Answers a question, which must not change the document, not even by a focus. */
export function inOnePass<T>(answer: () => T): T {
  if (current) return answer();
  current = { names: new Map(), labels: new Map() };
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
