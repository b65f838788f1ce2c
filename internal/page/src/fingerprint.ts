// The evidence that a document keeps of an element: its own and that around it,
// and in what its closest look-alikes differ, so that none of them is ever taken
// for it when it has gone.

import { roleOf } from "./aria";
import { aroundOf, AROUND_FEATURES, OWN_FEATURES, ownOf, same, textsOf, twinsOf, type Evidence, type Feature } from "./evidence";
import { alike } from "./kind";
import { pack, unpack } from "./hash";
import { samplePage } from "./sample";
import { repeatsSecret } from "./sensitive";
import { Scale, type Survival } from "./weigh";

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
  testIdAttribute?: string; // of the user's own tests, where the evidence was read with one
}

/** How many look-alikes are kept, the two next to it in the document among them. */
const MOST_RIVALS = 8;
/** Of how many candidates next to it the evidence is read; of others only what they say. */
const NEAR = 25;
/** How many of those that say about the same are compared by what is around them, too. */
const LOOKED_AT = 24;
const MOST_READ = 150;

export function fingerprint(el: Element, key: string): Fingerprint {
  const rect = el.getBoundingClientRect();
  const own = ownOf(el, key);
  const around = aroundOf(el, key);
  const role = roleOf(el);
  const print: Fingerprint = {
    key, tag: repeatsSecret(el.localName) ? "" : el.localName, own: packed(own), around: packed(around), page: samplePage(key),
    box: [rect.x + scrollX, rect.y + scrollY, rect.width, rect.height].map(Math.round),
  };
  if (role) print.role = role;
  return { ...print, ...lookAlikes(el, key, { ...own, ...around }) };
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

function lookAlikes(el: Element, key: string, target: Evidence): Pick<Fingerprint, "alike" | "twins" | "rivals"> {
  const all = alike(el.localName, roleOf(el), el.ownerDocument);
  if (!all.includes(el)) all.push(el);
  const twins = twinsOf(el, all);
  const rivals = closest(el, key, target, worthReading(all, el, twins)).map((rival) => difference(rival, target));
  return {
    alike: [all.indexOf(el), all.length],
    ...(twins.length > 1 ? { twins: [twins.indexOf(el), twins.length] } : {}),
    ...(rivals.length ? { rivals: distinct(rivals).slice(0, MOST_RIVALS) } : {}),
  };
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
  for (const feature of [...OWN_FEATURES, ...AROUND_FEATURES]) {
    if (!same(rival[feature], target[feature])) different[feature] = pack(rival[feature] ?? []);
  }
  return different;
}
