// What a press, of a pointer or of a key, changes in the page while its own events are dispatched. Nothing
// else of a page runs within a dispatch, so a clock or a list that loads is not taken for its effect.

import { composedContains, composedParent, isField } from "./elements";
import { targetOf } from "./roots";

/** The events of a press, whose listeners may answer it. */
const OF_POINTERS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "dblclick", "submit"];

const OF_KEYS = ["keydown", "keypress", "beforeinput", "input", "change", "click", "submit", "keyup"];

const CLICKS = ["click", "auxclick"];

/** How long a button or key may be down, and how long after a button came up a click may come. */
const DOWN_MS = 60_000;
const ENDS_MS = 1_000;

/** Attributes of the pressed element itself that are more than decoration. */
const STATES = new Set(["aria-busy", "aria-checked", "aria-current", "aria-disabled", "aria-expanded", "aria-hidden", "aria-pressed", "aria-selected", "checked", "disabled", "hidden", "open", "selected"]);

interface Heard {
  changed(): void; // once, as soon as anything has changed
  clicked?(done: boolean): void; // the listeners of its click, or of the key, are about to run, or have run
  over?(prevented: boolean): void; // the press is over; whether a listener has prevented what the browser does with it
}

/**
 * Watches what the press changes that begins with a pointerdown on an element, or with a keydown in a field; null is any
 * other place of a key. Returns how to stop.
 */
export function watchChanges(el: Element | null, down: Event, heard: Heard): () => void {
  const isKey = down.type === "keydown";
  const events = isKey ? OF_KEYS : OF_POINTERS;
  let current = down;
  let told = false;
  let prevented = false;
  let expiry = setTimeout(stop, DOWN_MS);

  // A microtask that runs within a dispatch sees the phase of its event; after it, that is 0.
  const inDispatch = () => current.eventPhase !== Event.NONE;
  const tell = () => {
    if (inDispatch()) tellNow();
  };
  const tellNow = () => {
    if (told) return;
    told = true;
    observer.disconnect();
    heard.changed();
  };
  const observer = new MutationObserver((records) => {
    if (inDispatch() && records.some((record) => counts(record, el))) tell();
  });
  const onEvent = (event: Event) => {
    if (!event.isTrusted) return;
    prevented ||= current.defaultPrevented;
    if (event.type === down.type && event !== down && !(event as KeyboardEvent).repeat) return stop();
    current = event;
    observer.takeRecords();
    if (event.type === "pointerup") endAfter(ENDS_MS, stop);
    if (isKey ? event.type !== "keyup" : !CLICKS.includes(event.type)) return;
    if (!isKey) heard.clicked?.(false);
    endAfter(0, over);
  };
  const onClicked = (event: Event) => {
    if (event.isTrusted) heard.clicked?.(true);
  };
  // A press that only leads into a field is told by what is typed there.
  const onFocus = (event: Event) => {
    const to = targetOf(event);
    if (to instanceof Element && !isField(to) && !(el && (composedContains(el, to) || composedContains(to, el)))) tell();
  };

  function endAfter(ms: number, end: () => void): void {
    clearTimeout(expiry);
    expiry = setTimeout(end, ms);
  }
  function over(): void {
    stop();
    if (isKey) heard.clicked?.(true);
    heard.over?.(prevented || current.defaultPrevented);
  }
  function stop(): void {
    clearTimeout(expiry);
    observer.disconnect();
    for (const type of events) removeEventListener(type, onEvent, true);
    for (const type of CLICKS) removeEventListener(type, onClicked);
    removeEventListener("focusin", onFocus, true);
    removeEventListener("blur", tellNow);
    removeEventListener("beforetoggle", tell, true);
    navigation()?.removeEventListener("navigate", tell);
  }

  for (const root of rootsOf(el)) observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const type of events) addEventListener(type, onEvent, true);
  if (isKey) heard.clicked?.(false);
  else for (const type of CLICKS) addEventListener(type, onClicked);
  addEventListener("focusin", onFocus, true);
  if (isKey) addEventListener("blur", tellNow); // the focus is in another document, and so will be the end of the key
  addEventListener("beforetoggle", tell, true);
  navigation()?.addEventListener("navigate", tell);
  return stop;
}

function navigation(): EventTarget | undefined {
  return (self as unknown as { navigation?: EventTarget }).navigation;
}

/** The document, and the shadow roots that the element is in. */
function rootsOf(el: Element | null): Node[] {
  const roots = new Set<Node>([document]);
  for (let at = el; at; at = composedParent(at)) roots.add(at.getRootNode());
  if (el?.shadowRoot) roots.add(el.shadowRoot);
  return [...roots];
}

/** Whether a mutation is more than the pressed element being drawn as pressed, or a field as it is typed into. */
function counts({ type, target, attributeName, addedNodes, removedNodes }: MutationRecord, el: Element | null): boolean {
  const at = target instanceof Element ? target : target instanceof ShadowRoot ? target.host : target.parentElement;
  if (type === "attributes") {
    if (target === document.documentElement || target === document.body) return attributeName === "class" || attributeName === "style";
    return at && el && isDrawnAs(at, el) ? STATES.has(attributeName ?? "") : !at || !el || !composedContains(el, at);
  }
  if (!at || !el || !composedContains(el, at)) return true;
  return type === "characterData" || [...addedNodes, ...removedNodes].some((node) => node.textContent?.trim());
}

/** From when on after an act what a page shows is late, and comes by a clock of its own, in ms. */
export const LATE_MS = 50;

/** Whether a mutation has brought words. */
export function bringsWords({ type, target, addedNodes }: MutationRecord): boolean {
  const nodes = type === "characterData" ? [target] : [...addedNodes];
  return nodes.some((node) => /[\p{L}\p{N}]/u.test(node.textContent ?? ""));
}

/** How far above a control the boxes may be that it is drawn with: a button may be in a table of its own. */
const BOXES = 6;

/** Whether an element is the control itself, or a box around it that says nothing else. */
function isDrawnAs(at: Element, control: Element): boolean {
  if (at === control) return true;
  const says = control.textContent.trim();
  let box = control.parentElement;
  for (let height = 0; box && height < BOXES && says !== "" && box.textContent.trim() === says; height++, box = box.parentElement) if (box === at) return true;
  return false;
}
