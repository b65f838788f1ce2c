// Looking elements up by the kinds of selector that an automation holds: CSS, XPath, text,
// role and name, and the attributes that teams mark elements with for their own tests.

import { columnOf, eachRoot, inOnePass, isTextEntry, isVisible, labelledIn, normalize, type Root, shadowOf } from "../dom/elements";
import { dateByMonth, dateIn, isDay, monthsAround } from "../dom/calendar";
import { explicitRole, hiddenNameOf, implicitRoles, namedByContent, nameOf, NAMING, notPlain, roleOf, saying, saysExactly, textHolders } from "../dom/names";
import { askAgain } from "../dom/roots";
import { isSensitive } from "../secret/secrets";

type Kind = "css" | "aria" | "text" | "xpath" | "pierce" | "testid" | "near" | "under" | "value";

const PREFIXES: Kind[] = ["aria", "text", "xpath", "pierce", "testid", "near", "under", "value"];

/** Splits "aria/Next" into its kind and what follows. */
export function parse(selector: string): { kind: Kind; body: string } {
  const slash = selector.indexOf("/");
  const kind = PREFIXES.find((prefix) => prefix.length === slash && selector.startsWith(prefix));
  return kind ? { kind, body: selector.slice(slash + 1) } : { kind: "css", body: selector };
}

/** The text form that parse reads. */
export function format(kind: Kind, body: string): string {
  return kind === "css" ? body : `${kind}/${body}`;
}

/** The CSS selector of an attribute and its value. */
export function attribute(name: string, value: string): string {
  return `[${name}="${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\a ")}"]`;
}

/** Splits `Next[role="button"]` into name and role. */
function parseAria(body: string): { name: string; role: string } {
  const match = /^([\s\S]*)\[role="([a-z0-9-]+)"\]$/.exec(body);
  return match ? { name: match[1] ?? "", role: match[2] ?? "" } : { name: body, role: "" };
}

/** All elements that one selector names in a root; a broken selector names none. A text is all that is said somewhere, or a part of that. */
export function queryAll(selector: string, root: Root, whole = false): Element[] {
  const { kind, body } = parse(selector);
  try {
    return whole && kind === "text" ? sayingAll(body, root) : QUERIES[kind](body, root);
  } catch {
    return [];
  }
}

/**
 * Follows a path: each part is looked up in the shadow roots of the elements before it, or next to them: below an
 * ancestor that is at most so many levels above what is found, and that holds what the parts say between the two;
 * or else next to what one part says of the rows that the first is over.
 */
export function queryPath(path: readonly string[], root: Root, rise = Infinity, whole = false): Element[] {
  let roots: Root[] = [root];
  let found: Element[] = [];
  let also: string[] = [];
  const isNear = (part = "") => parse(part).kind === "near";
  path.forEach((part, i) => {
    const { body } = parse(part);
    if (i > 0 && isNear(part) && isNear(path[i + 1])) {
      also.push(body);
      return;
    }
    if (i > 0 && isNear(part)) {
      const [from, [grouped]] = [found, also];
      found = unique(roots.flatMap((r) => nextTo(preferVisible(from.filter((el) => el.getRootNode() === r)), body, r, { rise, whole, also })));
      if (!found.length && grouped) found = unique(roots.flatMap((r) => nextTo(from.flatMap((head) => (head.getRootNode() === r ? below(head, grouped, body, r, whole) : [])), body, r, { rise, whole, also: [] })));
      also = [];
      return;
    }
    if (i > 0) roots = found.map(inside).filter((shadow) => shadow !== null);
    found = roots.flatMap((r) => queryAll(part, r, whole));
  });
  return found;
}

/** The one-line fields of a root that can be seen and show words. */
export function shownFields(root: ParentNode): HTMLInputElement[] {
  return [...root.querySelectorAll("input")].filter(showsWords);
}

function showsWords(field: HTMLInputElement): boolean {
  return isTextEntry(field) && field.value !== "" && isVisible(field) && !isSensitive(field);
}

function byValue(body: string, root: ParentNode): Element[] {
  return shownFields(root).filter((field) => normalize(field.value) === normalize(body));
}

/**
 * Of all that a selector names in a root the one next to each element: alone in its nearest ancestor that holds some, and what the
 * others name; or of several the only one in the box right after that of the element, as a field is after its caption.
 */
function nextTo(elements: readonly Element[], selector: string, root: Root, { rise, whole, also }: { rise: number; whole: boolean; also: readonly string[] }): Element[] {
  let named: Element[] | undefined;
  const within = (at: Element) => {
    const parts = at.getElementsByTagName("*");
    if (parts.item(FEW_PARTS) || parse(selector).kind === "text") return (named ??= queryAll(selector, root, whole)).filter((el) => at.contains(el));
    return [at, ...parts].filter((el) => fits(el, selector));
  };
  return elements.flatMap((el) => {
    for (let at: Element | null = el; at; at = at.parentElement) {
      const [one, other] = preferVisible(within(at));
      const box = at;
      const holds = (what: string) => queryAll(what, root, whole).some((el) => box.contains(el));
      if (one && other && !also.length) return captioned(el, at, within);
      if (one) return !other && risesTo(one, at, rise) && also.every(holds) ? [one] : [];
    }
    return [];
  });
}

