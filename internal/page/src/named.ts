// Elements by their role and name, found at little cost among many that have
// other names: to work a name out means styles, labels and references, and in a
// world of its own a script pays for each element that it as much as touches.
// So the browser sorts out which elements have no name but their text, and of
// those only the text is read. It is quick with one tag or attribute at a time,
// and slow with lists of them and with :has().

import { explicitRole, implicitRoles, nameOf, roleOf } from "./aria";
import { labelledIn, normalize, type Root } from "./dom";

/** Elements of a role and a name; "" is any. They come in no order, some perhaps twice. Belongs into a pass. */
export function* byRoleAndName(role: string, name: string, root: Root): Generator<Element> {
  for (const el of candidates(role, name, root)) {
    if ((!role || roleOf(el) === role) && (!name || nameOf(el) === name)) yield el;
  }
  if (name) for (const el of labelledIn(root).keys()) if ((!role || roleOf(el) === role) && nameOf(el) === name) yield el;
}

/** Those that may have the role and the name; none that has them, and is not labelled, is left out. */
function* candidates(role: string, name: string, root: Root): Generator<Element> {
  for (const selector of role ? [...implicitRoles(role), explicitRole(role)] : ["*"]) {
    const all = root.querySelectorAll(selector);
    if (!name || NOT_BY_TEXT.test(selector)) yield* all;
    else if (all.length) yield* namedByText(all, selector, name, root);
  }
}

/** Selectors of elements that have a name of other sources than their text. */
const NOT_BY_TEXT = /^(area|fieldset|figure|img|input|meter|output|progress|select|svg|table|textarea)\b/;
/** Selectors of elements of which that is not known. */
const OF_ANY_TAG = /^[*[]/;
/** Attributes that an element may be named by, instead of by its text. */
const NAMING = ["aria-label", "aria-labelledby", "title", "placeholder"];

function* namedByText(all: Iterable<Element>, selector: string, name: string, root: Root): Generator<Element> {
  const letters = name.replaceAll(" ", "");
  const special = OF_ANY_TAG.test(selector) ? null : notPlain(selector, root);
  for (const el of all) {
    if (!special || special.has(el) ? mayCombine(el, letters) : isText(el, name)) yield el;
  }
}

/** Those of a selector's elements that hold others, or have an attribute that may name them. */
function notPlain(selector: string, root: Root): Set<Element | null> {
  const special = new Set<Element | null>();
  for (const inner of root.querySelectorAll(`${selector}>*`)) special.add(inner.parentElement);
  for (const attribute of NAMING) for (const el of root.querySelectorAll(`${selector}[${attribute}]`)) special.add(el);
  return special;
}

function isText(el: Element, name: string): boolean {
  const text = el.textContent;
  if (text.length < name.length) return text === "" && el.shadowRoot !== null;
  return text === name || normalize(text) === name;
}

/** What adds to a name that is no text of an element. */
const SPEAKING = "[aria-label],[aria-labelledby],[title],[placeholder],[alt],area,fieldset,figure,img,input,meter,output,progress,select,slot,svg,table,textarea";

function mayCombine(el: Element, letters: string): boolean {
  return holdsInOrder(el.textContent, letters) || el.matches(SPEAKING) || el.querySelector(SPEAKING) !== null || holdsShadow(el);
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
