// Elements that are called what their text says: they hold no others, and have no
// attribute that names them. The browser sorts out which those are, and of those only
// the text is read.

import { normalize, type Root } from "./dom";
import { once, pass } from "./pass";

/** Attributes that an element may be named by, instead of by its text. */
export const NAMING = ["[aria-label]", "[aria-labelledby]", "[title]", "[placeholder]", "[aria-placeholder]", "[label]"];
/** Those of a selector's elements that hold others, or have an attribute that may name them. */
export function notPlain(selector: string, root: Root): Set<Element | null> {
  const known = once(pass()?.special, root, () => new Map<string, Set<Element | null>>());
  return once(known, selector, () => {
    const special = new Set<Element | null>();
    for (const inner of root.querySelectorAll(`${selector}>*`)) special.add(inner.parentElement);
    for (const el of root.querySelectorAll(`${selector}:is(${NAMING})`)) special.add(el);
    return special;
  });
}

/** A test whether a text is the name, but for its white space; quick with texts that are not. */
export function saying(name: string): (text: string) => boolean {
  const first = name.split(" ", 1)[0] ?? "";
  const last = name.slice(name.lastIndexOf(" ") + 1);
  return (text) => {
    if (text.length <= name.length) return text === name || (text.length === name.length && normalize(text) === name);
    const trimmed = text.trim();
    return trimmed.startsWith(first) && trimmed.endsWith(last) && normalize(trimmed) === name;
  };
}
