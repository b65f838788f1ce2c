// Deciding which of a page's elements is the one that was recorded, or that none of them
// is. It knows evidence only, no document. The numbers are in weights.ts.
//
// Evidence is weighed by how much more likely an element shows what it shows if it is the
// one that was recorded than if it is another (Fellegi and Sunter, A Theory for Record
// Linkage, 1969). Each feature has a weight for agreeing, which grows with how rare the
// value is on this page, and one against for disagreeing, which shrinks when the page has
// changed that feature everywhere. Logarithms, summed.

import { AROUND_FEATURES, type Evidence, isNumber, OWN_FEATURES, same, sameOwn } from "./evidence";
import {
  ABSENT, ACCEPT, ACCEPT_AGREED, ACCEPT_OWN, ACCEPT_WITHHELD, AROUND_RIVALS, BOX, type Change, CLOSE, CONFIDENCE_AT_THRESHOLD,
  CONTRADICTED, CONTRADICTION, ELSEWHERE, type Feature, IDENTIFYING, LEAST_AROUND, LEAST_RARITY,
  LEAST_SURVIVING, LIKELY, LITTLE, MARGIN, MOST_AROUND, MOST_SHARED, NUMBER_WEIGHT, OTHER_WORDS, PLACED, PRIOR,
  RIVAL_MARGIN, SMOOTH_COMPARED, SMOOTH_FREQUENCY, SPEAKING, STAYED, STRONG_CONTRADICTION, TELLING_TWINS,
  TRANSLATED, type Trait, TRAITS,
} from "./weights";

/** An element that may be the wanted one. */
export interface Candidate {
  own: Evidence;
  around: () => Evidence; // read of those only that are looked at closely
  placed: number; // how many of the selectors that tell only its place name it, as part of those that there are
  usable: () => boolean; // whether it can be seen
}

interface Case {
  wanted: Evidence;
  rivals: Evidence[];
  twins: readonly number[]; // which it was of how many that say the same, if there were several
  alike: readonly number[]; // which it was of how many of its kind
  survival: Survival;
  candidates: Candidate[]; // in the order of the page
}

/** What is thought of a candidate. Weights are logarithms of odds. */
interface Opinion {
  index: number;
  own: number;
  agreed: number; // what part of what the wanted one showed of itself it shows, however rare
  around: number;
  total: number;
  contradictions: number;
  rival: number; // how much nearer it is to the wanted element than to the nearest rival
  for: Feature[];
  against: Feature[];
}

export interface Verdict {
  chosen?: number;
  code?: "gone" | "ambiguous" | "changed";
  confidence: number; // from 0 to 1
  opinions: Opinion[]; // best first
}

/** How many candidates a verdict reports on, and the weights from which a feature is reported as for or against one. */
const MOST_OPINIONS = 12;
const REPORTED_FOR = 0.5;
const REPORTED_AGAINST = -0.3;

export function judge(c: Case): Verdict {
  const opinions = new Judge(c).opinions();
  const [best, next] = opinions.filter((o) => stands(c, o));
  if (!best) return { code: codeOf(c, opinions), confidence: 0, opinions };
  const margin = best.total - (next?.total ?? -Infinity);
  if (margin < MARGIN) return { code: "ambiguous", confidence: 0, opinions };
  const confidence = odds(Math.min(best.total - ACCEPT, best.rival, margin - MARGIN) + CONFIDENCE_AT_THRESHOLD);
  return { chosen: best.index, confidence, opinions: [best, ...opinions.filter((o) => o !== best)] };
}

function stands(c: Case, o: Opinion): boolean {
  return fits(c, o) && o.rival >= RIVAL_MARGIN;
}

/** Whether it is as the wanted one was; a twin is, too. */
function fits(c: Case, o: Opinion): boolean {
  // What repeated a secret is stored by its place alone, where that is all that there is.
  const withheld = OWN_FEATURES.some((f) => c.wanted[f]?.length === 0);
  const own = o.own >= (withheld ? ACCEPT_WITHHELD : ACCEPT_OWN) || (c.twins.length > 0 && o.agreed >= ACCEPT_AGREED);
  return own && o.total >= ACCEPT && o.contradictions < CONTRADICTED;
}

function codeOf(c: Case, opinions: Opinion[]): NonNullable<Verdict["code"]> {
  if (opinions.filter((o) => fits(c, o)).length > 1) return "ambiguous";
  return opinions.some((o) => isLikely(c, o)) ? "changed" : "gone";
}

/** Whether it was probably the wanted one, or took its place. */
function isLikely(c: Case, o: Opinion): boolean {
  return (c.candidates[o.index]?.placed ?? 0) > 0 || o.total > LIKELY;
}

class Judge {
  private readonly scale: Scale;
  private readonly telling: Feature[]; // what tells the wanted one from its twins
  private readonly settled: boolean; // the page has as many elements of the kind as it had: places count

