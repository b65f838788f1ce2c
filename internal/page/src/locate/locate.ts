// Finding the element of a step: the first selector is trusted if what it names is
// unchanged; otherwise all evidence is weighed, in this one call. Also, in the moment of
// the press, whether an element is still what was found.

import { brief, CELL, columnSaid, inOnePass, isVisible, normalize, optionsNamed } from "../dom/elements";
import { isReady, Paced, Quiet } from "../dom/wait";
import { AROUND_FEATURES, aroundOf, type Evidence, OWN_FEATURES, ownOf, pack, same, sameOwn, unpack } from "./evidence";
import { alike, counted, evidenceOf, type Fingerprint, isAlike, survival, twinsOf, unpacked } from "./fingerprint";
import { type Candidate, judge, type Verdict } from "./judge";
import { aroundWords, type Kin, kinSaying, likeKin, showsAs, wordsOf } from "./kin";
import { newestOf } from "./newest";
import { inSet, isOfSet } from "./sets";
import { fits, parse, preferVisible, queryPath, saysAll, withTestId } from "./selector";
import {
  BOX, DRIFT_AROUND, DRIFT_OWN, DRIFT_SELECTORS, FALLBACK_AFTER_MS, type Feature, LAST_MS, MUST_STAY, REPORT_MS, SETTLED_MS,
  TELLING_TWINS, UNCHANGED_AROUND,
} from "./weights";

export interface Wanted {
  paths: string[][]; // best first
  fingerprint?: Fingerprint;
  hidden?: boolean; // an element that cannot be seen will do
  any?: boolean; // one of several will do
  said?: boolean; // the name of the first selector tells it, of a list that may stand in another order
  kin?: Kin; // another of a kind is wanted, which has this in common with what was recorded; with a fingerprint, where that tells none
  rows?: ChosenRow[]; // that were chosen before
  values?: string[]; // to be chosen in it
}

/** The hashed words of a row of which another was chosen when it was recorded. */
export interface ChosenRow {
  was: string;
  is: string;
}

export interface Tried {
  selector: string[];
  count: number; // elements that it names
  visible: number; // of them, those that can be seen
  why?: string; // the one that it names was passed over
}

/** An element that was thought of, for the report of a refusal. */
export interface Considered {
  element: string; // as in brief
  weight: number;
  for: string[];
  against: string[];
}

interface Located {
  element?: Element;
  matched: number; // index in paths of the first that names it alone; -1 where none does
  lost: number[]; // those that no longer name it
  drift: number; // how far it is from what was recorded: 0 is unchanged, 1 is nothing left
  code?: "gone" | "ambiguous" | "changed";
  confidence: number; // from 0 to 1
  tried: Tried[];
  considered: Considered[];
}

export type Found = Located & { element: Element };

/** The hashed words of the row that an element is in, but for its own: of a long one those next to it. */
export function rowWords(el: Element, key: string): string {
  const { row = [], before = [], after = [] } = inOnePass(() => aroundOf(el, key));
  return pack([...row, ...before, ...after]);
}

function isFound(located: Located): located is Found {
  return located.element !== undefined;
}

/** Looks once, now; after so many ms in which it was looked for already. */
export function locate(wanted: Wanted, waited = Infinity): Located {
  return look(wanted, false, waited);
}

/** The element of the first selector, if nothing about it has changed. */
export function unchanged(wanted: Wanted): Element | undefined {
  return look(wanted, true, Infinity).element;
}

function look(wanted: Wanted, inHaste: boolean, waited: number): Located {
  return withTestId(wanted.fingerprint?.testIdAttribute, () => inOnePass(() => new Look(wanted).located(inHaste, waited)));
}

/** One look at the page as it is. */
class Look {
  readonly tried: Tried[] = [];
  private readonly usable: Element[][] = []; // of each path

  constructor(private readonly wanted: Wanted) {}

