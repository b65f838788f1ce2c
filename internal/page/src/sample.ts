// A sample of what the whole page shows, kept with an element: it tells later
// whether the page's words, ids or styles have changed everywhere, or only here.

import { isGenerated } from "./generated";
import { hash, pack, unpack } from "./hash";
import { normalize } from "./dom";
import { repeatsSecret } from "./sensitive";
import { shownText } from "./text";
import type { Survival } from "./weigh";

type Sampled = "words" | "ids" | "classes";

const SPEAKING = "a,button,label,h1,h2,h3,h4,th,legend";
/** How many values of each sort are kept. */
const SAMPLE = 20;
const LONGEST = 60;
/** What is thought to stay where nothing is known, and how many values that counts for. */
const STAYS = 0.95;
const PRIOR = 2;

const SORTS: Record<Sampled, { selector: string; read: (el: Element) => string[] }> = {
  words: { selector: SPEAKING, read: (el) => [normalize(shownText(el, LONGEST))] },
  ids: { selector: "[id]", read: (el) => [isGenerated(el.id) ? "" : el.id] },
  classes: { selector: "[class]", read: (el) => [...el.classList].slice(0, 2).filter((name) => !isGenerated(name)) },
};

/** A sample of the page, spread evenly over it. */
export function samplePage(key: string): Partial<Record<Sampled, string>> {
  const sample: Partial<Record<Sampled, string>> = {};
  for (const [sort, { selector, read }] of Object.entries(SORTS)) {
    const hashes = new Set<string>();
    for (const el of spread(selector)) {
      for (const value of read(el)) if (value && !repeatsSecret(value)) hashes.add(hash(key, value));
      if (hashes.size >= SAMPLE) break;
    }
    if (hashes.size) sample[sort as Sampled] = pack([...hashes].slice(0, SAMPLE));
  }
  return sample;
}

/** How many elements are looked at in each place for one that a selector fits: large pages are not read for a sample. */
const WINDOW = 30;

/** Elements that a selector fits, spread evenly over the page. */
function spread(selector: string): Element[] {
  const everything = document.getElementsByTagName("*");
  const stride = Math.max(1, Math.floor(everything.length / (2 * SAMPLE)));
  const found: Element[] = [];
  for (let start = 0; start < everything.length; start += stride) {
    for (let i = start; i < Math.min(start + stride, start + WINDOW, everything.length); i++) {
      const el = everything[i] as Element;
      if (!el.matches(selector)) continue;
      found.push(el);
      break;
    }
  }
  return found.length < SAMPLE ? every(document.querySelectorAll(selector)) : found;
}

/** Every so many, of a list that is longer than a sample. */
function every(all: ArrayLike<Element>): Element[] {
  const stride = Math.max(1, Math.floor(all.length / (2 * SAMPLE)));
  return Array.from({ length: Math.ceil(all.length / stride) }, (_, i) => all[i * stride] as Element);
}

/** What part of a sample the page still shows. */
export function survival(key: string, sample: Partial<Record<Sampled, string>> = {}): Survival {
  return { none: 1, words: part("words", key, sample), ids: part("ids", key, sample), classes: part("classes", key, sample) };
}

function part(sort: Sampled, key: string, sample: Partial<Record<Sampled, string>>): number {
  const missing = new Set(unpack(sample[sort] ?? ""));
  const total = missing.size;
  const seen = new Set<string>();
  for (const el of total ? document.querySelectorAll(SORTS[sort].selector) : []) {
    for (const value of SORTS[sort].read(el)) {
      if (seen.has(value)) continue;
      seen.add(value);
      missing.delete(hash(key, value));
    }
    if (!missing.size) break;
  }
  return (total - missing.size + PRIOR * STAYS) / (total + PRIOR);
}
