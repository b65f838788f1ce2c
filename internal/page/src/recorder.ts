// What a person does, as raw events: whole enough that steps can be made of
// them outside, and empty of every secret. Nothing here decides what a step is.

import { nameOf, roleOf } from "./aria";
import { describe, type Description } from "./describe";
import { composedParent, isVisible, labelsOf, normalize } from "./dom";
import { inConsent } from "./consent";
import { forget, hides, type Early, noticeHost, onBlindInput, onEarly, onReached, watchHosts, watchPath } from "./reach";
import { targetOf } from "./roots";
import { autocompleteOf, isSensitive, remember, repeatsSecret } from "./sensitive";
import { leave, sendEvent } from "./wire";

/** An element as an event tells of it: once in full, then by its number. */
interface Target extends Partial<Description> {
  ref: number;
  tag?: string;
  role?: string;
  visible?: boolean;
  label?: string; // for people and for the names of variables
  inputType?: string;
  autocomplete?: string[];
  field?: string[]; // name and id
  consent?: boolean; // a part of a consent banner
  secret?: boolean;
  editable?: boolean;
  limits?: Record<string, string>; // the page's constraints on the value
}

const refs = new WeakMap<Element, number>();
let refCount = 0;
let key = "";
let testId = "";
let recording = false;

/**
 * Begins to record this document; the key is that of the fingerprints' hashes, and
 * the attribute one that the user's own tests go by. It may be called again: a page
 * that writes its document anew takes listeners with it, and adding one that is still
 * there changes nothing.
 */
export function record(hashKey: string, testIdAttribute = ""): void {
  key = hashKey;
  testId = testIdAttribute;
  for (const [type, listener] of LISTENERS) addEventListener(type, listener, { capture: true, passive: true });
  watchHosts(WITHIN);
  if (recording) return;
  recording = true;
  sendEvent({ type: "hello" });
}

/** Stops, and leaves the document as it was. */
export function stop(): void {
  recording = false;
  for (const [type, listener] of LISTENERS) removeEventListener(type, listener, { capture: true });
  forget();
}

const LISTENERS: [string, (event: Event) => void][] = [
  ["pointerdown", trusted(onPointerDown)],
  ["pointerup", trusted(onPointerUp)],
  ["click", trusted(onClick)],
  ["auxclick", trusted(onClick)],
  ["click", noteChooser],
  ["mousedown", trusted(onMouseDown)],
  ["dragstart", trusted(onDragStart)],
  ["drop", trusted(onDrop)],
  ["focusin", trusted(onFocus)],
  ["focusout", trusted(onBlur)],
  ["keydown", trusted(onKeyDown)],
  ["keyup", trusted(() => {})], // the page has dealt with the key
  ["input", trusted(onInput)],
  ["change", trusted(onChange)],
  ["pointerover", trusted(noticeHost)],
  ["pagehide", (event) => onLeave(event as PageTransitionEvent)],
];

function onLeave(event: PageTransitionEvent): void {
  settleKey();
  if (event.persisted) leave(); // a blank one gives its window to the next, with all that is in it
}

/** What does not leave a shadow root, or not always, is heard there. */
const WITHIN: [string, (event: Event) => void][] = LISTENERS.filter(([type]) => ["focusin", "focusout", "change"].includes(type));

/** Only what a person did counts, and no failure of ours may reach the page. */
function trusted<E extends Event>(listener: (event: E, target: Element) => void): (event: Event) => void {
  return (event) => {
    const target = targetOf(event);
    if (!event.isTrusted || !(target instanceof Element)) return;
    try {
      settleKey();
      listener(event as E, target);
    } catch (error) {
      sendEvent({ type: "fault", during: event.type, message: error instanceof Error ? error.name : "unknown" });
    }
  };
}

// Presses

/** A pointer that moves more than this between down and up drags. */
const STILL_PX = 5;

/** The press that is on its way: described when it began, as the page may change under it. */
let press: Press | null = null;

interface Press {
  id: number;
  element: Element;
  target: Target;
  x: number;
  y: number;
  rect: DOMRect; // where the element stood
  events: Event[]; // by which the page may have taken the press for itself
}

