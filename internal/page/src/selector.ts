// Looking elements up by the kinds of selector that an automation holds.

import { nameOf, roleOf } from "./aria";
import { eachRoot, isVisible, normalize, shadowOf, type Root } from "./dom";
import { byRoleAndName } from "./named";
import { inOnePass } from "./pass";
import { askAgain } from "./roots";
import { hasTestId, testIdSelector } from "./testid";
import { saysExactly, textHolders } from "./text";

export type Kind = "css" | "aria" | "text" | "xpath" | "pierce" | "testid";

const PREFIXES: Kind[] = ["aria", "text", "xpath", "pierce", "testid"];

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

/** Splits `Next[role="button"]` into name and role. */
export function parseAria(body: string): { name: string; role: string } {
  const match = /^([\s\S]*)\[role="([a-z0-9-]+)"\]$/.exec(body);
  return match ? { name: match[1] ?? "", role: match[2] ?? "" } : { name: body, role: "" };
}

/** All elements that one selector names in a root; a broken selector names none. */
export function queryAll(selector: string, root: Root): Element[] {
  const { kind, body } = parse(selector);
  try {
    return QUERIES[kind](body, root);
  } catch {
    return [];
  }
}

/** Follows a path: each part is looked up in the shadow roots of the elements before it. */
export function queryPath(path: readonly string[], root: Root): Element[] {
  let roots: Root[] = [root];
  let found: Element[] = [];
  path.forEach((part, i) => {
    if (i > 0) roots = found.map(inside).filter((shadow) => shadow !== null);
    found = roots.flatMap((r) => queryAll(part, r));
  });
  return found;
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
    return (!role || roleOf(el) === role) && (!name || nameOf(el) === normalize(name));
  },
  text: (el, body) => saysExactly(el, normalize(body)),
  xpath: (el, body) => byXPath(body, el.getRootNode() as Root).includes(el),
  testid: hasTestId,
};

const QUERIES: Record<Kind, (body: string, root: Root) => Element[]> = {
  css: (body, root) => [...root.querySelectorAll(body)],
  aria: byAria,
  text: byText,
  xpath: byXPath,
  pierce: byPierce,
  testid: byTestId,
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

/** The deepest elements that hold the text; where some say it and nothing else, only these. */
function byText(body: string, root: Root): Element[] {
  const wanted = normalize(body);
  const holders = [...textHolders(wanted, root)];
  const exact = holders.filter((el) => saysExactly(el, wanted));
  return (exact.length ? exact : holders).sort(inDocument);
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
