// Describing an element: selectors that name it alone among what is visible in
// its root, and the evidence by which it is known again.

import { nameOf, roleOf } from "./aria";
import { isVisible, normalize, rootOf, type Root } from "./dom";
import { isGenerated } from "./generated";
import { hash } from "./hash";
import { format, queryAll, TEST_ID_ATTRIBUTES } from "./selector";
import { repeatsSecret } from "./sensitive";

export interface Fingerprint {
  key: string;
  tag: string;
  role?: string;
  type?: string;
  attrs?: Record<string, string>;
  name?: string;
  text?: string;
  near?: string[];
  box?: number[];
}

export interface Description {
  candidates: string[][]; // paths, unordered: the order is the reader's choice
  fingerprint: Fingerprint;
}

/** Longest name or text that is kept as a selector: longer ones are prose. */
const LONGEST_NAME = 80;
/** Attributes that tell an element from its neighbours, besides id and name. */
const TELLING_ATTRIBUTES = ["placeholder", "title", "alt", "for", "href", "aria-label", "value", "type"];
/** Where `value` is a label and not what a person typed. */
const VALUE_IS_LABEL = new Set(["submit", "button", "reset", "radio", "checkbox"]);

/** Describes an element; the key is that of the hashes. Nothing that repeats a secret is kept, not even as a hash. */
export function describe(el: Element, key: string): Description {
  return { candidates: paths(el), fingerprint: fingerprint(el, key) };
}

const quotable = (text: string) => !repeatsSecret(text);

function paths(el: Element): string[][] {
  const root = rootOf(el);
  const host = root instanceof ShadowRoot ? hostPath(root.host) : [];
  return candidates(el, root).filter(quotable).map((selector) => [...host, selector]);
}

/** One path to a shadow host: its first candidate, which is its most telling. */
function hostPath(host: Element): string[] {
  const root = rootOf(host);
  const own = candidates(host, root).find(quotable) ?? structuralCSS(host, root);
  return [...(root instanceof ShadowRoot ? hostPath(root.host) : []), own];
}

function candidates(el: Element, root: Root): string[] {
  const visible = isVisible(el);
  const unique = (selector: string | null): selector is string => selector !== null && isUnique(selector, el, root, visible);
  const xpath = root instanceof Document ? [structuralXPath(el)] : [];
  return [testId(el), roleAndName(el), placeholder(el), idSelector(el), nameAttribute(el), text(el)].filter(unique)
    .concat(structuralCSS(el, root), xpath);
}

function isUnique(selector: string, el: Element, root: Root, visible: boolean): boolean {
  const found = queryAll(selector, root);
  if (!found.includes(el)) return false;
  return found.length === 1 || (visible && found.every((other) => other === el || !isVisible(other)));
}

function testId(el: Element): string | null {
  for (const name of TEST_ID_ATTRIBUTES) {
    const value = el.getAttribute(name);
    if (value) return format("testid", value);
  }
  return null;
}

function roleAndName(el: Element): string | null {
  const role = roleOf(el);
  const name = nameOf(el);
  return role && name && name.length <= LONGEST_NAME ? format("aria", `${name}[role="${role}"]`) : null;
}

function placeholder(el: Element): string | null {
  const value = el.getAttribute("placeholder");
  return value && value.length <= LONGEST_NAME ? attribute("placeholder", value) : null;
}

function idSelector(el: Element): string | null {
  return el.id && !isGenerated(el.id) ? `#${CSS.escape(el.id)}` : null;
}

function nameAttribute(el: Element): string | null {
  const name = el.getAttribute("name");
  if (!name || isGenerated(name)) return null;
  const value = (el as HTMLInputElement).type === "radio" ? attribute("value", (el as HTMLInputElement).value) : "";
  return el.localName + attribute("name", name) + value;
}

function text(el: Element): string | null {
  if (el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement) return null;
  if ((el as HTMLElement).isContentEditable || el === document.body || el === document.documentElement) return null;
  const words = normalize(el.textContent);
  return words && words.length <= LONGEST_NAME ? format("text", words) : null;
}

function attribute(name: string, value: string): string {
  return `[${name}="${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\a ")}"]`;
}