let pressCount = 0;

function onPointerDown(event: PointerEvent, hit: Element): void {
  watchPath(event);
  const element = used(hit);
  press = { id: ++pressCount, element, target: tell(element, true), x: event.clientX, y: event.clientY, rect: element.getBoundingClientRect(), events: [event] };
  sendEvent({ type: "down", press: press.id, target: press.target, control: controlOf(element), ...pointer(event, element) });
  onEarly(hit, { press: press.id, x: event.clientX, y: event.clientY });
}

/** A press was told of as one on a host, whose root is known only now. */
function onInnerPress(early: Early, hit: Element): void {
  const element = used(hit);
  const field = fieldOf(hit);
  if (field && early.typed && !CHANGES.has(kindOf(field))) return tellValue(field, { press: early.press });
  if (field instanceof HTMLSelectElement && field.size > 1 || hit instanceof HTMLOptionElement) return tellChosen(hit.closest("select") as HTMLSelectElement, early.press);
  sendEvent({ type: "within", press: early.press, target: tell(element, true), control: controlOf(element), offset: offsetIn(element, early.x, early.y) });
}

function onPointerUp(event: PointerEvent): void {
  const moved = press !== null && Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL_PX;
  const meant = press && moved ? meantBy(press, event) : "nothing";
  sendEvent({ type: "up", press: press?.id ?? 0, moved: moved && meant !== "click" });
  if (press && meant === "drag") tellDrag(press, landing(press, event), event);
}

function onMouseDown(event: MouseEvent): void {
  press?.events.push(event);
}

/** The browser drags from here on: no pointer is told of any more, and a drop may come. */
function onDragStart(): void {
  if (press) sendEvent({ type: "up", press: press.id, moved: true });
}

/** Roles that are pressed, and seldom dragged. */
const PRESSED = new Set(["button", "checkbox", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "radio", "switch", "tab"]);

/**
 * What was meant by a press that moved. It was a drag where the page has taken it
 * for itself or an element has gone along with it; a hand that was not steady on a
 * button; or it selected text, which is nothing to play.
 */
function meantBy({ element, x, y, rect, events }: Press, event: PointerEvent): "drag" | "click" | "nothing" {
  if (fieldOf(element) || onScrollbar(element, rect, x, y)) return "nothing";
  const went = hasMoved(element);
  const hit = document.elementFromPoint(event.clientX, event.clientY);
  const held = isHeld(element, event.pointerId);
  if (PRESSED.has(roleOf(element)) && !went && !held && hit && element.contains(hit)) return "click";
  const taken = went || held || events.some((e) => e.defaultPrevented) || element.localName === "canvas" || getComputedStyle(element).userSelect === "none";
  return taken ? "drag" : "nothing";
}

function hasMoved(element: Element): boolean {
  if (!press || !element.isConnected) return false;
  const now = element.getBoundingClientRect();
  return Math.hypot(now.x - press.rect.x, now.y - press.rect.y) > STILL_PX;
}

function isHeld(element: Element, pointer: number): boolean {
  for (let at: Element | null = element; at; at = composedParent(at)) if (at.hasPointerCapture(pointer)) return true;
  return false;
}

function onScrollbar(element: Element, rect: DOMRect, x: number, y: number): boolean {
  return element.clientWidth > 0 && (x > rect.x + element.clientLeft + element.clientWidth || y > rect.y + element.clientTop + element.clientHeight);
}

/** What a dragged element was let go on: neither itself, where it has come along, nor a picture of it. */
function landing({ element, rect }: Press, event: PointerEvent): Element | undefined {
  const went = hasMoved(element);
  const isPicture = (el: Element) => {
    const { width, height } = el.getBoundingClientRect();
    return getComputedStyle(el).position === "fixed" && Math.abs(width - rect.width) < 2 && Math.abs(height - rect.height) < 2;
  };
  return document.elementsFromPoint(event.clientX, event.clientY).find((el) => !(went && element.contains(el)) && !isPicture(el));
}

