// The evidence that a document stores of an element: its own and that around it; which of
// the elements of its kind it is; in what its closest look-alikes differ, so that none of
// them is ever taken for it when it has gone; and a sample of the page, by which later
// changes of the whole page are known from changes of the element.

import { isPassing } from "../dom/calm";
import { boxOf, eachRoot, idOf, isShown, normalize, perPass, type Root } from "../dom/elements";
import { notPlain, roleOf, saying, shownText } from "../dom/names";
import { repeatsSecret } from "../secret/secrets";
import { AROUND_FEATURES, aroundOf, type Evidence, hash, holdsValue, ITSELF, labelOf, OWN_FEATURES, ownOf, pack, same, unpack } from "./evidence";
import { isGenerated, isGeneratedClass } from "./generated";
import { Scale, type Survival } from "./judge";
import { newestKind } from "./newest";
import { placeInSet } from "./sets";
import {
  type Feature, LONGEST_LABEL, LONGEST_SAMPLED, LOOKED_AT, MOST_READ, MOST_RIVALS, NEAR, type OwnFeature,
  SAMPLE, SAMPLE_WINDOW, STAYS, STAYS_PRIOR,
} from "./weights";

type Packed = Partial<Record<Feature, string>>;

export interface Fingerprint {
  key: string;
  tag: string;
  role?: string;
  own?: Packed;
  around?: Packed;
  twins?: number[]; // which it is, from 0, of how many that say the same of themselves
  alike?: number[]; // which it is, from 0, of how many of its kind
  rivals?: Packed[];
  page?: Record<string, string>;
  box?: number[];
  rise?: number; // how far above the element its row is, where a text of that leads to it
  told?: string; // the cell of its row that says the words, by its column
  whole?: boolean; // the words of the selectors are all that was said there
  newest?: string; // the kind of a field that a press has added, and that is the newest of it, or how it belongs to its set
  testIdAttribute?: string; // of the user's own tests, where the evidence was read with one
}

export function fingerprint(el: Element, key: string): Fingerprint {
  const rect = boxOf(el);
  const own = ownOf(el, key);
  const around = aroundOf(el, key);
  const role = roleOf(el);
  const print: Fingerprint = {
    key, tag: repeatsSecret(el.localName) ? "" : el.localName, own: packed(own), around: packed(around), page: samplePage(key),
    box: [rect.x + scrollX, rect.y + scrollY, rect.width, rect.height].map(Math.round),
  };
  if (role) print.role = role;
  const kind = newestKind(el, key) ?? placeInSet(el, key);
  if (kind) print.newest = kind;
  return { ...print, ...lookAlikes(el, print, { ...own, ...around }) };
}

/** The evidence of a fingerprint, as it was read. */
export function evidenceOf(print: Fingerprint): Evidence {
  return { ...unpacked(print.own), ...unpacked(print.around) };
}

export function unpacked(all?: Packed | null): Evidence {
  return Object.fromEntries(Object.entries(all ?? {}).map(([feature, hashes]) => [feature, unpack(hashes)]));
}

function packed(evidence: Evidence): Packed {
  return Object.fromEntries(Object.entries(evidence).map(([feature, hashes]) => [feature, pack(hashes)]));
}

function lookAlikes(el: Element, print: Fingerprint, target: Evidence): Pick<Fingerprint, "alike" | "twins" | "rivals"> {
  const all = counted(print, alike(el.localName, roleOf(el), el.ownerDocument), el);
  const twins = twinsOf(el, all);
  const rivals = closest(el, print.key, target, worthReading(all, el, twins)).map((rival) => difference(rival, target));
  return {
    alike: [all.indexOf(el), all.length],
    ...(twins.length > 1 ? { twins: [twins.indexOf(el), twins.length] } : {}),
    ...(rivals.length ? { rivals: distinct(rivals).slice(0, MOST_RIVALS) } : {}),
  };
}