/** The shortest chain of telling steps, from the element up, that names it alone. */
export function structuralCSS(el: Element, root: Root): string {
  let chain = "";
  for (let at: Element | null = el; at; at = at.parentElement) {
    const own = idSelector(at) ?? step(at);
    for (const selector of [own, own + nth(at)]) {
      const tried = chain ? `${selector} > ${chain}` : selector;
      if (namesAlone(tried, el, root)) return tried;
    }
    chain = chain ? `${own + nth(at)} > ${chain}` : own + nth(at);
  }
  return chain;
}

function namesAlone(selector: string, el: Element, root: Root): boolean {
  const found = root.querySelectorAll(selector);
  return found.length === 1 && found[0] === el;
}

function step(el: Element): string {
  const name = el.getAttribute("name");
  if (name && !isGenerated(name)) return el.localName + attribute("name", name);
  const classes = [...el.classList].filter((c) => !isGenerated(c)).slice(0, 2);
  return el.localName + classes.map((c) => `.${CSS.escape(c)}`).join("");
}

function nth(el: Element): string {
  const siblings = el.parentElement ? [...el.parentElement.children] : [];
  const alike = siblings.filter((s) => s.localName === el.localName);
  return alike.length > 1 ? `:nth-of-type(${alike.indexOf(el) + 1})` : "";
}

/** A path of tags and positions from the nearest ancestor with an id of its own. */
function structuralXPath(el: Element): string {
  let path = "";
  for (let at: Element | null = el; at; at = at.parentElement) {
    if (at.id && !isGenerated(at.id) && !at.id.includes('"') && namesAlone(`#${CSS.escape(at.id)}`, at, document)) {
      return format("xpath", `//*[@id="${at.id}"]${path}`);
    }
    path = `/${xpathStep(at)}${path}`;
  }
  return format("xpath", path);
}

function xpathStep(el: Element): string {
  const test = el instanceof HTMLElement ? el.localName : `*[local-name()="${el.localName}"]`;
  const alike = [...(el.parentElement?.children ?? [])].filter((s) => s.localName === el.localName);
  return alike.length > 1 ? `${test}[${alike.indexOf(el) + 1}]` : test;
}

function fingerprint(el: Element, key: string): Fingerprint {
  const rect = el.getBoundingClientRect();
  const print: Fingerprint = { key, tag: el.localName, box: [rect.x + scrollX, rect.y + scrollY, rect.width, rect.height].map(Math.round) };
  const optional = {
    role: roleOf(el),
    type: el.getAttribute("type") ?? "",
    name: words(key, nameOf(el)),
    text: holdsValue(el) ? "" : words(key, el.textContent.slice(0, 400)),
  };
  for (const [name, value] of Object.entries(optional)) if (value) Object.assign(print, { [name]: value });
  const attrs = attributes(el, key);
  if (Object.keys(attrs).length) print.attrs = attrs;
  const near = context(el).map((near) => words(key, near)).filter(Boolean);
  if (near.length) print.near = near;
  return print;
}

function words(key: string, text: string): string {
  return quotable(text) ? hash(key, text) : "";
}

function holdsValue(el: Element): boolean {
  return el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement || (el as HTMLElement).isContentEditable;
}

function attributes(el: Element, key: string): Record<string, string> {
  const attrs: Record<string, string> = {};
  for (const name of ["id", "name", ...TEST_ID_ATTRIBUTES, ...TELLING_ATTRIBUTES]) {
    const value = el.getAttribute(name);
    if (!value || (name === "value" && !VALUE_IS_LABEL.has((el as HTMLInputElement).type))) continue;
    const hashed = words(key, name === "href" ? value.replace(/[?#].*$/, "") : value);
    if (hashed) attrs[name] = hashed;
  }
  return attrs;
}

/** Words around the element: the nearest heading or legend, and its neighbours. */
function context(el: Element): string[] {
  const heading = el.closest("section,form,fieldset,article,dialog,[role=dialog],main,body")?.querySelector("h1,h2,h3,h4,legend,[role=heading]");
  const words = [heading, el.previousElementSibling, el.nextElementSibling].map((near) => (near && !holdsValue(near) ? near.textContent.slice(0, 200) : ""));
  return words.map((w) => normalize(w)).filter(Boolean);
}