function tellDrag(from: Press, hit: Element | undefined, event: MouseEvent): void {
  if (!hit) return;
  const to = used(hit);
  sendEvent({ type: "drag", press: from.id, target: tell(to, true), offset: offsetIn(to, event.clientX, event.clientY) });
}

function onClick(event: PointerEvent, hit: Element): void {
  const byKey = event.type === "click" && event.detail === 0;
  if (!byKey && press) {
    sendEvent({ type: "click", press: press.id, count: event.detail });
    return;
  }
  const element = used(hit);
  sendEvent({ type: "click", press: 0, byKey, target: tell(element, true), control: controlOf(element), count: event.detail, ...pointer(event, element) });
}

function controlOf(element: Element): number | undefined {
  return element instanceof HTMLLabelElement && element.control ? refOf(element.control) : undefined;
}

const INTERACTIVE = new Set([
  "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
]);

/** What a person means who presses here: the button, not the picture on it. */
function used(hit: Element): Element {
  for (let el: Element | null = hit; el; el = composedParent(el)) {
    if (INTERACTIVE.has(roleOf(el)) || el.localName === "label" || el.localName === "summary") return el;
    if ((el as HTMLElement).isContentEditable) return editingHost(el);
  }
  return hit;
}

function pointer(event: MouseEvent, element: Element): object {
  const offset = event.type === "pointerdown" ? offsetIn(element, event.clientX, event.clientY) : undefined;
  return { button: event.button, ...(offset ? { offset } : {}), ...modifiers(event) };
}

function offsetIn(element: Element, x: number, y: number): { x: number; y: number } | undefined {
  const rect = element.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0 ? { x: round((x - rect.x) / rect.width), y: round((y - rect.y) / rect.height) } : undefined;
}

function round(fraction: number): number {
  return Number.isFinite(fraction) ? Math.round(Math.min(Math.max(fraction, 0), 1) * 100) / 100 : 0.5;
}

function modifiers(event: MouseEvent | KeyboardEvent): { modifiers?: string[] } {
  const held = [event.altKey && "Alt", event.ctrlKey && "Control", event.metaKey && "Meta", event.shiftKey && "Shift"].filter((m) => m !== false);
  return held.length && !event.getModifierState("AltGraph") ? { modifiers: held } : {};
}

// Text

/** Secret fields of which it was told that something was typed: not how often, which would tell the length. */
let told = new WeakSet<Element>();
const sent = new WeakMap<Element, string>();

function onFocus(event: FocusEvent, target: Element): void {
  watchPath(event);
  hides(target);
  if (isField(target)) isSensitive(target); // noted before "show password" can change it
  told = new WeakSet();
}

function onBlur(_: FocusEvent, target: Element): void {
  const field = fieldOf(target);
  if (field) tellChanged(field);
}

function onInput(event: Event, target: Element): void {
  const field = fieldOf(target);
  if (field?.isContentEditable && event instanceof InputEvent && (BY_TOOL.test(event.inputType) || sent.get(field) === valueOf(field))) {
    if (sent.has(field)) sent.set(field, valueOf(field));
    return;
  }
  if (field && !CHANGES.has(kindOf(field))) tellValue(field);
  if (!field) onBlindInput(target);
}

/**
 * What the tools of an editor do (https://w3c.github.io/input-events/): the button or
 * the keys for it are a step, and do it again. No text is typed.
 */
const BY_TOOL = /^(?:format|insertHorizontalRule|insertOrderedList|insertUnorderedList|insertLink)/;

/** Something was typed where no field could be seen, and now there is one. */
function onInnerFocus(inner: Element): void {
  isSensitive(inner);
  const field = fieldOf(inner);
  if (field && !CHANGES.has(kindOf(field)) && valueOf(field) !== "") tellValue(field);
}

onReached({ press: onInnerPress, focus: onInnerFocus });

function tellValue(field: HTMLElement, more: { late?: boolean; press?: number } = {}): void {
  const value = valueOf(field);
  if (isSensitive(field) || repeatsSecret(value)) return tellSecret(field, value, more.press);
  sent.set(field, value);
  sendEvent({ type: "input", target: tell(field, false), value, keys: ownKeys.has(field) && !PICKED.has(kindOf(field)), ...more });
}