  /** What is known of the kind, where that is all there is. */
  private get kin(): Kin | undefined {
    return this.wanted.fingerprint ? undefined : this.wanted.kin;
  }

  /** The element of the first selector, if all that was known of it still holds. */
  unchanged(): Element | undefined {
    const print = this.wanted.fingerprint;
    const [element, other] = this.named(0);
    if (!element || (other && !this.wanted.any)) return undefined;
    if (!print?.own || this.wanted.any) return element;
    return isUnchanged(element, print) && this.isInItsTurn(element, print) ? element : undefined;
  }

  /** Where the element is; in haste, only if nothing about it has changed. */
  located(inHaste: boolean, waited: number): Located {
    const print = this.wanted.fingerprint;
    const isOfRow = isOfRowSaying(this.wanted.paths[0] ?? []);
    const said = print && (this.wanted.said ? this.saidAlone(print) : isOfRow ? this.captioned(print) : undefined);
    if (print && said && (!isOfRow || hasStayed(print, said))) return this.found(said, 1);
    const known = print?.newest && !this.wanted.any ? print.newest : "";
    const newest = print && known ? (isOfSet(known) ? inSet : newestOf)(known, print.tag, print.key, waited) : undefined;
    if (newest) return { ...this.found(newest, 1), lost: [], drift: 0 }; // its names are those of its number
    if (newest === null) return this.refused("ambiguous", []);
    const element = this.unchanged();
    if (element) return this.found(element, 1);
    if (inHaste) return this.refused("gone", []);
    this.wanted.paths.forEach((_, i) => this.named(i));
    const weighed = print?.own ? this.weighed(print) : this.bySelectors();
    const located = this.orOfKind(weighed);
    if (said && isOfRow && located.element && located.element !== said) return this.refused("changed", located.considered); // of another row
    return this.lacksItsRow() ? this.refused("gone", located.considered) : located;
  }

  /** The only element that what was chosen tells, or the words that it stands next to. */
  private saidAlone(print: Fingerprint): Element | undefined {
    const [element, other] = this.named(0);
    return !other && element?.localName === print.tag ? element : undefined;
  }

  /** What was chosen when it was recorded, found as another choice would be where it looks otherwise by now: a list marks what was typed to find it. */
  private orOfKind(weighed: Located): Located {
    const { fingerprint, kin, paths } = this.wanted;
    const words = weighed.element || weighed.code === "ambiguous" ? "" : wordsOf(paths[0]?.[0] ?? "");
    if (!fingerprint || !kin || !words) return weighed;
    const [element, other] = kinSaying(words, kin, document).filter(isVisible);
    return element && !other ? this.found(element, 1) : weighed;
  }

  /** The only element that words tell which says nothing itself, or is a field called as others are; words that stood next to it do so still. */
  private captioned(print: Fingerprint): Element | undefined {
    const [words = ""] = this.wanted.paths[0] ?? [];
    if (!print.own || (print.newest && /\d/.test(words))) return undefined; // the page may have numbered what it has added
    const { label } = unpacked(print.own);
    if (label && !/^(?:input|select|textarea)$/.test(print.tag)) return undefined;
    const element = this.saidAlone(print);
    if (label) return element && same(ownOf(element, print.key).label, label) ? element : undefined;
    const isHead = words.startsWith("under/");
    return element && (isHead || isNextToTheSame(print, element)) ? element : undefined;
  }

  /** What a selector names and can be used. */
  private named(i: number): Element[] {
    const before = this.usable[i];
    if (before) return before;
    const path = this.wanted.paths[i] ?? [];
    const all = this.meant(path);
    const visible = all.filter(isVisible);
    this.tried[i] = { selector: path, count: all.length, visible: visible.length };
    return (this.usable[i] = this.narrowed(this.wanted.hidden ? preferVisible(all) : visible));
  }