  private readonly c: Case;

  constructor(c: Case) {
    this.scale = new Scale(c.wanted, c.survival);
    const wanted = Object.fromEntries(Object.entries(c.wanted).filter(([, hashes]) => hashes.length));
    this.c = { ...c, wanted, candidates: c.candidates.map((one) => ({ ...one, own: renamed(one.own, wanted, c.rivals) })) };
    this.telling = telltales(this.c);
    this.settled = c.alike[1] === c.candidates.length;
  }

  /** What is thought of the candidates that come near, best first. */
  opinions(): Opinion[] {
    const { candidates } = this.c;
    this.scale.compare(OWN_FEATURES, candidates.map((candidate) => candidate.own));
    const close = candidates.map((candidate, index) => ({ candidate, index, own: this.scale.own(candidate.own) }))
      .sort((a, b) => b.own + this.placing(b.candidate) - a.own - this.placing(a.candidate)).slice(0, CLOSE)
      .map((one) => ({ ...one, evidence: { ...one.candidate.own, ...one.candidate.around() } }));
    this.scale.compare(AROUND_FEATURES, close.map(({ evidence }) => evidence));
    const weighed = close.map((one) => ({ ...one, around: this.scale.around(one.evidence) + this.placing(one.candidate) }))
      .sort((a, b) => b.own + b.around - a.own - a.around);
    return first(MOST_OPINIONS, weighed, ({ candidate }) => candidate.usable()).map(({ candidate, index, own, around, evidence }) => ({
      index, own, agreed: this.scale.agreed(evidence, this.telling.length ? 0 : LITTLE), around, total: own + around, contradictions: this.contradictions(evidence),
      rival: this.ahead(candidate, evidence), ...this.reasons(evidence),
    }));
  }

  /** How much it counts that the selectors that only tell a place name a candidate, or do not. */
  private placing({ placed }: Candidate): number {
    if (placed === 0) return ELSEWHERE;
    return this.settled ? placed * PLACED : 0;
  }

  /** How much nearer a candidate is to the wanted element than to the nearest rival. */
  private ahead(candidate: Candidate, evidence: Evidence): number {
    const place = this.settled ? candidate.placed * PLACED : 0;
    const inTurn = this.c.rivals.some(isTwin) && isInTurn(this.c, candidate);
    return Math.min(...this.c.rivals.map((rival) => {
      if (!isTwin(rival)) return this.scale.nearer(evidence, rival) + place;
      const words = this.scale.nearer(evidence, rival, this.telling);
      if (words >= RIVAL_MARGIN) return words;
      const box = this.inBox(evidence, rival);
      return box > 0 ? 2 * RIVAL_MARGIN : box < 0 || !inTurn ? Math.min(words, box) : Infinity;
    }));
  }

  /** Whether a box says what that of the wanted one alone said (1), or does not, or says what a twin's said (-1); 0 where it cannot tell. */
  private inBox(evidence: Evidence, twin: Evidence): number {
    const { wanted: { [BOX]: was = [] }, survival } = this.c;
    const other = twin[BOX];
    if (!other) return 0;
    const says = (hashes: readonly string[], but: readonly string[]) => hashes.some((h) => !but.includes(h) && evidence[BOX]?.includes(h));
    const its = says(was, other);
    const twins = says(other, was);
    if (its !== twins) return its ? 1 : -1;
    return its || Math.min(survival.ids, survival.classes) < STAYED || was.every((h) => other.includes(h)) ? 0 : -1;
  }

  /** How many things an element says of itself that the wanted one did not, where the rest of the page still says the same. */
  private contradictions(evidence: Evidence): number {
    const { wanted, rivals, survival } = this.c;
    const differs = (f: Feature) => this.scale.similarity(f, wanted[f], evidence[f]) < OTHER_WORDS;
    const other = (f: Feature) => !!wanted[f] && !!evidence[f] && differs(f);
    const its = (f: Feature) => rivals.every((rival) => rival[f]); // and no rival's
    const identities = IDENTIFYING.filter((f) => wanted[f] && evidence[f]);
    const wordless = wanted.label || wanted.placeholder ? CONTRADICTION : STRONG_CONTRADICTION; // then what it leads to says what it is
    let count = wordless * identities.filter((f) => f !== "id" && differs(f)).length - identities.filter((f) => !differs(f) && its(f)).length;
    const counts = isCount(wanted.label) && (!evidence.label || isCount(evidence.label)) && !rivals.some((rival) => isCount(rival.label) && OWN_FEATURES.every((f) => f === "label" || !rival[f]));
    const speaking = SPEAKING.find((f) => wanted[f] && !(f === "label" && counts));
    const onlyId = wanted.id && evidence.id && (!speaking || speaking === "other") && !IDENTIFYING.some((f) => f !== "id" && wanted[f]);
    if (onlyId && differs("id") && survival.ids >= STAYED) count += STRONG_CONTRADICTION;
    const isOther = survival.words < STAYED && survival.classes < STAYED; // another view, and not this one in another language
    if (speaking && (isOther || survival[TRAITS[speaking].change] >= STAYED) && differs(speaking)) count += evidence[speaking] || speaking !== "label" ? STRONG_CONTRADICTION : CONTRADICTION;
    const toldOff = this.telling.length > 0 && this.telling.every(differs);
    if (survival.words < STAYED) return count + (toldOff && survival.words > TRANSLATED ? STRONG_CONTRADICTION : 0); // the page has other records
    return count + (other("placeholder") && speaking !== "placeholder" ? CONTRADICTION : 0) + (toldOff || this.isOpposed(evidence) ? STRONG_CONTRADICTION : 0);
  }