/** Tells what the page has made of what was typed: a mask, a format of its own. */
function tellChanged(field: HTMLElement): void {
  if (sent.has(field) && sent.get(field) !== valueOf(field)) tellValue(field, { late: true });
}

function tellSecret(field: HTMLElement, value: string, press?: number): void {
  remember(field, value);
  if (told.has(field)) return;
  told.add(field);
  sendEvent({ type: "input", target: tell(field, false), secret: true, ...(press ? { press } : {}) });
}

function isField(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

function fieldOf(el: Element): HTMLElement | null {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement) return el;
  return (el as HTMLElement).isContentEditable ? (editingHost(el) as HTMLElement) : null;
}

function editingHost(el: Element): Element {
  let host = el;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}

function valueOf(field: HTMLElement): string {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.innerText.replace(/\n$/, "");
}

// Choices

/** Kinds of control that are known by their change, not by what is typed. */
const CHANGES = new Set(["checkbox", "radio", "select", "file"]);

/** Kinds of field with a picker of the browser's own: their keys move within it, and write differently in each language. */
const PICKED = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);

function kindOf(field: Element): string {
  return field instanceof HTMLSelectElement ? "select" : field instanceof HTMLInputElement ? field.type : "text";
}

function onChange(_: Event, target: Element): void {
  const field = fieldOf(target);
  if (!field) return;
  if (field instanceof HTMLSelectElement) {
    tellChosen(field);
  } else if (kindOf(field) === "checkbox" || kindOf(field) === "radio") {
    sendEvent({ type: "check", target: tell(field, false), checked: (field as HTMLInputElement).checked });
  } else if (kindOf(field) === "file") {
    const { files, multiple } = field as HTMLInputElement;
    if (files?.length) tellFiles(field, files, { many: multiple, ...(choosing ? { press: choosing } : {}) });
    choosing = 0;
  } else {
    if (sent.has(field)) tellChanged(field);
    else tellValue(field);
  }
}

function tellChosen(field: HTMLSelectElement, press?: number): void {
  const values = [...field.selectedOptions].map((o) => o.value);
  sendEvent({ type: "select", target: tell(field, false), values, many: field.multiple, ...(press ? { press } : {}) });
}

// Files

/** The press at which the page itself had the browser ask for files. */
let choosing = 0;

function noteChooser(event: Event): void {
  const target = event.composedPath()[0];
  if (target instanceof HTMLInputElement && target.type === "file") choosing = event.isTrusted ? 0 : (press?.id ?? 0);
}

/** A field for files tells of its change itself; what else takes them has only the drop. */
function onDrop(event: DragEvent, hit: Element): void {
  const files = event.dataTransfer?.files;
  if (!files?.length && press && !fieldOf(hit)) tellDrag(press, hit, event); // what a field takes it tells itself
  if (!files?.length || (hit instanceof HTMLInputElement && hit.type === "file")) return;
  const element = used(hit);
  const offset = offsetIn(element, event.clientX, event.clientY);
  tellFiles(element, files, { many: files.length > 1, ...(offset ? { offset } : {}) });
}

/** Names of files alone: neither where they are nor what is in them. */
function tellFiles(el: Element, files: FileList, more: object): void {
  sendEvent({ type: "files", target: tell(el, true), values: [...files].map((file) => quote(file.name)), ...more });
}

// Keys

/** Keys that a field uses for itself while text is typed: the value tells what they did. */
const EDITING = new Set(["ArrowLeft", "ArrowRight", "Backspace", "Delete", "End", "Home", "Insert", "PageDown", "PageUp"]);
const NO_KEY = new Set(["Alt", "AltGraph", "CapsLock", "Control", "Dead", "Fn", "Meta", "NumLock", "Process", "ScrollLock", "Shift", "Unidentified"]);