  /** What a path names; words that are in a part of what was recorded name that. */
  private meant(path: string[]): Element[] {
    const { kin } = this;
    const { fingerprint, any } = this.wanted;
    const words = path.length === 1 && !any ? wordsOf(path[0] ?? "") : "";
    if (words && kin) return kinSaying(words, kin, document);
    const named = queryPath(path, document, (kin ?? fingerprint)?.rise, (kin ?? fingerprint)?.whole);
    const told = (kin ?? fingerprint)?.told;
    const ofColumn = told && path.length > 1 && path[0]?.startsWith("text/") ? named.filter((el) => isToldBy(told, path[0] ?? "", rowAround(el, (kin ?? fingerprint)?.rise ?? 0), (kin ?? fingerprint)?.whole)) : named;
    const all = kin?.own?.inner && path.length > 1 && path.at(-1)?.includes(":nth-of-type(") ? ofColumn.filter((el) => showsAs(el, kin)) : ofColumn; // another row may lack a button before it
    return words && fingerprint?.own ? [...new Set(all.map((el) => aroundWords(el, fingerprint)))] : all;
  }

  private narrowed(all: Element[]): Element[] {
    const { kin } = this;
    return kin && !this.wanted.any && all.length > 1 ? likeKin(all, kin, document) : all;
  }

  /** Whether nothing says the words of the row that the element is in: no other row is meant, however much that looks as it did. */
  private lacksItsRow(): boolean {
    const [path = []] = this.wanted.paths;
    if (!this.wanted.fingerprint?.rise || !isOfRowSaying(path)) return false;
    if (path[2]?.startsWith("near/")) return !this.named(0).length; // two of its words tell it
    const { told, whole } = this.wanted.fingerprint;
    const says = queryPath(path.slice(0, 1), document, Infinity, whole);
    return !says.some((el) => !told || isToldBy(told, path[0] ?? "", el.closest("tr,[role=row]") ?? el, whole));
  }

  /** Without a fingerprint the first selector counts that names one. */
  private bySelectors(): Located {
    const only = this.usable.find((elements) => elements.length === 1 || (elements.length > 1 && this.wanted.any));
    const [element] = only ?? [];
    if (element) return this.found(element, 1);
    return this.refused(this.usable.some((elements) => elements.length > 1) ? "ambiguous" : "gone", []);
  }

  private weighed(print: Fingerprint): Located {
    const all = this.candidates(print);
    const seen = counted(print, all);
    const located = this.judged(print, seen);
    // What can be seen comes first; a page may have hidden it under something prettier.
    return located.element || !this.wanted.hidden || seen.length === all.length ? located : this.judged(print, all);
  }

  private judged(print: Fingerprint, elements: Element[]): Located {
    const label = unpacked(print.own).label ?? [];
    const isSaid = !this.wanted.rows?.length || elements.some((el) => same(ownOf(el, print.key).label, label));
    const { options } = unpacked(print.own);
    const isOffered = !!options && elements.some((el) => same(ownOf(el, print.key).options, options));
    const verdict = judge({
      wanted: evidenceOf(print), rivals: (print.rivals ?? []).map(unpacked), twins: print.twins ?? [], alike: print.alike ?? [],
      survival: survival(print.key, print.page),
      candidates: elements.map((el) => this.candidate(el, print, isSaid ? [] : label, isOffered ? undefined : options)),
    });
    const chosen = verdict.chosen === undefined ? undefined : elements[verdict.chosen];
    const considered = consider(verdict, elements);
    if (chosen) return { ...this.found(chosen, verdict.confidence), ...(this.ofRow.has(chosen) ? { lost: [], drift: 0 } : {}), considered };
    return this.refused(verdict.code ?? "gone", considered);
  }

  private candidates(print: Fingerprint): Element[] {
    const elements = new Set(alike(print.tag, print.role ?? "", document));
    for (const named of this.usable) for (const el of named) if (isAlike(el, print.tag, print.role ?? "")) elements.add(el);
    return [...elements];
  }

