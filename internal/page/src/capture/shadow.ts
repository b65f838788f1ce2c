// Recording in shadow roots: what does not leave them is listened for in them, and the
// closed ones are asked for, early enough to be known when they are used. What is done in
// one before it is known is reported as done to its host, and corrected when the root is
// there; of what is typed meanwhile only that it was is reported.

import { hasEditContext, elementsIn, deepElementFromPoint, watchCustoms } from "../dom/elements";
import { ask, askAgain, askWithin, hadNone, mayHost, onRoot } from "../dom/roots";
import { sendEvent } from "../dom/wire";

type Listeners = [string, (event: Event) => void][];

let within: Listeners = [];
let observer: MutationObserver | null = null;
const watched = new Set<WeakRef<ShadowRoot>>();
let isWatched = new WeakSet<ShadowRoot>();

/** Begins to look for hosts in the document; the listeners are added in each shadow root that is used. */
export function watchHosts(listeners: Listeners): void {
  within = listeners;
  if (!observer) watchCustoms(true);
  observer ??= new MutationObserver(onMutations);
  notice(document);
  if (document.body) ask(document.body);
}

/** Stops, and leaves the roots as they were. */
export function forget(): void {
  observer?.disconnect();
  watchCustoms(false);
  observer = null;
  for (const ref of watched) for (const [type, listener] of within) ref.deref()?.removeEventListener(type, listener, { capture: true });
  watched.clear();
  isWatched = new WeakSet();
}

/** A document that is being read comes in many pieces; a piece that was removed at once is of no interest. */
function onMutations(records: MutationRecord[]): void {
  for (const { addedNodes } of records) {
    for (const node of addedNodes) {
      if (!(node instanceof Element) || !node.isConnected) continue;
      askWithin(node);
      if (node === document.body) ask(node);
    }
  }
}

function notice(root: Document | ShadowRoot): void {
  observer?.observe(root, { childList: true, subtree: true });
  for (const part of elementsIn(root)) askWithin(part);
}

/** Listens in the open roots that an event comes through. */
export function watchPath(event: Event): void {
  for (const at of event.composedPath()) if (at instanceof ShadowRoot) watchRoot(at);
}

function watchRoot(root: ShadowRoot): void {
  if (isWatched.has(root) || !observer) return;
  isWatched.add(root);
  watched.add(new WeakRef(root));
  for (const [type, listener] of within) root.addEventListener(type, listener, { capture: true, passive: true });
  notice(root);
}

/** The pointer has come over an element: if it may be a host, there is time to know it before it is pressed. */
export function noticeHost(event: PointerEvent, hit: Element): void {
  if (mayHost(hit) && !isOnText(hit, event.clientX, event.clientY)) askAgain(hit);
}

// What comes too early

export interface Early {
  press: number;
  x: number;
  y: number;
  unsure?: boolean; // there was no root just before: the press may be what made it
  typed?: boolean; // something was typed after it
  from?: { left: number; top: number }; // where the host stood, which may have moved since
}

interface Reached {
  press: (early: Early, hit: Element) => void;
  focus: (inner: Element) => void;
}

let reached: Reached | null = null;
const presses = new WeakMap<Element, Early[]>();
const typedIn = new WeakSet<Element>();

/** Sets what is called with what was done in a root before it was known. */
export function onReached(by: Reached): void {
  reached = by;
}

/** Notes a press on what may be a host: it may be mended. */
export function onEarly(hit: Element, early: Early): void {
  if (!mayHost(hit) || isOnText(hit, early.x, early.y)) return;
  const { left, top } = hit.getBoundingClientRect();
  presses.set(hit, [...(presses.get(hit) ?? []), { ...early, from: { left, top }, ...(hadNone(hit) ? { unsure: true } : {}) }]);
  ask(hit);
}

/** Hosts below which something was typed in a field that is not in sight yet: it is lost if it never is. */
let blind = new WeakSet<Element>();

/** Notes that something was typed below the element, in a field that is not in sight yet. */
export function onBlindInput(el: Element): void {
  if (!hides(el)) return;
  if (!blind.has(el)) sendEvent({ type: "blind" });
  blind.add(el);
  const last = presses.get(el)?.at(-1);
  if (last) last.typed = true;
  else typedIn.add(el);
}

/**
 * Whether the focus may be in a closed root below the element, which is asked for
 * then: what is typed there may be a secret, as the field cannot be seen.
 */
export function hides(el: Element): boolean {
  if (!mayHost(el) || el.isContentEditable || hasEditContext(el)) return false;
  const itself = el.localName === "body" || (el.hasAttribute("tabindex") && el.matches(":focus"));
  if (hadNone(el) && itself) return false;
  ask(el);
  return true;
}

onRoot((host, root) => {
  if (!observer) return;
  watchRoot(root);
  let hit: Element | null = null;
  for (const early of presses.get(host) ?? []) hit = mend(early, host, root) ?? hit;
  presses.delete(host);
  const inner = root.activeElement;
  if (inner) hides(inner);
  if (inner && typedIn.delete(host)) reached?.focus(inner);
  const used = inner ?? hit;
  if (used && blind.delete(host)) sighted(used);
});

/** What was typed blind is in sight, or in one more root. */
function sighted(inner: Element): void {
  if (hides(inner)) blind.add(inner);
  else sendEvent({ type: "sighted" });
}

/** Reports what a press was on; null where that is not known. */
function mend(then: Early, host: Element, root: ShadowRoot): Element | null {
  if (then.unsure && !then.typed) return null;
  const { left, top } = host.getBoundingClientRect();
  const early = { ...then, x: then.x + left - (then.from?.left ?? left), y: then.y + top - (then.from?.top ?? top) };
  const at = deepElementFromPoint(early.x, early.y);
  const hit = at && isIn(at, root) ? at : early.typed ? root.activeElement : null;
  if (!hit) return null;
  reached?.press(early, hit);
  onEarly(hit, early); // it may be one of the next
  return hit;
}

function isIn(el: Element, root: ShadowRoot): boolean {
  for (let at: Node = el.getRootNode(); at instanceof ShadowRoot; at = at.host.getRootNode()) if (at === root) return true;
  return false;
}

/** Whether a point of an element is on words of its own: then the person means these. */
function isOnText(el: Element, x: number, y: number): boolean {
  const range = document.createRange();
  for (const node of el.childNodes) {
    if (!(node instanceof Text) || !/\S/.test(node.data)) continue;
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) if (x >= r.left && x <= r.right && y >= r.top && y <= r.bottom) return true;
  }
  return false;
}
