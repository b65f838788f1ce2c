// Small facts about elements: where they are, whether they can be seen, and
// what lies above them through shadow roots and frames.

import { once, pass } from "./pass";

/** The roots that selectors are looked up in. */
export type Root = Document | ShadowRoot;

/** Collapses white space as a person reads it. */
export function normalize(text: string | null | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

export function rootOf(el: Element): Root {
  const root = el.getRootNode();
  return root instanceof ShadowRoot ? root : el.ownerDocument;
}

/** Closed shadow roots that were handed over, by host. */
const closed = new WeakMap<Element, ShadowRoot>();
let anyClosed = false;

export function keepRoot(host: Element, root: ShadowRoot): void {
  closed.set(host, root);
  anyClosed = true;
}

/** The shadow root of an element: an open one, or a closed one that is known. */
export function shadowOf(host: Element): ShadowRoot | null {
  return host.shadowRoot ?? (anyClosed ? closed.get(host) ?? null : null);
}

/** The parent in the flat tree: slots and shadow hosts included. */
export function composedParent(el: Element): Element | null {
  if (el.assignedSlot) return el.assignedSlot;
  if (el.parentElement) return el.parentElement;
  const root = el.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Whether inner is outer or lies below it in the flat tree. */
export function composedContains(outer: Element, inner: Element | null): boolean {
  for (let el = inner; el; el = composedParent(el)) {
    if (el === outer) return true;
  }
  return false;
}

/** Rendered, not hidden by CSS, of some size, and not inert. */
export function isVisible(el: Element): boolean {
  if (isInert(el)) return false;
  if (!el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
  for (const rect of el.getClientRects()) {
    if (rect.width > 0 && rect.height > 0) return true;
  }
  // display: contents and slots have no box of their own.
  const display = getComputedStyle(el).display;
  return display === "contents" && [...el.children].some(isVisible);
}

/** Whether the page has put the element out of use, as it does with what a slide or a banner leaves behind. */
export function isInert(el: Element): boolean {
  if (el.closest("[inert]")) return true;
  const root = el.getRootNode();
  return root instanceof ShadowRoot && isInert(root.host);
}

/** The element under a point of the viewport, through the shadow roots that are known. */
export function deepElementFromPoint(x: number, y: number): Element | null {
  let root: DocumentOrShadowRoot = document;
  let found: Element | null = null;
  for (;;) {
    const hit: Element | null = root.elementFromPoint(x, y);
    if (!hit || hit === found) return found;
    found = hit;
    const shadow = shadowOf(hit);
    if (!shadow) return hit;
    root = shadow;
  }
}

/** The focused element, through the shadow roots that are known. */
export function deepActiveElement(): Element | null {
  let active = document.activeElement;
  for (;;) {
    const inner: Element | null | undefined = active && shadowOf(active)?.activeElement;
    if (!inner) return active;
    active = inner;
  }
}

/** The labels that stand for a control; none for other elements. */
export function labelsOf(el: Element): HTMLLabelElement[] {
  if (!("labels" in el)) return [];
  if (pass() && el.isConnected) return labelledIn(el.getRootNode() as Root).get(el) ?? [];
  return [...((el as HTMLInputElement).labels ?? [])];
}

/** The controls of a root that have labels, with those: asking each of many controls reads the whole root each time. */
export function labelledIn(root: Root): Map<Element, HTMLLabelElement[]> {
  return once(pass()?.labels, root, () => {
    const labels = new Map<Element, HTMLLabelElement[]>();
    for (const label of root instanceof Document ? root.getElementsByTagName("label") : root.querySelectorAll("label")) {
      if (label.control) labels.set(label.control, [...(labels.get(label.control) ?? []), label]);
    }
    return labels;
  });
}

/** Whether a press on hit works for el: it is inside it, or el is labelled by it. */
export function reaches(hit: Element | null, el: Element): boolean {
  return composedContains(el, hit) || labelsOf(el).some((label) => composedContains(label, hit));
}

/** How an element is called in a message to a person: div#overlay.big */
export function brief(el: Element): string {
  const id = el.id ? `#${el.id}` : "";
  const first = el.classList.item(0);
  return `${el.localName}${id}${!id && first ? `.${first}` : ""}`.slice(0, 80);
}

/** Calls visit for root and for every shadow root below it that is known. */
export function eachRoot(root: Root, visit: (root: Root) => void): void {
  for (const one of once(pass()?.roots, root, () => rootsIn(root))) visit(one);
}

function rootsIn(root: Root): Root[] {
  const found = [root];
  for (const host of hostsIn(root)) found.push(...rootsIn(shadowOf(host) as ShadowRoot));
  return found;
}

/** The shadow hosts of a root, in its order. To touch every element is most of what a look at a large page costs. */
function hostsIn(root: Root): Element[] {
  const hosts: Element[] = [];
  const tags = root instanceof Document && customTags ? [...HOSTS, ...customTags] : ["*"];
  for (const tag of tags) {
    const all = root instanceof Document ? root.getElementsByTagName(tag) : root.querySelectorAll(tag); // the first is the quicker
    for (let i = 0, length = all.length; i < length; i++) if (shadowOf(all[i] as Element)) hosts.push(all[i] as Element);
  }
  return tags.length > 1 ? hosts.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)) : hosts;
}

/** Elements that may have a shadow root, besides those of a page's own making (https://dom.spec.whatwg.org/#valid-shadow-host-name). */
export const HOSTS = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);

/** The tags of a page's own making that have been seen, while somebody looks at all that comes; else null. */
let customTags: Set<string> | null = null;

/** Says that every element of a page's own making is told of from now on, or no more. */
export function watchCustoms(on: boolean): void {
  customTags = on ? new Set() : null;
}

export function noteCustom(el: Element): void {
  customTags?.add(el.localName);
}