  /** Elements that say of the row that was chosen what the recorded one said of another. */
  private readonly ofRow = new Set<Element>();

  /** A list has the options that it had where none has them any more and it offers what is to be chosen: they may go by what was chosen elsewhere. */
  private candidate(el: Element, print: Fingerprint, label: readonly string[], options: Evidence["options"]): Candidate {
    const { values } = this.wanted;
    const offers = options && values?.length && el instanceof HTMLSelectElement && optionsNamed(el, values).length === values.length;
    const own = { ...ownOf(el, print.key), ...(offers ? { options } : {}) };
    const ofRow = this.wanted.rows?.some((row) => isOfRow(own.label ?? [], label, row)) ?? false;
    if (ofRow) this.ofRow.add(el);
    return {
      own: ofRow ? { ...own, label } : own,
      around: () => aroundOf(el, print.key),
      placed: this.placed(el),
      usable: () => !!this.wanted.hidden || isVisible(el),
    };
  }

  /** What part of the selectors that only tell a place name an element. */
  private placed(el: Element): number {
    const structural = this.wanted.paths.map((path, i) => (isStructural(path) ? this.usable[i] : undefined)).filter((named) => named !== undefined);
    const naming = structural.filter((named) => named.length === 1 && named[0] === el);
    return structural.length ? naming.length / structural.length : 0;
  }

  /** Of elements that say the same, whether it is the one that it was, and none has come or gone. */
  private isInItsTurn(el: Element, print: Fingerprint): boolean {
    const [path = []] = this.wanted.paths;
    if (isOfRowSaying(path) || (!print.twins && !isStructural(path))) return true;
    const all = counted(print, alike(print.tag, print.role ?? "", document), el);
    if (!print.twins) return print.alike?.[1] === all.length;
    const [turn, count] = print.twins;
    const twins = twinsOf(el, all);
    return twins.length === count && twins.indexOf(el) === turn && all.indexOf(el) === print.alike?.[0];
  }

  private found(element: Element, confidence: number): Located {
    const names = this.wanted.paths.map((path, i) => this.stillNames(path, i, element));
    const lost = names.flatMap((still, i) => (still ? [] : [i]));
    return { element, matched: names.indexOf(true), lost, drift: this.drift(element, lost.length), confidence, tried: this.tried, considered: [] };
  }

  /** Of a selector that was not asked it is only known whether it fits the element, which is quickly seen. */
  private stillNames(path: string[], i: number, element: Element): boolean {
    const named = this.usable[i];
    return named ? named.includes(element) && (named.length === 1 || !!this.wanted.any) : fits(element, path.at(-1) ?? "");
  }

  private drift(el: Element, lost: number): number {
    const print = this.wanted.fingerprint;
    const selectors = lost / Math.max(1, this.wanted.paths.length);
    if (!print?.own) return round(selectors);
    const own = changedPart(OWN_FEATURES, unpacked(print.own), ownOf(el, print.key));
    const around = changedPart(AROUND_FEATURES, unpacked(print.around), aroundOf(el, print.key));
    return round(DRIFT_SELECTORS * selectors + DRIFT_OWN * own + DRIFT_AROUND * around);
  }

  private refused(code: NonNullable<Located["code"]>, considered: Considered[]): Located {
    return { matched: -1, lost: [], drift: 1, code, confidence: 0, tried: this.tried, considered };
  }
}

/** The box so many levels above an element. */
function rowAround(el: Element, rise: number): Element {
  let at = el;
  for (let height = 0; height < rise && at.parentElement; height++) at = at.parentElement;
  return at;
}

/** Whether the cell of a column says the words in a row; one that has no such cell may say them anywhere. */
function isToldBy(told: string, text: string, row: Element, whole = false): boolean {
  const words = wordsOf(text);
  const head = told.startsWith("under/") ? told.slice("under/".length) : "";
  const cells = [...row.querySelectorAll(CELL)].filter((cell) => (head ? columnSaid(cell) === head : fits(cell, told)));
  return !cells.length || cells.some((cell) => (whole ? saysAll(cell, words) : normalize(cell.textContent).includes(words)));
}

