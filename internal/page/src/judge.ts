// Deciding which of a page's elements is the one that was recorded, or that none
// of them is. It knows evidence only, no document.

import { AROUND_FEATURES, OWN_FEATURES, type Evidence, type Feature } from "./evidence";
import { Scale, type Survival, type Weight } from "./weigh";

/** An element that may be the wanted one. */
export interface Candidate {
  evidence: Evidence;
  placed: number; // how many of the selectors that tell only its place name it, as part of those that there are
  usable: () => boolean; // whether it can be seen
}

export interface Case {
  wanted: Evidence;
  rivals: Evidence[];
  twins?: readonly number[] | undefined;
  settled: boolean; // the page has as many elements of the kind as it had: places count
  survival: Survival;
  candidates: Candidate[];
}

export interface Opinion {
  index: number;
  weight: Weight;
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
/** A text with less than this in common is another. */
const OTHER_WORDS = 0.34;
/** A part of the page's values that must have stayed for a change here to be one of this element only. */
const STAYED = 0.6;
/** Standing where it stood is worth this much, and standing elsewhere that. */
const PLACED = 2;
const ELSEWHERE = -0.5;
/** How many are looked at closely. */
const MOST_OPINIONS = 12;

export function judge(c: Case): Verdict {
  const scale = new Scale(c.wanted, c.candidates.map((candidate) => candidate.evidence), c.survival);
  const opinions = c.candidates.map((candidate, index) => opinion(c, scale, candidate, index))
    .sort((a, b) => b.weight.total - a.weight.total)
    .filter((o, i) => i < MOST_OPINIONS * 4 && c.candidates[o.index]?.usable()).slice(0, MOST_OPINIONS);
  for (const o of opinions) Object.assign(o, reasons(c, scale, o.index));
  const standing = opinions.filter((o) => stands(o));
  const [best, next] = standing;
  if (!best) return { code: likely(c, opinions) ? "changed" : "gone", confidence: 0, opinions };
  const margin = best.weight.total - (next?.weight.total ?? -Infinity);
  const confidence = odds(Math.min(best.weight.total - ACCEPT, best.rival, margin - MARGIN) + 2);
  if (margin >= MARGIN) return { chosen: best.index, confidence, opinions: [best, ...opinions.filter((o) => o !== best)] };
  const twin = amongTwins(c, standing.filter((o) => best.weight.total - o.weight.total < MARGIN));
  return twin === undefined ? { code: "ambiguous", confidence: 0, opinions } : { chosen: twin, confidence: 0.9, opinions };
}

function opinion(c: Case, scale: Scale, candidate: Candidate, index: number): Opinion {
  const weight = scale.weigh(candidate.evidence);
  const place = candidate.placed > 0 ? candidate.placed * PLACED : ELSEWHERE;
  const ahead = c.settled ? candidate.placed * PLACED : 0;
  const nearest = Math.min(...c.rivals.map((rival) => scale.nearer(candidate.evidence, rival) + ahead));
  return { index, contradictions: contradictions(c, scale, candidate.evidence), weight: { ...weight, around: weight.around + place, total: weight.total + place }, rival: nearest, for: [], against: [] };
}

function stands(o: Opinion): boolean {
  return o.weight.total >= ACCEPT && o.weight.own >= ACCEPT_OWN && o.rival >= RIVAL_MARGIN && o.contradictions < CONTRADICTED;
}

/** How many things an element says of itself that the wanted one did not, where the rest of the page still says the same. */
function contradictions(c: Case, scale: Scale, evidence: Evidence): number {
  const differs = (f: Feature) => scale.similarity(f, c.wanted[f], evidence[f]) < OTHER_WORDS;
  const other = (f: Feature) => !!c.wanted[f] && !!evidence[f] && differs(f);
  const identities = IDENTIFYING.filter((f) => c.wanted[f] && evidence[f]);
  let count = identities.filter((f) => f !== "id" && differs(f)).length - identities.filter((f) => !differs(f)).length;
  const speaking = c.wanted.label || evidence.label ? "label" : "inner";
  const changed = speaking === "label" ? c.survival.words : c.survival.classes;
  if (changed >= STAYED && (other(speaking) || (speaking === "inner" && !!c.wanted.inner && !evidence.inner))) count += 2;
  if (c.survival.words >= STAYED) {
    if (other("placeholder")) count++;
    const telling = discriminator(c);
    if (telling && differs(telling)) count += 2;
  }
  return count;
}

/** Words around an element by which a person tells it from others that say the same, most telling first. */
const DISCRIMINATORS: Feature[] = ["row", "before", "after", "heading"];

/** The words that told the wanted element from its twins; undefined where it had none, or where they stood alike. */
function discriminator(c: Case): Feature | undefined {
  if (!c.twins) return undefined;
  const twins = c.rivals.filter((rival) => !OWN_FEATURES.some((f) => rival[f]));
  return DISCRIMINATORS.find((f) => c.wanted[f] && twins.some((twin) => twin[f]));
}

/** Whether one is there that was probably the wanted one, or took its place. */
function likely(c: Case, opinions: Opinion[]): boolean {
  return opinions.some((o) => (c.candidates[o.index]?.placed ?? 0) > 0 || o.weight.total > 0);
}

/** Of elements that are all the same, the one in its turn, if there are as many as there were. */
function amongTwins(c: Case, tied: Opinion[]): number | undefined {
  if (!c.twins) return undefined;
  const [turn = 0, count = 0] = c.twins;
  const twins = c.candidates.map((_, i) => i).filter((i) => c.candidates[i]?.usable() && sameOwn(c.candidates[i]?.evidence ?? {}, c.wanted));
  const index = twins[turn];
  if (twins.length !== count || index === undefined) return undefined;
  const chosen = tied.find((o) => o.index === index);
  const sure = (c.candidates[index]?.placed ?? 0) > 0 || tied.length === count;
  return chosen && sure && tied.every((o) => twins.includes(o.index)) ? index : undefined;
}

function sameOwn(a: Evidence, b: Evidence): boolean {
  return OWN_FEATURES.every((f) => (a[f] ?? []).join() === (b[f] ?? []).join());
}

function reasons(c: Case, scale: Scale, index: number): Pick<Opinion, "for" | "against"> {
  const evidence = c.candidates[index]?.evidence ?? {};
  const features = [...OWN_FEATURES, ...AROUND_FEATURES].map((f) => [f, scale.feature(f, evidence)] as const);
  return { for: features.filter(([, w]) => w > 0.5).map(([f]) => f), against: features.filter(([, w]) => w < -0.3).map(([f]) => f) };
}

function odds(log: number): number {
  return Math.round(1000 / (1 + Math.exp(-log))) / 1000;
}