  /** Whether another word stands in place of one that a rival said, too, and the page still says: it has not been renamed. */
  private isOpposed({ label: is = [] }: Evidence): boolean {
    const { wanted: { label: was = [] }, rivals, candidates } = this.c;
    const lost = was.filter((word) => isWord(word) && !is.includes(word));
    if (!lost.length || !is.some((word) => isWord(word) && !was.includes(word))) return false;
    return lost.some((word) => rivals.some((rival) => rival.label?.includes(word)) && candidates.some(({ own }) => own.label?.includes(word)));
  }

  private reasons(evidence: Evidence): Pick<Opinion, "for" | "against"> {
    const features = [...OWN_FEATURES, ...AROUND_FEATURES].map((f) => [f, this.scale.feature(f, evidence)] as const);
    return { for: features.filter(([, w]) => w > REPORTED_FOR).map(([f]) => f), against: features.filter(([, w]) => w < REPORTED_AGAINST).map(([f]) => f) };
  }
}

function isWord(hashed: string): boolean {
  return !isNumber(hashed);
}

/** Whether a label is a number only, as on a badge. */
function isCount(label: readonly string[] = []): boolean {
  return label.length > 0 && label.every(isNumber);
}

/** What an element says of itself; under another name, it is what it was where its text has stayed and is no rival's. */
function renamed(own: Evidence, wanted: Evidence, rivals: readonly Evidence[]): Evidence {
  const [was, is] = [readable(wanted), readable(own)];
  if (!!wanted.text === !!own.text || !same(was, is)) return own;
  const shared = rivals.some((rival) => same(readable({ ...wanted, ...rival }), was) && !same(rival.label ?? wanted.label, wanted.label));
  return shared ? own : { ...own, label: wanted.label ?? [], text: wanted.text ?? [] };
}

/** The words that can be read in an element, whatever it is called. */
function readable({ text, label }: Evidence): readonly string[] | undefined {
  return text?.length ? text : label;
}

function odds(log: number): number {
  return Math.round(1000 / (1 + Math.exp(-log))) / 1000;
}

/** Whether a rival, which is given by what differs, says of itself what the wanted element says. */
function isTwin(rival: Evidence): boolean {
  return !OWN_FEATURES.some((f) => rival[f]);
}

/** Whether the box of each says what that of the other does not. */
function isApart(a: readonly string[] = [], b: readonly string[] = a): boolean {
  return a.some((h) => !b.includes(h)) && b.some((h) => !a.includes(h));
}

/**
 * The words that told the wanted element from its twins; none where they stood
 * alike. What stands next to an element tells it from them only if something
 * stands next to each that is not what they say themselves: else it says that the
 * element was the first or the last, and after that has gone another is.
 */
function telltales(c: Case): Feature[] {
  const twins = c.twins.length ? c.rivals.filter(isTwin) : [];
  const isItself = (words?: readonly string[]) => !!words && (words.length === 0 || same(words, c.wanted.label));
  const isNear = (f: Feature) => f === "before" || f === "after";
  const boxed = twins.length > 0 && twins.every((twin) => isApart(c.wanted[BOX], twin[BOX]));
  return TELLING_TWINS.filter((f) => c.wanted[f] && (f === "row" || !boxed) && twins.some((twin) => twin[f]) && !(isNear(f) && [c.wanted, ...twins].some((one) => isItself(one[f]))));
}

/**
 * Whether an element stands in its turn among its twins, of which none may have
 * come or gone: the wanted one may be what is missing.
 */
function isInTurn(c: Case, candidate: Candidate): boolean {
  const [turn, count] = c.twins;
  const twins = c.candidates.filter((other) => sameOwn(other.own, candidate.own));
  const others = () => c.candidates.filter((other) => other === candidate || sameOwn(other.own, c.wanted)); // it alone has changed
  const among = twins.length < (count ?? 0) ? others() : twins;
  return among.length === count && among.indexOf(candidate) === turn && isPlaced(c, candidate) && among.every((other) => other.placed <= candidate.placed);
}