/** Whether a label says of a row that was chosen what another one said of the row that was recorded, and else the same. */
function isOfRow(label: readonly string[], recorded: readonly string[], row: ChosenRow): boolean {
  const [was, is] = [unpack(row.was), unpack(row.is)];
  const its = recorded.filter((word) => was.includes(word) && !is.includes(word));
  const now = label.filter((word) => is.includes(word) && !was.includes(word));
  return its.length > 0 && now.length > 0 && same(recorded.filter((word) => !its.includes(word)), label.filter((word) => !now.includes(word)));
}

/** Whether others say what an element says, where fewer of its kind were there when it was recorded. */
export function isOneOfMore(el: Element, print: Fingerprint | undefined): boolean {
  if (!print?.own || print.twins) return false;
  return withTestId(print.testIdAttribute, () => inOnePass(() => {
    const all = counted(print, alike(print.tag, print.role ?? "", document), el);
    const { label } = ownOf(el, print.key);
    return all.length > (print.alike?.[1] ?? Infinity) && all.some((other) => other !== el && same(ownOf(other, print.key).label, label));
  }));
}

/** How many candidates a report names. */
const MOST_CONSIDERED = 3;

function consider(verdict: Verdict, elements: Element[]): Considered[] {
  return verdict.opinions.slice(0, MOST_CONSIDERED).map((o) => ({
    element: brief(elements[o.index] as Element), weight: Math.round(o.total * 10) / 10, for: o.for, against: o.against,
  }));
}

/** Whether an element is as it was, and most of what is around it, too. */
function isUnchanged(el: Element, print: Fingerprint): boolean {
  if (!isAlike(el, print.tag, print.role ?? "") || !sameOwn(unpacked(print.own), ownOf(el, print.key))) return false;
  const was = unpacked(print.around);
  const is = aroundOf(el, print.key);
  if (print.twins && ![...TELLING_TWINS, BOX].every((f) => same(was[f], is[f]))) return false; // they tell it from its twins
  const known = AROUND_FEATURES.filter((f) => was[f] || is[f]);
  return known.filter((f) => same(was[f], is[f])).length >= known.length * UNCHANGED_AROUND;
}

/** Whether an element shows of itself what it did: a switch that is on by now does not. What was withheld may be anything. */
function hasStayed(print: Fingerprint, el: Element): boolean {
  const [was, is] = [unpacked(print.own), ownOf(el, print.key)];
  return OWN_FEATURES.every((f) => was[f]?.length === 0 || same(was[f], is[f]));
}

/** Whether the words right before an element or right after it are what they were. */
function isNextToTheSame(print: Fingerprint, el: Element): boolean {
  const [was, is] = [unpacked(print.around), aroundOf(el, print.key)];
  return (["before", "after"] as const).some((f) => was[f]?.length && same(was[f], is[f]));
}

function changedPart(features: readonly Feature[], was: Evidence, is: Evidence): number {
  const known = features.filter((f) => was[f]);
  return known.length ? known.filter((f) => !same(was[f], is[f])).length / known.length : 0;
}

function round(part: number): number {
  return Math.round(part * 100) / 100;
}

/** Whether a selector goes by the words of a row: these tell which of the controls of all rows it is, whichever have come or gone. */
function isOfRowSaying(path: string[]): boolean {
  return path.length > 1 && /^(?:text|value|under)\//.test(path[0] ?? "") && (path[1] ?? "").startsWith("near/");
}

/** Whether a selector describes only where an element stands, and little of what it is. */
function isStructural(path: string[]): boolean {
  const last = path.at(-1) ?? "";
  const { kind } = parse(last);
  return kind === "xpath" || (kind === "css" && /[ >]|:nth/.test(last));
}

