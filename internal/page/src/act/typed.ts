// What was typed stays until its field is left. A page may take it away meanwhile: the answer to what was saved
// before draws the old value over it, or a dialog selects its text once it has come, so that the next key replaces
// that. A person sees it and types again.

import { isUnseen } from "../dom/caret";
import { composedContains, deepActiveElement, eachRoot, isVisible } from "../dom/elements";
import { roleOf } from "../dom/names";
import { targetOf } from "../dom/roots";
import { inNextTask } from "../dom/wait";

type TextField = HTMLInputElement | HTMLTextAreaElement;

interface Typed {
  field: TextField;
  before: string; // what it held
  value: string; // with what was typed, as the page has heard it
  at: number; // when that was, by performance.now
  kept: boolean; // the page let it differ from what it had been
  caret: number | null; // where the next key goes, once the page had its say
  keys: boolean; // keys are being pressed for it
  hears: boolean; // the page hears one
  leaves: boolean; // the page took the focus from it as it heard one
  over: boolean; // something was pressed since
}

let typed: Typed | null = null;

/** All fields into which something was typed, until a press has the page do something with it. */
const written = new Map<TextField, Typed>();

/** Follows what is typed into a field from now on; null for one that is not followed. */
export function followTyping(field: Element | null, keys = false): void {
  typed = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? { field, before: field.value, value: field.value, at: performance.now(), kept: false, caret: null, keys, hears: false, leaves: false, over: false } : null;
  if (typed && !isUnseen(typed.field)) written.set(typed.field, typed); // an editor takes the text out of one that is unseen
  for (const type of ENDS) addEventListener(type, onEnd, true);
  for (const [type, listener] of LISTENERS) (typed ? addEventListener : removeEventListener)(type, listener as EventListener, true);
}

/** A whole text was put in, and what listens to that has run: one that draws the old value with its next frame lets it be until then. */
export function typedAtOnce(): void {
  if (!typed) return;
  typed.value = typed.field.value;
  typed.at = performance.now();
  typed.kept ||= typed.value !== typed.before;
}

/** Types again what the page has put the old value in place of. The next key may go elsewhere. */
export function endTyping(): void {
  if (!typed) return;
  restore(typed);
  typed.caret = null;
  typed.keys = false;
}

/** The ends of presses and keys. */
const ENDS = ["click", "keyup"];

/** What a press or a key has made of what was typed is meant, and also later where it was no other field that was pressed. */
function onEnd(event: Event): void {
  if (!event.isTrusted) return;
  const writes = event instanceof KeyboardEvent && event.key.length === 1;
  const uses = event instanceof KeyboardEvent ? event.key === "Enter" : !isOfField(targetOf(event));
  const until = [...written.values()]; // a busy browser puts the timer off until more was typed
  setTimeout(() =>
    until.forEach((was) => {
      was.over ||= !writes;
      if (uses || isWiped(was)) forget(was);
      else was.value = was.field.value;
    }),
  );
}

function forget(was: Typed): void {
  if (written.get(was.field) === was) written.delete(was.field);
}

const OF_FIELD = "input:not([type=button],[type=image],[type=reset],[type=submit]),textarea,select,label,[contenteditable]";

function isOfField(at: EventTarget | undefined): boolean {
  return at instanceof Element && at.closest(OF_FIELD) !== null;
}

/** How long a page may take to open the list for what was typed, in ms: searches wait for the next key for about half a second. */
const SUGGESTS_MS = 700;

/** The field that has just been typed into, and has the focus still: a person has pressed it, which a replay does not. */
export function fieldInUse(): Element | null {
  return typed && composedContains(typed.field, deepActiveElement()) ? typed.field : null;
}

/** Leaves the field that has just been typed into, as a press elsewhere would: a page may draw what comes next by then. One that opens a list would close that. */
export function leaveField(): void {
  const field = fieldInUse();
  if (field instanceof HTMLElement && roleOf(field) !== "combobox" && !field.matches("[aria-autocomplete],[aria-haspopup],[aria-expanded]")) field.blur();
}

/** Whether the page may be about to show what fits what has just been typed, and nothing else any more. */
export function mayNarrow(): boolean {
  return typed !== null && typed.value !== "" && typed.value !== typed.before && performance.now() - typed.at < SUGGESTS_MS;
}

/** Keys that do one thing while a list is open, and another while it is not: Enter takes its item, or sends the form. */
const OF_LISTS = new Set(["Enter", "ArrowDown", "ArrowUp"]);

/** Whether a key would come before the list that opens for what has just been typed into a field. */
export function isTooSoon(key: string, field: Element): boolean {
  if (!typed || typed.field !== field || !OF_LISTS.has(key)) return false;
  return field.ariaExpanded === "false" && typed.value !== "" && typed.value !== typed.before && performance.now() - typed.at < SUGGESTS_MS;
}

/** Whether a field has gone, before anything was pressed, with what was typed into it: the page may have drawn another by then. */
export function hasLost(): boolean {
  const gone = [...written].filter(([field, was]) => !was.over && was.value !== "" && !isVisible(field));
  gone.forEach(([field]) => written.delete(field));
  return gone.some(([, was]) => !isHeld(was.value));
}

/** Whether a field holds a text, as one that the page has drawn again with all that was in it. */
function isHeld(text: string): boolean {
  let held = false;
  eachRoot(document, (root) => {
    held ||= [...root.querySelectorAll<TextField>("input,textarea")].some((field) => field.value === text && isVisible(field));
  });
  return held;
}

