// Closed shadow roots. To a script their hosts look like any element, even in a
// world of its own; the protocol can hand their roots over. So this world asks
// for those of elements that may have one, and the engine outside answers. A page
// without such elements is never asked about.
//
// Names and texts do not look into them: what a recording knows of a page and
// what a replay knows of it differ there, and a name must not.

import { HOSTS, keepRoot, noteCustom, shadowOf } from "./elements";
import { wake } from "./wait";
import { send } from "./wire";

/** How long an answer is waited for before it is asked again, and how often: the engine may have lost the question. */
const ANSWER_MS = 300;
const TRIES = 3;
/** How long an answer is good for what looks again and again: a root may come later than its host. */
const GOOD_MS = 200;
/** Custom elements of one tag that had no root when they came; the next are asked about only when they are used. */
const FRUITLESS = 20;

const untaken = new Set<Element>();
const asking = new Map<Element, number>(); // since when
const answered = new WeakMap<Element, number>(); // when it was said that there is none
const fruitless = new Map<string, number>(); // by tag

/** Called with each root that is handed over. */
const heirs: ((host: Element, root: ShadowRoot) => void)[] = [];

export function onRoot(heir: (host: Element, root: ShadowRoot) => void): void {
  heirs.push(heir);
}

/** Whether an element may have a root that is not known. */
export function mayHost(el: Element): el is HTMLElement {
  return el instanceof HTMLElement && (isCustom(el) || HOSTS.has(el.localName)) && !shadowOf(el);
}

export function isCustom(el: Element): boolean {
  return el.localName.includes("-");
}

/** Whether it was said that the element has none: it may have got one since. */
export function hadNone(el: Element): boolean {
  return answered.has(el);
}

/** Asks for the root of an element. */
export function ask(el: Element): void {
  if (mayHost(el) && !isAskedFor(el)) askTimes(el, TRIES);
}

function askTimes(el: Element, tries: number): void {
  const again = asking.has(el);
  asking.set(el, performance.now());
  untaken.add(el);
  if (again || untaken.size === 1) send({ type: "hosts" });
  setTimeout(() => {
    if (!asking.has(el)) return;
    if (tries > 1 && el.isConnected) return askTimes(el, tries - 1);
    asking.delete(el);
    untaken.delete(el);
  }, ANSWER_MS);
}

/** As ask, where it is done again and again. */
export function askAgain(el: Element): void {
  if (performance.now() - (answered.get(el) ?? -GOOD_MS) >= GOOD_MS) ask(el);
}

const CUSTOM = 'descendant-or-self::*[contains(local-name(),"-")]';

/** Asks for the roots of the custom elements in a part of the page; it is the browser that looks for them. */
export function askWithin(part: Node): void {
  const found = document.evaluate(CUSTOM, part, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  for (let i = 0; i < found.snapshotLength; i++) {
    const el = found.snapshotItem(i) as Element;
    noteCustom(el);
    if (!answered.has(el) && (fruitless.get(el.localName) ?? 0) < FRUITLESS) ask(el);
  }
}

function isAskedFor(el: Element): boolean {
  const since = asking.get(el);
  return since !== undefined && performance.now() - since < ANSWER_MS;
}

/** Whether an answer is still to come. */
export function isAsking(): boolean {
  return asking.size > 0;
}

let waiting: (() => void)[] = [];

/** Resolves when all was answered, or will not be. */
export async function answers(): Promise<void> {
  while (isAsking()) {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      setTimeout(resolve, ANSWER_MS);
    });
  }
}

/** The elements that were asked about, for the engine to take. */
export function hosts(): Element[] {
  const taken = [...untaken];
  untaken.clear();
  return taken;
}

/** The engine's answer: the closed roots of the hosts at these indices, and of no other. */
export function adoptRoots(of: Element[], at: number[], roots: ShadowRoot[]): void {
  for (const [i, host] of of.entries()) {
    asking.delete(host);
    const root = roots[at.indexOf(i)];
    if (root) adoptRoot(host, root);
    else {
      answered.set(host, performance.now());
      fruitless.set(host.localName, (fruitless.get(host.localName) ?? 0) + 1);
    }
  }
  for (const resolve of waiting.splice(0)) resolve();
  wake();
}

function adoptRoot(host: Element, root: ShadowRoot): void {
  keepRoot(host, root);
  fruitless.delete(host.localName);
  for (const heir of heirs) heir(host, root);
}

/**
 * What an event is about: its path ends at the host of a closed root, and goes on
 * from there by the point or by the focus. The root has no say: a page may keep
 * the event from it.
 */
export function targetOf(event: Event): EventTarget | undefined {
  let target = event.composedPath()[0];
  let root = target instanceof Element && !target.shadowRoot ? shadowOf(target) : null;
  while (root) {
    const inner: Element | null = isPointed(event) ? root.elementFromPoint(event.clientX, event.clientY) : root.activeElement;
    if (inner?.getRootNode() !== root) break;
    target = inner;
    root = shadowOf(inner);
  }
  return target;
}

function isPointed(event: Event): event is MouseEvent {
  return event instanceof MouseEvent && !(event.type === "click" && event.detail === 0);
}