/**
 * Looks for one element again and again, until it is found or the caller gives up. A
 * thorough look, with all that is known, is the rarer the more it costs; the last one is
 * made while there is still time for it.
 */
export class Finder {
  private readonly quiet = new Quiet();
  private readonly started = performance.now();
  private readonly pace = new Paced();
  private last: Located | undefined; // of the thorough looks
  private still = () => false; // whether what that found is as it was
  private isLast = false;
  /** Whether the last look was thorough. */
  wasThorough = false;

  constructor(private readonly wanted: Wanted, private readonly timeout = Infinity) {}

  look(inMotion = false): Found | undefined {
    this.wasThorough = this.rests() && this.isDue(inMotion);
    const located = this.wasThorough ? this.lookEverywhere() : look(this.wanted, true, this.waited);
    if (isFound(located)) return located;
    return !this.wasThorough && this.last && isFound(this.last) && this.still() ? this.last : undefined;
  }

  /** Whether the element is nowhere; undefined where it is too early to look again. */
  isGone(): boolean | undefined {
    return this.wasThorough || this.isDue(false) ? !isFound(this.wasThorough && this.last ? this.last : this.lookEverywhere()) : undefined;
  }

  /** The last look in full, for the report of a failure. */
  report(): Located {
    return this.last && this.pace.cost > REPORT_MS ? this.last : this.lookEverywhere();
  }

  private lookEverywhere(): Located {
    return this.pace.run(() => {
      const located = locate(this.wanted, this.waited);
      this.still = isFound(located) ? stillThere(located.element, this.wanted) : () => false;
      return (this.last = located);
    });
  }

  /** Does what belongs to a thorough look, and is as rare. */
  alongside<T>(work: () => T): T {
    return this.pace.run(work, this.pace.cost);
  }

  private isDue(inMotion: boolean): boolean {
    const { cost } = this.pace;
    const left = this.started + this.timeout - performance.now();
    if (cost > REPORT_MS && left < cost) return false; // it would be late
    const due = this.pace.dueIn(inMotion) <= 0;
    if (due || this.isLast || left > 2 * cost + LAST_MS) return due;
    return (this.isLast = true);
  }

  stop(): void {
    this.quiet.stop();
  }

  /** For how many ms it has been looked for. */
  get waited(): number {
    return performance.now() - this.started;
  }

  /** Whether the page has come to rest, or has had its time for it. */
  rests(): boolean {
    return this.waited > FALLBACK_AFTER_MS || (isReady() && this.quiet.for() >= SETTLED_MS);
  }
}

interface Snapshot {
  evidence: Evidence;
  turn: number; // among its twins, of which it had some when it was recorded
  twins: number;
}

/** A test whether an element can be used and is what it is now. */
function stillThere(el: Element, wanted: Wanted): () => boolean {
  const still = stillIs(el, wanted.fingerprint);
  return () => el.isConnected && (!!wanted.hidden || isVisible(el)) && still();
}

/** A test whether the element is still what it is now. Without evidence there is nothing to go by. */
export function stillIs(el: Element, print: Fingerprint | undefined): () => boolean {
  if (!print?.own) return () => true;
  const look = () => withTestId(print.testIdAttribute, () => inOnePass(() => snapshot(el, print)));
  const was = look();
  return () => isAs(look(), was);
}

function snapshot(el: Element, print: Fingerprint): Snapshot {
  const twins = print.twins ? counted(print, twinsOf(el, alike(print.tag, print.role ?? "", document)), el) : [el];
  return { evidence: { ...ownOf(el, print.key), ...aroundOf(el, print.key) }, turn: twins.indexOf(el), twins: twins.length };
}

function isAs(is: Snapshot, was: Snapshot): boolean {
  return is.turn === was.turn && is.twins === was.twins && MUST_STAY.every((feature) => same(is.evidence[feature], was.evidence[feature]));
}