/** Of elements those that count next to the one of a fingerprint: what the page shows, unless that had no box itself. */
export function counted(print: Fingerprint, all: Element[], itself?: Element): Element[] {
  const [, , width, height] = print.box ?? [];
  const hidden = width === 0 || height === 0;
  const found = hidden ? all : all.filter((el) => el === itself || isShown(el));
  return !itself || found.includes(itself) ? found : [...found, itself];
}

/** The evidence of those that are most like the element, and of the two next to it. */
function closest(el: Element, key: string, target: Evidence, read: Element[]): Evidence[] {
  const at = read.indexOf(el);
  const owns = read.map((other) => ownOf(other, key));
  const scale = new Scale(target, UNCHANGED);
  scale.compare(OWN_FEATURES, owns);
  const order = owns.map((own, i) => ({ i, weight: scale.own(own) })).filter(({ i }) => i !== at).sort((a, b) => b.weight - a.weight);
  const looked = [at - 1, at + 1].filter((i) => read[i]).map((i) => ({ i, weight: Infinity })).concat(order.slice(0, LOOKED_AT))
    .map(({ i, weight }) => ({ weight, evidence: { ...owns[i], ...aroundOf(read[i] as Element, key) } }));
  scale.compare(AROUND_FEATURES, looked.map(({ evidence }) => evidence));
  return looked.map(({ weight, evidence }) => ({ evidence, weight: weight + scale.around(evidence) }))
    .sort((a, b) => b.weight - a.weight).map(({ evidence }) => evidence);
}

const UNCHANGED: Survival = { none: 1, words: 1, ids: 1, classes: 1 };

function distinct(rivals: Packed[]): Packed[] {
  return [...new Map(rivals.map((rival) => [JSON.stringify(rival), rival])).values()];
}

/** Those that stand next to the element or say the same; of a long page's thousands the others cannot be rivals. */
function worthReading(all: Element[], el: Element, twins: Element[]): Element[] {
  if (all.length <= MOST_READ) return all;
  const at = all.indexOf(el);
  const text = el.textContent;
  const near = new Set(all.slice(Math.max(0, at - NEAR), at + NEAR));
  for (const other of twins) if (near.size < MOST_READ) near.add(other);
  const texts = textsOf(all);
  for (let i = 0; i < all.length && near.size < MOST_READ; i++) if (texts[i] === text) near.add(all[i] as Element);
  return all.filter((other) => near.has(other));
}

function difference(rival: Evidence, target: Evidence): Packed {
  const different: Packed = {};
  for (const feature of [...OWN_FEATURES, "text", ...AROUND_FEATURES] as const) {
    if (!same(rival[feature], target[feature])) different[feature] = pack(rival[feature] ?? []);
  }
  return different;
}

type Kind = "press" | "text" | "choice" | "check" | "other";

const KINDS: Record<string, Kind> = {
  button: "press", link: "press", tab: "press", menuitem: "press", option: "press", treeitem: "press", gridcell: "press",
  checkbox: "check", radio: "check", switch: "check", menuitemcheckbox: "check", menuitemradio: "check",
  textbox: "text", searchbox: "text", combobox: "text", spinbutton: "text", slider: "text", listbox: "choice",
};

/** What is of a kind by its tag, and the rest of the question. */
interface Tagged {
  tags: Set<string>;
  is: (el: Element) => boolean;
}

const PRESSED = new Set(["submit", "button", "reset", "image"]);
const CHECKED = new Set(["checkbox", "radio"]);
const NOT_TYPED_IN = new Set([...PRESSED, ...CHECKED, "hidden"]);

const TAGGED: Record<Exclude<Kind, "other">, Tagged> = {
  press: { tags: new Set(["a", "button", "summary", "area", "input"]), is: (el) => el.localName !== "input" || PRESSED.has((el as HTMLInputElement).type) },
  text: { tags: new Set(["input", "textarea"]), is: (el) => el.localName !== "input" || !NOT_TYPED_IN.has((el as HTMLInputElement).type) },
  choice: { tags: new Set(["select"]), is: () => true },
  check: { tags: new Set(["input"]), is: (el) => CHECKED.has((el as HTMLInputElement).type) },
};