/** Whether a field, which can still be typed into, holds again what it did before. */
function isWiped({ field, before, value }: Typed): boolean {
  return value !== before && value !== "" && (field.value === "" || field.value === before) && !field.readOnly && !field.disabled && isVisible(field);
}

/**
 * Whether a field that was empty, and has the focus still, holds something else than what was typed: the page has come by what
 * it proposes there. One that writes the text otherwise, or completes it, keeps its letters and digits.
 */
function isReplaced({ field, before, value, over }: Typed): boolean {
  if (over || before !== "" || value === "" || field.value === "" || !composedContains(field, deepActiveElement())) return false;
  const [typed, holds] = [value, field.value].map((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")) as [string, string];
  return !holds.includes(typed) && !typed.includes(holds);
}

/** Lets the page have what was typed: it has sent something since, and may empty its fields when that is answered. */
export function forgetWritten(): void {
  written.clear();
}

/**
 * Types again into a field what the page has taken out of it without a press, as a form does that empties itself once its
 * dialog is open, or that has other text for the field by then, and returns the field; null where there is none.
 */
export function typeAgain(): TextField | null {
  for (const [field, was] of written) {
    if (!isWiped(was) && !isReplaced(was)) continue;
    written.delete(field); // a page that insists has its way
    field.focus({ preventScroll: true });
    retype(was);
    return field;
  }
  return null;
}

/**
 * Types the text once more that was typed last, where its field still has it and the focus: a page whose data had not come
 * by then has suggested nothing, and does not ask again.
 */
export function askAgain(): void {
  const was = typed;
  if (!was || was.over || was.value === "" || was.field.value !== was.value || was.field !== deepActiveElement()) return;
  was.over = true; // a page that insists has its way
  retype(was);
}

/** The last key of a text was pressed; what the page does about it in a timer of its own, it does before the next step. */
export async function keysPressed(text: string): Promise<void> {
  const was = typed;
  await new Promise((resolve) => setTimeout(resolve));
  if (!was) return;
  was.keys = false;
  if (!isCutShort(was, text)) return;
  was.value = text;
  was.field.focus({ preventScroll: true });
  retype(was);
}

/**
 * Whether a field holds no more than the beginning of a text, and the rest went where no text goes, as a dialog took the
 * focus meanwhile, or an editor in a frame; or no more than its end, as the page selected what was typed until then.
 */
function isCutShort({ field }: Typed, text: string): boolean {
  const holds = field.value;
  const active = deepActiveElement();
  if (holds === text || field.maxLength >= 0 || !isVisible(field)) return false;
  if (active?.localName === "iframe") return text.startsWith(holds); // an editor that has been drawn by now
  if (holds === "") return false;
  return composedContains(field, active) ? text.endsWith(holds) : text.startsWith(holds) && !active?.matches(TAKES_TEXT);
}

function restore(was: Typed): void {
  if (!was.kept || !was.before || was.field.value !== was.before || !composedContains(was.field, deepActiveElement())) return;
  was.kept = false; // a page that insists has its way
  retype(was);
}

/** Types a text in place of all that its field holds, which has the focus. */
function retype({ field, value }: Typed): void {
  field.select();
  document.execCommand("insertText", false, value);
}

function onBeforeInput(event: InputEvent): void {
  const was = typed;
  if (!was || !event.isTrusted || event.composedPath()[0] !== was.field || !event.data) return;
  restore(was);
  const { selectionStart: from, selectionEnd: to } = was.field;
  if (was.caret !== null && from !== null && from < was.caret && from !== to) was.field.setSelectionRange(was.caret, was.caret);
}

/** Keys that are no text may move the caret, and select. Keys that come in one burst run ahead of every timer. */
function onKeyDown(event: KeyboardEvent): void {
  const was = typed;
  if (!was || !event.isTrusted) return;
  if (was.keys && event.key.length === 1 && !event.ctrlKey && !event.metaKey) bringBack(was, event);
  was.hears = true;
  // Before the timers that the page had set until then, which a burst of keys runs ahead of.
  void inNextTask(() => (was.hears = false));
  was.kept ||= was.field.value !== was.before;
  if (event.key.length > 1 || event.ctrlKey || event.metaKey) was.caret = null;
}

/** What a key that writes something may be meant for. */
const TAKES_TEXT = "input:not([type=button],[type=checkbox],[type=image],[type=radio],[type=reset],[type=submit]),textarea,select,iframe,[contenteditable]:not([contenteditable=false])";

/**
 * Puts a key into the field where the page has given the focus to what takes no text since the key before, as a dialog
 * does once it is open. One that does so as it hears a key wants the next one there.
 */
function bringBack(was: Typed, event: KeyboardEvent): void {
  const active = deepActiveElement();
  if (was.leaves || !was.field.isConnected || composedContains(was.field, active) || active?.matches(TAKES_TEXT)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  was.field.focus({ preventScroll: true });
  document.execCommand("insertText", false, event.key);
}

function onFocusOut(event: FocusEvent): void {
  if (typed?.hears && event.composedPath()[0] === typed.field) typed.leaves = true;
}

function onInput(event: Event): void {
  const was = typed;
  if (!was || !event.isTrusted || event.composedPath()[0] !== was.field) return;
  was.value = was.field.value;
  was.at = performance.now();
  was.caret = null;
  setTimeout(() => {
    was.kept ||= was.field.value !== was.before;
    was.caret = was.field.selectionEnd;
  });
}

const LISTENERS = [["beforeinput", onBeforeInput], ["keydown", onKeyDown], ["input", onInput], ["focusout", onFocusOut]] as const;