function unique(elements: Element[]): Element[] {
  return [...new Set(elements)];
}

/** What a selector names among the rows below the words that these are grouped by, where it is the only one; each has such a control. */
function below(head: Element, selector: string, control: string, root: Root, whole: boolean): Element[] {
  const [named, controls] = [queryAll(selector, root, whole), queryAll(control, root)];
  for (let box: Element | null = head; box; box = box.parentElement) {
    if (/^t[dh]$/.test(box.localName)) continue;
    const group = headed(box);
    const isIn = (el: Element) => group.some((member) => member.contains(el));
    const [one, other] = preferVisible(named.filter(isIn));
    if (one || controls.some(isIn)) return one && !other ? [one] : [];
  }
  return [];
}

/** A box and what comes after it, up to the next of its kind: a heading, and what is under it. */
export function headed(head: Element): Element[] {
  const members = [head];
  for (let next = head.nextElementSibling; next && !isOfKind(next, head); next = next.nextElementSibling) members.push(next);
  return members;
}

/** Whether two boxes next to each other are of one kind: two headings, or two rows. */
export function isOfKind(one: Element, other: Element): boolean {
  const isBuiltLike = one.className === other.className && (one.className !== "" || one.childElementCount === other.childElementCount);
  return one.localName === other.localName && (one.localName === "tbody" || isBuiltLike);
}

/** The only one after the box of its caption, or heading, and before the next of these; what else of its kind stands there says nothing. */
function captioned(caption: Element, ancestor: Element, within: (box: Element) => Element[]): Element[] {
  let box = caption;
  while (box.parentElement && box.parentElement !== ancestor) box = box.parentElement;
  if (box.parentElement !== ancestor || !saysOnly(box, caption)) return [];
  const after = headed(box).slice(1);
  const [one, other] = preferVisible(after.flatMap(within));
  const isApart = (member: Element) => member.localName !== box.localName || saysOnly(member, one as Element);
  return one && !other && after.every(isApart) ? [one] : [];
}

/** Whether a box says what a part of it says, and no more. */
export function saysOnly(box: Element | null, part: Element): boolean {
  return box !== null && normalize(box.textContent) === normalize(part.textContent);
}

/** So many elements are asked whether the selector fits them; where there are more, it is looked up in the whole root. */
const FEW_PARTS = 200;

function risesTo(el: Element, ancestor: Element, atMost: number): boolean {
  let height = 0;
  for (let at: Element | null = el; at && at !== ancestor; at = at.parentElement) height++;
  return height <= atMost;
}

/** The shadow root of a host; one that is closed and not known yet is asked for. */
function inside(host: Element): ShadowRoot | null {
  const shadow = shadowOf(host);
  if (!shadow) askAgain(host);
  return shadow;
}

/** The visible ones where there are any, else all. */
export function preferVisible(elements: Element[]): Element[] {
  if (elements.length < 2) return elements;
  const visible = elements.filter(isVisible);
  return visible.length ? visible : elements;
}

/** Whether a selector fits an element: quicker than asking what it names. */
export function fits(el: Element, selector: string): boolean {
  const { kind, body } = parse(selector);
  try {
    return FITS[kind](el, body);
  } catch {
    return false;
  }
}

const FITS: Record<Kind, (el: Element, body: string) => boolean> = {
  css: (el, body) => el.matches(body),
  pierce: (el, body) => el.matches(body),
  aria: (el, body) => {
    const { name, role } = parseAria(body);
    return (!role || roleOf(el) === role) && (!name || (nameOf(el) || hiddenNameOf(el)) === normalize(name) || isDayOf(el, dateIn(name)));
  },
  text: (el, body) => saysExactly(el, normalize(body)),
  xpath: (el, body) => byXPath(body, el.getRootNode() as Root).includes(el),
  testid: hasTestId,
  near: (el, body) => fits(el, body),
  under: (el, body) => columnOf(el) === normalize(body),
  value: (el, body) => el instanceof HTMLInputElement && showsWords(el) && normalize(el.value) === normalize(body),
};

const QUERIES: Record<Kind, (body: string, root: Root) => Element[]> = {
  css: (body, root) => [...root.querySelectorAll(body)],
  aria: byAria,
  text: byText,
  xpath: byXPath,
  pierce: byPierce,
  testid: byTestId,
  near: queryAll,
  under: (body, root) => [...root.querySelectorAll("*")].filter((el) => columnOf(el) === normalize(body)),
  value: byValue,
};