function kindOf(tag: string, role: string): Kind {
  if (tag === "select") return "choice";
  return KINDS[role] ?? (tag === "a" || tag === "summary" ? "press" : tag === "input" || tag === "textarea" ? "text" : "other");
}

/** All elements of a page, shadow roots included, that might be one of this tag and role. */
export function alike(tag: string, role: string, root: Root): Element[] {
  const wanted = kindOf(tag, role);
  const kind = wanted === "other" ? "press" : wanted;
  const selector = [...TAGGED[kind].tags, "[role]", ...(kind === "text" ? ["[contenteditable]"] : []), ...(wanted === "other" ? [CSS.escape(tag)] : [])].join();
  const found: Element[] = [];
  eachRoot(root, (r) => {
    r.querySelectorAll(selector).forEach((el) => {
      if (isOfKind(el, kind) || (wanted === "other" && el.localName === tag)) found.push(el);
    });
  });
  return found;
}

function isOfKind(el: Element, kind: keyof typeof TAGGED): boolean {
  const { tags, is } = TAGGED[kind];
  if (tags.has(el.localName) && is(el)) return true;
  const given = el.getAttribute("role");
  return (given !== null && KINDS[given] === kind) || (kind === "text" && el.hasAttribute("contenteditable"));
}

/** Whether an element can stand for one of this tag and role. */
export function isAlike(el: Element, tag: string, role: string): boolean {
  const [was, is] = [kindOf(tag, role), kindOf(el.localName, roleOf(el))];
  return is === was || (was === "other" && (is === "press" || el.localName === tag));
}

/** Own features that are compared, but for the tag, by what it costs to see that they differ. */
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

const textsOfAll = perPass<readonly Element[], string[]>();

/** The texts of elements, which are read once. */
function textsOf(all: readonly Element[]): string[] {
  return textsOfAll(all, () => all.map((el) => el.textContent));
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

type Sampled = "words" | "ids" | "classes";

const SAMPLED_TEXTS = "a,button,label,h1,h2,h3,h4,th,legend";
const SORTS: Record<Sampled, { selector: string; read: (el: Element) => string[] }> = {
  words: { selector: SAMPLED_TEXTS, read: (el) => [normalize(shownText(el, LONGEST_SAMPLED))] },
  ids: { selector: "[id]", read: (el) => [isGenerated(idOf(el)) ? "" : idOf(el)] },
  classes: { selector: "[class]", read: (el) => [...el.classList].filter((name) => !isPassing(el, name)).slice(0, 2).filter((name) => !isGeneratedClass(name)) },
};

/** A sample of the page, spread evenly over it. */
function samplePage(key: string): Partial<Record<Sampled, string>> {
  const sample: Partial<Record<Sampled, string>> = {};
  for (const [sort, { selector, read }] of Object.entries(SORTS)) {
    const hashes = new Set<string>();
    for (const el of spreadOver(selector)) {
      for (const value of read(el)) if (value && !repeatsSecret(value)) hashes.add(hash(key, value));
      if (hashes.size >= SAMPLE) break;
    }
    if (hashes.size) sample[sort as Sampled] = pack([...hashes].slice(0, SAMPLE));
  }
  return sample;
}

/** Elements that a selector fits, spread evenly over the page. */
function spreadOver(selector: string): Element[] {
  const everything = document.getElementsByTagName("*");
  const stride = Math.max(1, Math.floor(everything.length / (2 * SAMPLE)));
  const found: Element[] = [];
  for (let start = 0; start < everything.length; start += stride) {
    for (let i = start; i < Math.min(start + stride, start + SAMPLE_WINDOW, everything.length); i++) {
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
  return (total - missing.size + STAYS_PRIOR * STAYS) / (total + STAYS_PRIOR);
}
