// Weighing evidence: how much more likely an element shows what it shows if it
// is the one that was recorded than if it is another (Fellegi and Sunter, A Theory
// for Record Linkage, 1969). Each feature has a weight for agreeing, which grows
// with how rare the value is on this page, and one against for disagreeing, which
// shrinks when the page has changed that feature everywhere. Logarithms, summed.

import { AROUND_FEATURES, OWN_FEATURES, type Evidence, type Feature } from "./evidence";
import { isNumber } from "./hash";

/** How a feature changes: with the page's words, its ids, its styles, or by itself. */
export type Change = "words" | "ids" | "classes" | "none";

interface Trait {
  m: number; // how often it stays over a release where its kind of change is not page-wide
  u: number; // how often two elements of a kind share it, on any page
  change: Change;
}

/**
 * The first column follows the stability of attributes over real releases
 * (arXiv 2505.16424: tag .99, type .96, text .95, name .95, id .87, class .80,
 * neighbours .53); both were then adjusted on the benchmark's pages for tuning.
 */
const TRAITS: Record<Feature, Trait> = {
  testid: { m: 0.95, u: 0.00001, change: "ids" },
  id: { m: 0.87, u: 0.001, change: "ids" },
  name: { m: 0.95, u: 0.01, change: "none" },
  href: { m: 0.9, u: 0.01, change: "none" },
  placeholder: { m: 0.93, u: 0.01, change: "words" },
  label: { m: 0.95, u: 0.01, change: "words" },
  options: { m: 0.85, u: 0.02, change: "words" },
  type: { m: 0.97, u: 0.4, change: "none" },
  tag: { m: 0.95, u: 0.5, change: "none" },
  class: { m: 0.85, u: 0.2, change: "classes" },
  inner: { m: 0.85, u: 0.1, change: "classes" },
  other: { m: 0.85, u: 0.1, change: "none" },
  row: { m: 0.85, u: 0.05, change: "words" },
  heading: { m: 0.85, u: 0.2, change: "words" },
  before: { m: 0.7, u: 0.05, change: "words" },
  after: { m: 0.7, u: 0.05, change: "words" },
  landmark: { m: 0.9, u: 0.3, change: "none" },
  above: { m: 0.85, u: 0.2, change: "classes" },
  place: { m: 0.6, u: 0.15, change: "none" },
};

export function changeOf(feature: Feature): Change {
  return TRAITS[feature].change;
}

/** What part of the page's own features of each kind is still there, from 0 to 1. */
export type Survival = Record<Change, number>;

/** How much the page's own frequencies count against those of any page: as much as this many elements. */
const PRIOR = 20;
/** Numbers in a text change where its words stay. */
const NUMBER_WEIGHT = 0.3;
/** A value that is gone tells less than another in its place. */
const ABSENT = 0.5;
/** What stands around an element is all of one piece: together it counts no more than this. */
const MOST_AROUND = 6;
/** What stands around tells rivals apart less surely than what they say of themselves. */
const AROUND_RIVALS = 0.6;
const LEAST_AROUND = -2.5;

/** A scale for one wanted element among the elements of a page. */
export class Scale {
  private readonly frequency = new Map<string, number>(); // of each hash of each feature
  private readonly similar = new Map<Feature, number[]>(); // of each element, best first
  private readonly size = new Map<Feature, number>(); // how many elements were compared
  private readonly traits: Record<Feature, Trait>;

  constructor(private readonly wanted: Evidence, survival: Survival) {
    this.traits = Object.fromEntries(Object.entries(TRAITS).map(([f, t]) => [f, { ...t, m: surviving(t.m, survival[t.change]) }])) as Record<Feature, Trait>;
  }

  /** Learns how common what elements show of some features is on this page. */
  compare(features: readonly Feature[], all: readonly Evidence[]): void {
    for (const feature of features) {
      this.size.set(feature, all.length);
      for (const evidence of all) for (const h of evidence[feature] ?? []) this.frequency.set(feature + h, (this.frequency.get(feature + h) ?? 0) + 1);
      const wanted = this.wanted[feature];
      if (wanted) this.similar.set(feature, all.map((e) => this.similarity(feature, wanted, e[feature])).sort((a, b) => b - a));
    }
  }

