// What the benchmark compares: ways of describing an element, and of finding it
// again by what was described.

export interface Answer {
  element?: Element | null;
  says?: unknown; // all that it told, for people who look into a case
}

export interface Contestant {
  name: string;
  describe(el: Element): unknown;
  /** What may happen outside between the two is the caller's: Reprise ranks its selectors there. */
  locate(described: unknown): Answer;
}