/** Whether as many of its kind stand before it as did, or after it. */
function isPlaced(c: Case, candidate: Candidate): boolean {
  const [rank = 0, all = 0] = c.alike;
  const at = c.candidates.indexOf(candidate);
  return candidate.placed > 0 || at === rank || c.candidates.length - at === all - rank;
}

/** What part of the page's own features of each kind is still there, from 0 to 1. */
export type Survival = Record<Change, number>;

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

  /** What part of what the wanted one said of itself it says, from 0 to 1; the less, the less that was than a least weight. */
  agreed(evidence: Evidence, least: number): number {
    const said = OWN_FEATURES.filter((f) => this.wanted[f]?.length);
    const weight = (f: Feature) => Math.log(TRAITS[f].m / TRAITS[f].u);
    return sum(said, (f) => weight(f) * this.similarity(f, this.wanted[f], evidence[f])) / Math.max(least, sum(said, weight));
  }

  /** How much what stands around it is what stood around the wanted one. */
  around(evidence: Evidence): number {
    return Math.min(Math.max(sum(AROUND_FEATURES, (f) => this.feature(f, evidence)), LEAST_AROUND), MOST_AROUND);
  }

  /** How much one feature speaks for the evidence being that of the wanted element. */
  feature(feature: Feature, evidence: Evidence): number {
    const wanted = this.wanted[feature];
    const has = evidence[feature];
    if (wanted && !wanted.length) return 0; // it repeated a secret: what it said was not stored
    if (!wanted) return has ? this.against(feature) * ABSENT * ABSENT : 0;
    if (!has?.length) return this.against(feature) * ABSENT;
    const similarity = this.similarity(feature, wanted, has);
    const against = this.against(feature) * (isCount(wanted) && isCount(has) ? NUMBER_WEIGHT : 1);
    return similarity * this.infavour(feature, similarity) + (1 - similarity) * against;
  }

  /** How much nearer the evidence is to the wanted element than to a rival, which is given by what differs. */
  nearer(evidence: Evidence, rival: Evidence, around: readonly Feature[] = AROUND_FEATURES): number {
    const ahead = (f: Feature) => {
      const had = rival[f];
      if (!had) return 0;
      const numbers = same(this.wanted[f]?.filter(isWord), had.filter(isWord)) ? 1 : NUMBER_WEIGHT; // where words tell them apart
      const difference = this.likeness(f, this.wanted[f], evidence[f], numbers) - this.likeness(f, had, evidence[f], numbers);
      return difference * (this.infavour(f, 1) - this.against(f));
    };
    return sum(OWN_FEATURES, ahead) + AROUND_RIVALS * sum(around, ahead);
  }

  /** As similarity, where two that have none are alike. */
  private likeness(feature: Feature, a: readonly string[] = [], b: readonly string[] = [], numbers = 1): number {
    if (!a.length || !b.length) return a.length === b.length ? 1 : ABSENT * ABSENT;
    return this.similarity(feature, a, b, numbers);
  }

  private infavour(feature: Feature, similarity: number): number {
    const { m, u } = this.traits[feature];
    const others = this.atLeast(feature, similarity) - 1;
    return Math.max(0, Math.log(m / ((PRIOR * u + Math.max(0, others)) / (PRIOR + this.compared(feature)))));
  }

  private against(feature: Feature): number {
    const { m, u } = this.traits[feature];
    return Math.min(0, Math.log((1 - m) / (1 - Math.min(u, MOST_SHARED))));
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
    for (const h of new Set(a)) {
      const weight = this.rarity(feature, h, numbers);
      either += weight;
      if (inB.delete(h)) shared += weight;
    }
    for (const h of inB) either += this.rarity(feature, h, numbers);
    return either ? shared / either : 0;
  }

  private rarity(feature: Feature, h: string, numbers: number): number {
    const rare = Math.log((this.compared(feature) + SMOOTH_COMPARED) / ((this.frequency.get(feature + h) ?? 0) + SMOOTH_FREQUENCY));
    return Math.max(LEAST_RARITY, rare) * (isNumber(h) ? numbers : 1);
  }
}

/** A feature that the page has changed everywhere tells nothing by having changed here. */
function surviving(m: number, survival: number): number {
  return Math.max(LEAST_SURVIVING, m * survival);
}

/** The first so many that are what is asked. */
function first<T>(most: number, all: readonly T[], is: (one: T) => boolean): T[] {
  const found: T[] = [];
  for (const one of all) {
    if (found.length === most) break;
    if (is(one)) found.push(one);
  }
  return found;
}

function sum<F>(features: readonly F[], of: (feature: F) => number): number {
  return features.reduce((total, feature) => total + of(feature), 0);
}
