// What an element shows: of itself, and of what stands around it. All of it is
// read without styles and in bounded time, as it is read of many elements at once,
// and all of it is hashed, as it goes into the document.

import { AROUND, type AroundFeature } from "./around";
import { eachRoot } from "./dom";
import { hash, hashWords } from "./hash";
import { holdsValue, ITSELF, labelOf, LONGEST_LABEL, type OwnFeature } from "./itself";
import { once, pass } from "./pass";
import { notPlain, saying } from "./plain";
import { repeatsSecret } from "./sensitive";

/** Hashes by the name of a feature; one that an element does not have is absent, and one that repeats a secret has none. */
export type Evidence = Partial<Record<Feature, readonly string[]>>;

export type Feature = OwnFeature | AroundFeature;

/** Features of which each word is hashed, and not the whole. */
const TEXTS = new Set<Feature>(["placeholder", "label", "options", "row", "heading", "before", "after"]);

export const OWN_FEATURES = Object.keys(ITSELF) as OwnFeature[];
export const AROUND_FEATURES = Object.keys(AROUND) as AroundFeature[];

export function ownOf(el: Element, key: string): Evidence {
  return readAll(ITSELF, el, key);
}

export function aroundOf(el: Element, key: string): Evidence {
  return readAll(AROUND, el, key);
}

/** Own features, but for the tag, by what it costs to see that they differ. */
const CHEAPEST_FIRST: OwnFeature[] = ["href", "name", "label", "id", "class", "type", "options", "placeholder", "testid", "other", "inner"];

/** Of elements in the order of the page those that say of themselves what one of them says, it among them. */
export function twinsOf(el: Element, all: readonly Element[]): Element[] {
  const tag = el.localName;
  const own = CHEAPEST_FIRST.map((feature) => ({ read: ITSELF[feature], says: ITSELF[feature](el) }));
  const labelled = holdsValue(el) || el.hasAttribute("aria-labelledby"); // what is elsewhere says something of it
  const isTwin = (other: Element) => (!labelled && el.isEqualNode(other)) || own.every(({ read, says }) => saysSame(read(other), says));
  const texts = textsOf(all);
  const mayBe = callsItself(el);
  return all.filter((other, i) => other === el || (mayBe(other, texts[i] as string) && other.localName === tag && isTwin(other)));
}

/** The texts of elements, which are read once. */
export function textsOf(all: readonly Element[]): string[] {
  return once(pass()?.texts, all, () => all.map((el) => el.textContent));
}

/**
 * A test whether an element of the same tag may be called what the element is called,
 * at little cost for the thousands that are not. Where nothing but its text can give
 * either a name, the text tells.
 */
function callsItself(el: Element): (other: Element, text: string) => boolean {
  const special = new Set<Element | null>();
  eachRoot(el.ownerDocument, (root) => notPlain(el.localName, root).forEach((other) => special.add(other)));
  const itself = el.textContent;
  if (special.has(el) || holdsValue(el) || !itself.trim()) return () => true;
  const isIt = saying(labelOf(el).toLowerCase());
  return (other, text) => text === itself || isIt(text.slice(0, LONGEST_LABEL).toLowerCase()) || special.has(other) || !text.trim();
}

function saysSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i] || text.toLowerCase() === b[i]?.toLowerCase());
}

export function sameOwn(a: Evidence, b: Evidence): boolean {
  return OWN_FEATURES.every((feature) => same(a[feature], b[feature]));
}

export function same(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((h, i) => h === b[i]);
}

function readAll(readers: Partial<Record<Feature, (el: Element) => string[]>>, el: Element, key: string): Evidence {
  const evidence: Evidence = {};
  for (const [feature, read] of Object.entries(readers)) {
    const values = read(el);
    const quotable = values.filter((value) => !repeatsSecret(value));
    const hashes = hashed(feature as Feature, quotable, key);
    if (hashes.length || quotable.length < values.length) evidence[feature as Feature] = hashes;
  }
  return evidence;
}

function hashed(feature: Feature, values: string[], key: string): string[] {
  return TEXTS.has(feature) ? [...new Set(values.flatMap((text) => hashWords(key, text)))] : values.map((value) => hash(key, value));
}