function onKeyDown(event: KeyboardEvent, target: Element): void {
  const pressed = event.key as string | undefined; // a password manager's event has none
  if (!pressed || event.isComposing || NO_KEY.has(pressed)) return;
  const element = used(target);
  if (hides(target) && isText(event, pressed)) return;
  if (isTyping(event, element, pressed)) return typing(event, element as HTMLElement);
  sendEvent({ type: "key", key: pressed, target: isPage(element) ? undefined : tell(element, false), ...modifiers(event) });
}

/**
 * A page that takes the keys for itself writes into the field what it likes, and
 * no input event tells of it. What it wrote is looked at when it is done: when
 * the next event comes, or when the page has had time for it.
 */
function typing(event: KeyboardEvent, field: HTMLElement): void {
  lastKey = { event, field };
  setTimeout(settleKey);
}

let lastKey: { event: KeyboardEvent; field: HTMLElement } | null = null;

function settleKey(): void {
  const { event, field } = lastKey ?? {};
  lastKey = null;
  if (!event?.defaultPrevented || !field || !recording) return;
  ownKeys.add(field);
  if (sent.get(field) !== valueOf(field) && valueOf(field) !== "") tellValue(field);
}

/** Fields whose keys the page takes for itself. */
const ownKeys = new WeakSet<Element>();

function isTyping(event: KeyboardEvent, element: Element, pressed: string): boolean {
  if (!isTextEntry(element)) return false;
  if (isText(event, pressed)) return true;
  if (isCommand(event)) return false;
  if (pressed === "Enter") return takesLines(element);
  return (pressed === "ArrowUp" || pressed === "ArrowDown") && !isCombobox(element);
}

/** Whether a key writes or edits in whatever field has the focus. */
function isText(event: KeyboardEvent, pressed: string): boolean {
  if (isCommand(event)) return EDITING.has(pressed) || /^[acvxyz]$/i.test(pressed);
  return pressed.length === 1 || EDITING.has(pressed);
}

function isCommand(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
}

function isTextEntry(el: Element): boolean {
  if (el instanceof HTMLInputElement) return !CHANGES.has(el.type) && !["button", "image", "reset", "submit"].includes(el.type);
  return el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

function takesLines(el: Element): boolean {
  return el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

function isCombobox(el: Element): boolean {
  return roleOf(el) === "combobox" || el.hasAttribute("aria-autocomplete") || el.hasAttribute("list");
}

function isPage(el: Element): boolean {
  return el === document.body || el === document.documentElement;
}

// Elements

export function refOf(el: Element): number {
  let ref = refs.get(el);
  if (!ref) {
    refs.set(el, (ref = ++refCount));
    byRef.set(ref, new WeakRef(el));
  }
  return ref;
}

const byRef = new Map<number, WeakRef<Element>>();

/** The element of a number that was told, for the engine to look at. */
export function elementOf(ref: number): Element | null {
  return byRef.get(ref)?.deref() ?? null;
}

/** Elements that were described to the engine as they still are. */
const described = new WeakSet<Element>();

function tell(el: Element, anew: boolean): Target {
  const ref = refOf(el);
  if (described.has(el) && !anew) return { ref };
  described.add(el);
  return { ref, ...describe(el, key, testId), ...particulars(el) };
}

function particulars(el: Element): Partial<Target> {
  const field = fieldOf(el);
  const about = { tag: el.localName, role: roleOf(el), label: quote(nameOf(el)), visible: isVisible(el), consent: inConsent(el) };
  if (!field) return about;
  return {
    ...about,
    label: about.label || quote(labelsOf(field).map((l) => l.textContent).join(" ")),
    inputType: kindOf(field),
    autocomplete: autocompleteOf(field),
    field: [field.getAttribute("name") ?? "", field.id],
    secret: isSensitive(field),
    editable: isTextEntry(field),
    limits: limitsOf(field),
  };
}

/** A text of the page for people to read, unless it repeats a secret. */
function quote(text: string): string {
  return repeatsSecret(text) ? "" : normalize(text).slice(0, 120);
}

function limitsOf(field: HTMLElement): Record<string, string> {
  const limits: Record<string, string> = {};
  for (const name of ["maxlength", "minlength", "pattern", "min", "max"]) {
    const value = field.getAttribute(name);
    if (value) limits[name] = value;
  }
  return limits;
}
