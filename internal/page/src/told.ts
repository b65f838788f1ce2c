// An element as a recording tells of it: once in full, then by its number.

import { nameOf, roleOf } from "./aria";
import { inConsent } from "./consent";
import { describe, type Description } from "./describe";
import { isVisible, labelsOf, normalize } from "./dom";
import { fieldOf, isTextEntry, kindOf } from "./editable";
import { autocompleteOf, isSensitive, repeatsSecret } from "./sensitive";

/** An element as an event tells of it: once in full, then by its number. */
export interface Target extends Partial<Description> {
  ref: number;
  tag?: string;
  role?: string;
  visible?: boolean;
  label?: string; // for people and for the names of variables
  inputType?: string;
  autocomplete?: string[];
  field?: string[]; // name and id
  consent?: boolean; // a part of a consent banner
  secret?: boolean;
  editable?: boolean;
  limits?: Record<string, string>; // the page's constraints on the value
}

const refs = new WeakMap<Element, number>();
let refCount = 0;
let key = "";
let testId = "";

/** Says what elements are described with: the key of the fingerprints' hashes, and the attribute that the user's own tests go by. */
export function describeWith(hashKey: string, testIdAttribute: string): void {
  key = hashKey;
  testId = testIdAttribute;
}

export function refOf(el: Element): number {
  let ref = refs.get(el);
  if (!ref) {
    refs.set(el, (ref = ++refCount));
    byRef.set(ref, new WeakRef(el));
    left.register(el, ref);
  }
  return ref;
}

const byRef = new Map<number, WeakRef<Element>>();

/** Numbers of elements that are no more are forgotten: some pages draw everything anew with each key. */
const left = new FinalizationRegistry<number>((ref) => byRef.delete(ref));

/** The element of a number that was told, for the engine to look at. */
export function elementOf(ref: number): Element | null {
  return byRef.get(ref)?.deref() ?? null;
}

/** Elements that were described to the engine as they still are. */
let described = new WeakSet<Element>();

/** Has every element described again: to another recording, which has heard of none. */
export function forgetTold(): void {
  described = new WeakSet();
}

export function tell(el: Element, anew: boolean): Target {
  const ref = refOf(el);
  if (described.has(el) && !anew) return { ref };
  described.add(el);
  return { ref, ...describe(el, key, testId), ...particulars(el) };
}

function particulars(el: Element): Partial<Target> {
  const field = fieldOf(el);
  const about = { tag: quote(el.localName), role: roleOf(el), label: quote(nameOf(el)), visible: isVisible(el), consent: inConsent(el) };
  if (!field) return about;
  return {
    ...about,
    label: about.label || quote(labelsOf(field).map((l) => l.textContent).join(" ")),
    inputType: kindOf(field),
    autocomplete: autocompleteOf(field).filter((token) => !repeatsSecret(token)),
    field: [field.getAttribute("name") ?? "", field.id].map((name) => (repeatsSecret(name) ? "" : name)),
    secret: isSensitive(field),
    editable: isTextEntry(field),
    limits: limitsOf(field),
  };
}

/** A text of the page for people to read, unless it repeats a secret. */
export function quote(text: string): string {
  return repeatsSecret(text) ? "" : normalize(text).slice(0, 120);
}

function limitsOf(field: HTMLElement): Record<string, string> {
  const limits: Record<string, string> = {};
  for (const name of ["maxlength", "minlength", "pattern", "min", "max"]) {
    const value = field.getAttribute(name);
    if (value && !repeatsSecret(value)) limits[name] = value;
  }
  return limits;
}
