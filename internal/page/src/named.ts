// Elements by their role and name, found at little cost among many that have
// other names: to work a name out means styles, labels and references, and in a
// world of its own a script pays for each element that it as much as touches.
// So the browser sorts out which elements have no name but their text, and of
// those only the text is read. It is quick with one tag or attribute at a time,
// and slow with lists of them and with :has().

import { explicitRole, implicitRoles, namedByContent, nameOf, roleOf } from "./aria";
import { labelledIn, type Root } from "./dom";
import { NAMING, notPlain, saying } from "./plain";

/** Elements of a role and a name; "" is any. They come in no order, some perhaps twice. Belongs into a pass. */
export function* byRoleAndName(role: string, name: string, root: Root): Generator<Element> {
  for (const el of candidates(role, name, root)) {
    if ((!role || roleOf(el) === role) && (!name || nameOf(el) === name)) yield el;
  }
  if (name) for (const el of labelledIn(root).keys()) if ((!role || roleOf(el) === role) && nameOf(el) === name) yield el;
}

/** Those that may have the role and the name; none that has them, and is not labelled, is left out. */
function* candidates(role: string, name: string, root: Root): Generator<Element> {
  const selectors = role ? [...implicitRoles(role), explicitRole(role)] : name ? ANY_NAMED : ["*"];
  for (const selector of new Set(selectors.map(tagOf))) {
    const all = found(selector, root);
    if (!name || APART.includes(selector)) yield* all;
    else if (all.length) yield* namedByText(all, selector, name, root);
  }
}

/** The tag of a selector of one tag, whose role is looked at in any case; of others, the selector. */
function tagOf(selector: string): string {
  return selector.split("[", 1)[0] || selector;
}

/** A browser keeps the elements of a tag at hand. */
function found(selector: string, root: Root): ArrayLike<Element> & Iterable<Element> {
  return root instanceof Document && /^[a-z]\w*$/.test(selector) ? root.getElementsByTagName(selector) : root.querySelectorAll(selector);
}

/** Tags that have a name of other sources than their text. */
const APART = ["area", "fieldset", "figure", "img", "input", "meter", "output", "progress", "select", "svg", "table", "textarea"];
/** Selectors of elements of which that is not known, and of those that may have a shadow root. */
const UNKNOWN = /^(\[|h[1-6]$)/;
/** Selectors of all that can have a name. */
const ANY_NAMED = [...new Set([...namedByContent(), ...APART]), "[role]", ...NAMING];

function* namedByText(all: Iterable<Element>, selector: string, name: string, root: Root): Generator<Element> {
  const letters = name.replaceAll(" ", "");
  const special = UNKNOWN.test(selector) ? null : notPlain(selector, root);
  const says = saying(name);
  for (const el of all) {
    if (!special || special.has(el) ? mayCombine(el, letters) : says(el.textContent)) yield el;
  }
}

/** What has a name that is not its text, and what adds to the names of those around it: a button may be labelled. */
const SPEAKING = [...NAMING, "[alt]", "slot", ...APART].join(",");
const SPEAKING_WITHIN = `${SPEAKING},button`;

function mayCombine(el: Element, letters: string): boolean {
  return holdsInOrder(el.textContent, letters) || el.matches(SPEAKING) || el.querySelector(SPEAKING_WITHIN) !== null || holdsShadow(el);
}

/** Whether the letters stand in the text, perhaps with others between: parts of it may be hidden. */
function holdsInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Whether there are words in it that are not its text. */
function holdsShadow(el: Element): boolean {
  if (el.shadowRoot) return true;
  for (let inner = el.firstElementChild; inner; inner = inner.nextElementSibling) if (holdsShadow(inner)) return true;
  return false;
}
