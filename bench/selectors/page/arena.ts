// The arena: the elements of a page, each change of it, and who finds what after.
// It runs in a world of its own. Which element is the right one is held in its
// variables, and nothing in the document shows it.

import type { Change } from "./change";
import type { Contestant } from "./contestant";
import { Journal, Pristine } from "./journal";
import { KINDS, type Kind, type PageChance } from "./kinds";
import { Random } from "./random";
import { brief, choose, isSeen } from "./targets";

/** How often a change that hid its element is tried again in another way. */
const TRIES = 4;

export interface Target {
  html: string;
  place: number[]; // of the child in its parent, from the root down
}

interface Timed {
  ms: number;
  data: unknown;
}

interface Verdict {
  found: "right" | "wrong" | "nothing";
  ms: number;
  html?: string; // of the wrong element
  says?: unknown;
  error?: string;
}

interface Case {
  target: number;
  html: string; // as it was described
  now?: string; // and as it is after the change
  skipped?: string;
  verdicts: Record<string, Verdict>;
}

interface Outcome {
  cases: Case[];
  broken?: string; // the page could not be put back: load it again
}

export class Arena {
  private targets: Element[] = [];
  private html: string[] = [];
  private pristine = new Pristine();
  private prepared: Journal | null = null;

  constructor(private readonly contestants: Contestant[], private readonly seed: string) {}

  /** Chooses what is to be found, or takes what stands at the places of an earlier choice. */
  open(count: number): Target[] {
    this.targets = choose(count, new Random(`${this.seed}|targets`));
    this.pristine = new Pristine();
    this.html = this.targets.map((el) => brief(el));
    return this.targets.map((el, i) => ({ html: this.html[i] ?? "", place: placeOf(el) }));
  }

  reopen(targets: Target[]): boolean[] {
    this.pristine = new Pristine();
    const found = targets.map(({ place }) => at(place));
    this.targets = found.map((el) => el ?? document.documentElement);
    this.html = targets.map(({ html }) => html);
    return found.map((el, i) => el !== null && brief(el) === targets[i]?.html);
  }

  /** Makes the page what it was before the change, and describes every target on it. */
  describe(kindName: string): Record<string, Timed[]> {
    const kind = kindNamed(kindName);
    this.prepared = new Journal();
    kind.before?.(this.chance(kind, "before", this.prepared));
    this.prepared.stop();
    return Object.fromEntries(this.contestants.map((c) => [c.name, this.targets.map((el) => timed(() => attempt(() => c.describe(el))))]));
  }

  /** Has one contestant describe the targets, until all are done or the time is up. */
  describeWithin(name: string, ms: number): Timed[] {
    return within(ms, this.targets, (el) => this.named(name).describe(el));
  }

  /** Has it find them again, and says of each whether it did. */
  locateWithin(name: string, described: unknown[], ms: number): Timed[] {
    return within(ms, described, (one, i) => (this.named(name).locate(one).element === this.targets[i] ? "right" : "not right"));
  }

  /** The same with the element gone: the search that cannot end early. */
  missWithin(name: string, described: unknown[], ms: number): Timed[] {
    const contestant = this.named(name);
    return this.targets.slice(0, described.length).flatMap((el, i) => {
      const journal = new Journal();
      el.remove();
      document.body.getBoundingClientRect(); // its layout is not the contestant's to pay for
      const done = within(ms / described.length, [described[i]], (one) => (contestant.locate(one).element ? "clicked" : "refused"));
      journal.undo();
      return done;
    });
  }

  names(): string[] {
    return this.contestants.map((c) => c.name);
  }

  private named(name: string): Contestant {
    const found = this.contestants.find((c) => c.name === name);
    if (!found) throw new Error(`no contestant is called ${name}`);
    return found;
  }

  /** Changes the page for one target after the other, and asks every contestant for each. */
  run(kindName: string, described: Record<string, unknown[]>, skip: boolean[] = []): Outcome {
    const kind = kindNamed(kindName);
    const before = this.prepared ?? new Journal();
    const whole = new Journal();
    const outcome: Outcome = { cases: [] };
    kind.whole?.(this.chance(kind, "after", whole));
    whole.stop();
    const intermediate = kind.before || kind.whole ? new Pristine() : this.pristine;
    for (let i = 0; i < this.targets.length && !outcome.broken; i++) {
      const one = skip[i] ? this.skipped(i, "is another after loading again") : this.one(kind, i, described);
      outcome.cases.push(one);
      if (!intermediate.isBack()) outcome.broken = `after target ${i}`;
    }
    whole.undo();
    before.undo();
    this.prepared = null;
    if (!outcome.broken && !this.pristine.isBack()) outcome.broken = "after all targets";
    return outcome;
  }

