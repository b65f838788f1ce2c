// Deciding which of a page's elements is the one that was recorded, or that none
// of them is. It knows evidence only, no document.

import { AROUND_FEATURES, OWN_FEATURES, type Evidence, type Feature } from "./evidence";
import { isInTurn, isTwin, telltales } from "./twins";
import { changeOf, Scale, type Survival } from "./weigh";

/** An element that may be the wanted one. */
export interface Candidate {
  own: Evidence;
  around: () => Evidence; // read of those only that are looked at closely
  placed: number; // how many of the selectors that tell only its place name it, as part of those that there are
  usable: () => boolean; // whether it can be seen
}

export interface Case {
  wanted: Evidence;
  rivals: Evidence[];
  twins: readonly number[]; // which it was of how many that say the same, if there were several
  alike: readonly number[]; // which it was of how many of its kind
  survival: Survival;
  candidates: Candidate[]; // in the order of the page
}

/** What is thought of a candidate. Weights are logarithms of odds. */
export interface Opinion {
  index: number;
  own: number;
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

/** What it takes, in natural logarithms of odds; set on the benchmark's pages for tuning. */
const ACCEPT = 3; // in all
const ACCEPT_OWN = 1; // of itself: its place alone never makes an element the wanted one
const MARGIN = 2; // ahead of the next
const RIVAL_MARGIN = 1; // ahead of what stood beside it
/** What would be another element to a person: so much of it is refused, whatever else agrees. */
const CONTRADICTED = 2;
/** Features that say what an element is for: another value contradicts, the same one speaks against a contradiction. */
const IDENTIFYING: Feature[] = ["testid", "id", "name", "href"];
/** What tells a person what an element is for; where it has no words, its choices do, else its picture, else what scripts read of it. */
const SPEAKING: Feature[] = ["label", "placeholder", "options", "inner", "other"];
/** A text with less than this in common is another. */
const OTHER_WORDS = 0.34;
/** A part of the page's values that must have stayed for a change here to be one of this element only. */
const STAYED = 0.6;
/** Standing where it stood is worth this much, and standing elsewhere that. */
const PLACED = 2;
const ELSEWHERE = -0.5;
/** How many are looked at closely, and of how many it is said what was thought of them. */
const CLOSE = 200;
const MOST_OPINIONS = 12;

export function judge(c: Case): Verdict {
  const opinions = new Judge(c).opinions();
  const [best, next] = opinions.filter((o) => stands(c, o));
  if (!best) return { code: opinions.some((o) => isLikely(c, o)) ? "changed" : "gone", confidence: 0, opinions };
  const margin = best.total - (next?.total ?? -Infinity);
  if (margin < MARGIN) return { code: "ambiguous", confidence: 0, opinions };
  const confidence = odds(Math.min(best.total - ACCEPT, best.rival, margin - MARGIN) + 2);
  return { chosen: best.index, confidence, opinions: [best, ...opinions.filter((o) => o !== best)] };
}

function stands(c: Case, o: Opinion): boolean {
  // What repeated a secret is kept by its place alone, where that is all that there is.
  const withheld = OWN_FEATURES.some((f) => c.wanted[f]?.length === 0);
  return o.total >= ACCEPT && o.own >= (withheld ? 0 : ACCEPT_OWN) && o.rival >= RIVAL_MARGIN && o.contradictions < CONTRADICTED;
}

/** Whether it was probably the wanted one, or took its place. */
function isLikely(c: Case, o: Opinion): boolean {
  return (c.candidates[o.index]?.placed ?? 0) > 0 || o.total > 0;
}

class Judge {
  private readonly scale: Scale;
  private readonly telling: Feature[]; // what tells the wanted one from its twins
  private readonly settled: boolean; // the page has as many elements of the kind as it had: places count

  private readonly c: Case;

  constructor(c: Case) {
    this.scale = new Scale(c.wanted, c.survival);
    this.c = { ...c, wanted: Object.fromEntries(Object.entries(c.wanted).filter(([, hashes]) => hashes.length)) };
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
    return close.map(({ candidate, index, own, evidence }) => {
      const around = this.scale.around(evidence) + this.placing(candidate);
      return {
        index, own, around, total: own + around, contradictions: this.contradictions(evidence),
        rival: this.ahead(candidate, evidence), ...this.reasons(evidence),
      };
    }).sort((a, b) => b.total - a.total).filter(({ index }) => candidates[index]?.usable()).slice(0, MOST_OPINIONS);
  }

  /** How much it counts that the selectors that only tell a place name a candidate, or do not. */
  private placing({ placed }: Candidate): number {
    if (placed === 0) return ELSEWHERE;
    return this.settled ? placed * PLACED : 0;
  }

  /** How much nearer a candidate is to the wanted element than to the nearest rival. */
  private ahead(candidate: Candidate, evidence: Evidence): number {
    const place = this.settled ? candidate.placed * PLACED : 0;
    const inTurn = isInTurn(this.c, candidate);
    return Math.min(...this.c.rivals.map((rival) => {
      if (!isTwin(rival)) return this.scale.nearer(evidence, rival) + place;
      return inTurn ? Infinity : this.scale.nearer(evidence, rival, this.telling);
    }));
  }

  /** How many things an element says of itself that the wanted one did not, where the rest of the page still says the same. */
  private contradictions(evidence: Evidence): number {
    const { wanted, rivals, survival } = this.c;
    const differs = (f: Feature) => this.scale.similarity(f, wanted[f], evidence[f]) < OTHER_WORDS;
    const other = (f: Feature) => !!wanted[f] && !!evidence[f] && differs(f);
    const its = (f: Feature) => rivals.every((rival) => rival[f]); // and no rival's
    const identities = IDENTIFYING.filter((f) => wanted[f] && evidence[f]);
    const wordless = wanted.label || wanted.placeholder ? 1 : 2; // then what it leads to says what it is
    let count = wordless * identities.filter((f) => f !== "id" && differs(f)).length - identities.filter((f) => !differs(f) && its(f)).length;
    const speaking = SPEAKING.find((f) => wanted[f]);
    if (speaking && survival[changeOf(speaking)] >= STAYED && differs(speaking)) count += evidence[speaking] || speaking !== "label" ? 2 : 1;
    if (survival.words < STAYED) return count;
    const [telling] = this.telling;
    return count + (other("placeholder") ? 1 : 0) + (telling && differs(telling) ? 2 : 0);
  }

  private reasons(evidence: Evidence): Pick<Opinion, "for" | "against"> {
    const features = [...OWN_FEATURES, ...AROUND_FEATURES].map((f) => [f, this.scale.feature(f, evidence)] as const);
    return { for: features.filter(([, w]) => w > 0.5).map(([f]) => f), against: features.filter(([, w]) => w < -0.3).map(([f]) => f) };
  }
}

function odds(log: number): number {
  return Math.round(1000 / (1 + Math.exp(-log))) / 1000;
}