function byAria(body: string, root: Root): Element[] {
  return inOnePass(() => [...new Set(eachByAria(body, root))].sort(inDocument));
}

/** As byAria, one after the other, in no order and some perhaps twice. Belongs into a pass. */
export function eachByAria(body: string, root: Root): Generator<Element> {
  const { name, role } = parseAria(body);
  return byRoleAndName(role, normalize(name), root);
}

function inDocument(a: Node, b: Node): number {
  return a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** The deepest elements that hold the text; where some say it and nothing else, or but for what their parts say, only these. */
function byText(body: string, root: Root): Element[] {
  const wanted = normalize(body);
  const holders = [...textHolders(wanted, root)];
  const exactly = [saysExactly, saysBare].map((says) => holders.filter((el) => says(el, wanted)));
  const exact = exactly.find((all) => all.some(isVisible)) ?? exactly.find((all) => all.length);
  return (exact ?? holders).sort(inDocument);
}

/** Those that hold a text and no more, or next to their parts. */
function sayingAll(body: string, root: Root): Element[] {
  const wanted = normalize(body);
  return byText(wanted, root).filter((el) => saysExactly(el, wanted) || saysBare(el, wanted));
}

/** Whether an element, or a part of it, says a text and no more. */
export function saysAll(el: Element, wanted: string): boolean {
  return [el, ...el.querySelectorAll("*")].some((part) => saysExactly(part, wanted) || saysBare(part, wanted));
}

/** Whether an element says a text next to its parts. */
function saysBare(el: Element, wanted: string): boolean {
  return [...el.childNodes].some((node) => node instanceof Text && normalize(node.data) === wanted);
}

function byXPath(body: string, root: Root): Element[] {
  const found: Element[] = [];
  const result = root.ownerDocument?.evaluate(body, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE)
    ?? (root as Document).evaluate(body, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  for (let i = 0; i < result.snapshotLength; i++) {
    const node = result.snapshotItem(i);
    if (node instanceof Element) found.push(node);
  }
  return found;
}

function byPierce(body: string, root: Root): Element[] {
  const found: Element[] = [];
  eachRoot(root, (r) => found.push(...r.querySelectorAll(body)));
  return found;
}

function byTestId(body: string, root: Root): Element[] {
  return [...root.querySelectorAll(testIdSelector(body))];
}

/** Elements of a role and a name; "" is any. They come in no order, some perhaps twice. Belongs into a pass. */
function* byRoleAndName(role: string, name: string, root: Root): Generator<Element> {
  const date = dateIn(name);
  for (const el of candidates(role, date ? "" : name, root)) {
    if ((!role || roleOf(el) === role) && (!name || nameOf(el) === name || isDayOf(el, date))) yield el;
  }
  if (name) for (const el of labelledIn(root).keys()) if ((!role || roleOf(el) === role) && nameOf(el) === name) yield el;
}

/** Whether an element is the day of a calendar that a date is, which its name says in more words, as "Choose Tuesday, March 18th, 2031", or what is over its month. */
export function isDayOf(el: Element, date: string): boolean {
  const text = date && normalize(el.textContent);
  return isDay(text) && Number(text) === Number(date.slice(-2)) && (dateIn(nameOf(el)) || dateByMonth(el, monthsAround(el), (one) => normalize(one.textContent))) === date;
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

/** Most used first; selectors/rank.go has the same. */
const KNOWN = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-pw", "data-automation-id", "data-hook"];

/** The one that the user has named, "" for none. It goes with a recording, and with what was recorded. */
let named = "";

/** Answers a question with an attribute of the user's own. */
export function withTestId<T>(attribute: string | undefined, answer: () => T): T {
  const before = named;
  named = attribute ?? "";
  try {
    return answer();
  } finally {
    named = before;
  }
}

/** What an element is marked with: the attribute and its value; null where it is not. */
export function testIdOf(el: Element): { attribute: string; value: string } | null {
  for (const attribute of named ? [named, ...KNOWN] : KNOWN) {
    const value = el.getAttribute(attribute);
    if (value) return { attribute, value };
  }
  return null;
}

export function isTestId(attribute: string): boolean {
  return attribute === named || KNOWN.includes(attribute);
}

/** Whether a selector of the kind testid finds the attribute wherever it is played. */
export function isKnownTestId(attribute: string): boolean {
  return KNOWN.includes(attribute);
}

function hasTestId(el: Element, value: string): boolean {
  return KNOWN.some((attribute) => el.getAttribute(attribute) === value);
}

/** The CSS selector of what is marked with a value. */
function testIdSelector(value: string): string {
  const quoted = CSS.escape(value);
  return KNOWN.map((attribute) => `[${attribute}="${quoted}"]`).join(",");
}