  private one(kind: Kind, i: number, described: Record<string, unknown[]>): Case {
    const target = this.targets[i] as Element;
    let why = "";
    for (let trial = 0; trial < TRIES; trial++) {
      const journal = new Journal();
      const change: Change = { truth: target, journal, random: new Random(`${this.seed}|${kind.name}|${i}|${trial}`) };
      try {
        why = this.make(kind, change);
        if (!why) return { target: i, html: this.html[i] ?? "", now: kind.gone ? "" : brief(change.truth), verdicts: this.ask(kind, change.truth, i, described) };
      } finally {
        journal.undo();
      }
      if (!kind.local) break;
    }
    return this.skipped(i, why);
  }

  /** Makes the change; gives why it does not count, else "". */
  private make(kind: Kind, change: Change): string {
    if (kind.local && !kind.local(change)) return "does not apply";
    if (kind.gone) return isSeen(change.truth) ? "is still to be seen" : "";
    return isSeen(change.truth) ? "" : "cannot be seen any more";
  }

  private ask(kind: Kind, truth: Element, i: number, described: Record<string, unknown[]>): Record<string, Verdict> {
    const verdicts: Record<string, Verdict> = {};
    for (const c of this.contestants) verdicts[c.name] = judge(c, described[c.name]?.[i], kind.gone ? null : truth);
    return verdicts;
  }

  private skipped(i: number, why: string): Case {
    return { target: i, html: this.html[i] ?? "", skipped: why, verdicts: {} };
  }

  private chance(kind: Kind, side: string, journal: Journal): PageChance {
    return { journal, random: new Random(`${this.seed}|${kind.name}|${side}`), tool: new Random(`${this.seed}|${kind.name}|tool`) };
  }
}

function judge(c: Contestant, described: unknown, truth: Element | null): Verdict {
  const { ms, data } = timed(() => attempt(() => c.locate(described)));
  const answer = data as { element?: Element | null; says?: unknown; error?: string };
  const found = answer.element ? (answer.element === truth ? "right" : "wrong") : "nothing";
  const verdict: Verdict = { found, ms };
  if (answer.error) verdict.error = answer.error;
  if (found !== "right" || truth === null) verdict.says = readable(answer.says);
  if (found === "wrong") verdict.html = brief(answer.element ?? null);
  return verdict;
}

/** Elements within an answer as their HTML. */
function readable(says: unknown): unknown {
  if (says === undefined) return undefined;
  return JSON.parse(JSON.stringify(says, (_, value: unknown) => (value instanceof Element ? brief(value) : value)) ?? "null") as unknown;
}

/** What is done with each of them, as long as it was begun in time. */
function within<T>(ms: number, all: T[], what: (one: T, i: number) => unknown): Timed[] {
  const until = performance.now() + ms;
  const done: Timed[] = [];
  for (let i = 0; i < all.length && performance.now() < until; i++) done.push(timed(() => attempt(() => what(all[i] as T, i))));
  return done;
}

function attempt(what: () => unknown): unknown {
  try {
    return what();
  } catch (error) {
    return { error: String(error) };
  }
}

function timed(what: () => unknown): Timed {
  const started = performance.now();
  const data = what();
  return { ms: performance.now() - started, data };
}

function kindNamed(name: string): Kind {
  const kind = KINDS.find((k) => k.name === name) ?? RELOADED.find((k) => k.name === name);
  if (!kind) throw new Error(`no kind of change is called ${name}`);
  return kind;
}

/** The page is loaded again between describing and finding, by who runs the arena. */
const RELOADED: Kind[] = [{ name: "loaded again" }];

function placeOf(el: Element): number[] {
  const place: number[] = [];
  for (let at: Element = el; at.parentElement; at = at.parentElement) place.unshift([...at.parentElement.children].indexOf(at));
  return place;
}

function at(place: number[]): Element | null {
  return place.reduce<Element | null>((el, i) => el?.children[i] ?? null, document.documentElement);
}