  /** How much what an element says of itself is what the wanted one said. */
  own(evidence: Evidence): number {
    return sum(OWN_FEATURES, (f) => this.feature(f, evidence));
  }

  /** How much what stands around it is what stood around the wanted one. */
  around(evidence: Evidence): number {
    return Math.min(Math.max(sum(AROUND_FEATURES, (f) => this.feature(f, evidence)), LEAST_AROUND), MOST_AROUND);
  }

  /** How much one feature speaks for the evidence being that of the wanted element. */
  feature(feature: Feature, evidence: Evidence): number {
    const wanted = this.wanted[feature];
    const has = evidence[feature];
    if (wanted && !wanted.length) return 0; // it repeated a secret: nobody knows what it said
    if (!wanted) return has ? this.against(feature) * ABSENT * ABSENT : 0;
    if (!has?.length) return this.against(feature) * ABSENT;
    const similarity = this.similarity(feature, wanted, has);
    return similarity * this.infavour(feature, similarity) + (1 - similarity) * this.against(feature);
  }

  /** How much nearer the evidence is to the wanted element than to a rival, which is given by what differs. */
  nearer(evidence: Evidence, rival: Evidence, around: readonly Feature[] = AROUND_FEATURES): number {
    const ahead = (f: Feature) => {
      const had = rival[f];
      if (!had) return 0;
      const difference = this.likeness(f, this.wanted[f], evidence[f]) - this.likeness(f, had, evidence[f]);
      return difference * (this.infavour(f, 1) - this.against(f));
    };
    return sum(OWN_FEATURES, ahead) + AROUND_RIVALS * sum(around, ahead);
  }

  /** As similarity, where two that have none are alike. */
  private likeness(feature: Feature, a: readonly string[] = [], b: readonly string[] = []): number {
    if (!a.length || !b.length) return a.length === b.length ? 1 : ABSENT * ABSENT;
    return this.similarity(feature, a, b, 1);
  }

  private infavour(feature: Feature, similarity: number): number {
    const { m, u } = this.traits[feature];
    const others = this.atLeast(feature, similarity) - 1;
    return Math.max(0, Math.log(m / ((PRIOR * u + Math.max(0, others)) / (PRIOR + this.compared(feature)))));
  }

  private against(feature: Feature): number {
    const { m, u } = this.traits[feature];
    return Math.min(0, Math.log((1 - m) / (1 - Math.min(u, 0.9))));
  }

  private compared(feature: Feature): number {
    return this.size.get(feature) ?? 0;
  }

  /** How many elements are as similar as this. */
  private atLeast(feature: Feature, similarity: number): number {
    const sorted = this.similar.get(feature) ?? [];
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? 0) >= similarity - 1e-9) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What two sets of hashes share, from 0 to 1; a rare one counts for more. */
  similarity(feature: Feature, a: readonly string[] = [], b: readonly string[] = [], numbers = NUMBER_WEIGHT): number {
    if (!a.length || !b.length) return 0;
    if (a.length === 1 && b.length === 1) return a[0] === b[0] ? 1 : 0;
    const inB = new Set(b);
    let shared = 0;
    let either = 0;
    for (const h of a) {
      const weight = this.rarity(feature, h, numbers);
      either += weight;
      if (inB.delete(h)) shared += weight;
    }
    for (const h of inB) either += this.rarity(feature, h, numbers);
    return either ? shared / either : 0;
  }

  private rarity(feature: Feature, h: string, numbers: number): number {
    const rare = Math.log((this.compared(feature) + 2) / ((this.frequency.get(feature + h) ?? 0) + 0.5));
    return Math.max(0.1, rare) * (isNumber(h) ? numbers : 1);
  }
}

/** A feature that the page has changed everywhere tells nothing by having changed here. */
function surviving(m: number, survival: number): number {
  return Math.max(0.05, m * survival);
}

function sum<F>(features: readonly F[], of: (feature: F) => number): number {
  return features.reduce((total, feature) => total + of(feature), 0);
}
