// Finding the element of a step: its selectors in order, all in this one call,
// with what each of them found for the report.

import { nameOf, roleOf } from "./aria";
import type { Fingerprint } from "./describe";
import { isVisible } from "./dom";
import { hash } from "./hash";
import { parse, preferVisible, queryPath } from "./selector";
import { textStart } from "./text";
import { isReady, Quiet } from "./wait";

export interface Wanted {
  paths: string[][]; // best first
  fingerprint?: Fingerprint;
  hidden?: boolean; // an element that cannot be seen will do
  any?: boolean; // one of several will do
}

export interface Tried {
  selector: string[];
  count: number; // elements that it names
  visible: number; // of them, those that can be seen
  why?: string; // the one that it names was passed over
}

export interface Found {
  element: Element;
  matched: number; // index in paths
}

/** The first selector is taken at its word. The others are asked only when nothing has moved for this long, */
const SETTLED_MS = 150;
/** or when the first was given this much time: a page that never rests must not stop a run. */
const FALLBACK_AFTER_MS = 1500;

/** Looks for one element again and again, until it is found or the caller gives up. */
export class Finder {
  tried: Tried[] = [];
  private readonly quiet = new Quiet();
  private readonly started = performance.now();

  constructor(private readonly wanted: Wanted) {}

  look(): Found | undefined {
    this.tried = [];
    const upTo = this.rests() ? this.wanted.paths.length : 1;
    for (let i = 0; i < upTo; i++) {
      const element = this.only(i);
      if (element) return { element, matched: i };
    }
    return undefined;
  }

  /** Looks with every selector, for the report of a failure. */
  lookEverywhere(): void {
    this.tried = [];
    this.wanted.paths.forEach((_, i) => this.only(i));
  }

  stop(): void {
    this.quiet.stop();
  }

  /** Whether the page has come to rest, or has had its time for it. */
  rests(): boolean {
    const waited = performance.now() - this.started;
    return waited > FALLBACK_AFTER_MS || (isReady() && this.quiet.for() >= SETTLED_MS);
  }

  /** The one element that selector i names, unless something speaks against it. */
  private only(i: number): Element | undefined {
    const path = this.wanted.paths[i] ?? [];
    const all = queryPath(path, document);
    const visible = all.filter(isVisible);
    const tried: Tried = { selector: path, count: all.length, visible: visible.length };
    this.tried.push(tried);
    const usable = this.wanted.hidden ? preferVisible(all) : visible;
    const [element] = usable;
    if (!element || (usable.length > 1 && !this.wanted.any)) return undefined;
    const why = this.against(element, path, i);
    if (why) tried.why = why;
    return why ? undefined : element;
  }

  private against(el: Element, path: string[], i: number): string {
    const print = this.wanted.fingerprint;
    if (!print) return "";
    const changed = kindChanged(el, print);
    if (changed) return changed;
    const structural = i > 0 && isStructural(path);
    return structural && hasWords(print) && !sameWords(el, print) ? "stands in the same place, with other words" : "";
  }
}

/** Roles that are used alike: a release may turn one into another. */
const ALIKE: Record<string, string> = {
  link: "button", menuitem: "button", tab: "button", summary: "button",
  searchbox: "textbox", combobox: "textbox", spinbutton: "textbox",
};

function kindChanged(el: Element, print: Fingerprint): string {
  if (!print.role || el.localName === print.tag) return "";
  const role = roleOf(el);
  const same = (ALIKE[role] ?? role) === (ALIKE[print.role] ?? print.role);
  return same ? "" : `is a ${role || el.localName}, was a ${print.role}`;
}

/** Where an element stands says little of what it is: position alone never heals. */
function isStructural(path: string[]): boolean {
  const last = path.at(-1) ?? "";
  const { kind } = parse(last);
  return kind === "xpath" || (kind === "css" && /[ >]|:nth/.test(last));
}

function hasWords(print: Fingerprint): boolean {
  return !!print.name || !!print.text;
}

function sameWords(el: Element, print: Fingerprint): boolean {
  return (!!print.name && hash(print.key, nameOf(el)) === print.name) || (!!print.text && hash(print.key, textStart(el, 400)) === print.text);
}
