// What the user types and chooses: the value of a field each time that it has changed, and
// of a secret only that there is one; options, ticks and files; and the keys that do
// something of their own.

import { tell } from "../describe/describe";
import { forgetHeld, noteHeld } from "../describe/texts";
import { used } from "../describe/used";
import type { Caret } from "../dom/caret";
import { CHANGES, deepActiveElement, fieldOf, isField, isTextEntry, isVisible, kindOf, PICKED, shadowOf, takesLines, valueOf, wordsOf } from "../dom/elements";
import { roleOf } from "../dom/names";
import { hadNone } from "../dom/roots";
import { sendEvent } from "../dom/wire";
import { format, queryPath } from "../locate/selector";
import { enterSet } from "../locate/sets";
import { isSensitive, quote, remember, repeatsSecret, spread, spreadSoon } from "../secret/secrets";
import { add, type Editing, edited, editingIn, isEditor, leaveEditor, moved, nextRun, noteFocused, prepare, takeBack, takenWord, takesKeysFor, withoutLast, writtenIn } from "./editor";
import { numbered, numberOf } from "./numbers";
import { hides, onBlindInput, watchPath } from "./shadow";
import { pressOfBox } from "./toggles";

/** Secret fields of which it was told that something was typed: not how often, which would tell the length. */
let toldSecrets = new WeakSet<Element>();
const sent = new WeakMap<Element, string>();

/** Fields of which anything was told. */
const toldFields = new WeakSet<Element>();

/** Fields that a script has told the page of, as if someone had typed. */
const toldOf = new WeakSet<Element>();

export function noteToldOf(event: Event): void {
  const [target] = event.composedPath();
  if (!event.isTrusted && target instanceof HTMLInputElement) toldOf.add(target);
}

// A password manager may have done so before the recording of a document begins.
for (const type of ["input", "change"]) addEventListener(type, noteToldOf, { capture: true, passive: true });

/**
 * Reports what a password manager has put into the fields around what is about to be
 * used: it speaks to the page alone, and no event of the browser reports it. What the
 * page itself has put there is the page's, and it tells itself of nothing.
 */
export function tellFilled(near: Element): void {
  const around = near.closest("form") ?? (near.getRootNode() as Document | ShadowRoot);
  const fields = [...around.querySelectorAll("input")].filter((field) => FILLED.has(field.type) && !toldFields.has(field) && field.value !== "" && !field.readOnly && !field.disabled);
  const passwords = fields.filter((field) => field.type === "password");
  if (!passwords.length) return;
  for (const field of passwords) if (isFilled(field) || !WORD.test(field.value)) remember(field, field.value);
  if (passwords.some(isFilled)) for (const field of fields) if (isFilled(field) && isVisible(field)) tellValue(field);
  spread();
}

function isFilled(field: Element): boolean {
  return toldOf.has(field) || field.matches(":autofill");
}

/** What a page puts into a field for a password before there is one, and says elsewhere as well: "user", "pass". */
const WORD = /^\p{L}{1,5}$/u;

/** Types of field that password managers fill. */
const FILLED = new Set(["email", "password", "tel", "text"]);

export function onFocus(event: FocusEvent, target: Element): void {
  watchPath(event);
  hides(target);
  enterSet(target);
  if (isField(target)) {
    isSensitive(target); // noted before "show password" can change it
    noteFocused(target);
    noteHeld(target as HTMLElement);
    entered.add(target);
  }
  toldSecrets = new WeakSet();
}

export function onBlur(_: FocusEvent, target: Element): void {
  const field = fieldOf(target);
  if (!field) return;
  tellChanged(field);
  forgetHeld(field);
  if (field !== deepActiveElement()) begun.delete(field); // else the window is left, and not the field
  if (toldFields.has(field) && isSensitive(field) && valueOf(field) !== "") remember(field, valueOf(field)); // the page may have written it in another way
}

export function onInput(event: Event, target: Element): void {
  const field = fieldOf(target);
  if (field && isEditor(field) && !isSensitive(field)) return onEdited(event, field);
  if (field && !CHANGES.has(kindOf(field))) tellValue(field);
  if (!field) onBlindInput(target);
}

/**
 * What the tools of an editor do (https://w3c.github.io/input-events/): the button or
 * the keys for it are a step, and do it again. No text is typed.
 */
const BY_TOOL = /^(?:format|insertHorizontalRule|insertOrderedList|insertUnorderedList|insertLink)/;

/** An editor has changed: what is put in at the caret was told before, as scripts change an editor as well. */
function onEdited(event: Event, field: HTMLElement): void {
  const isTool = event instanceof InputEvent && BY_TOOL.test(event.inputType);
  if (!editingIn(field)?.whole || (lastKey && isEnter(lastKey))) return;
  if (isTool || sent.get(field) === valueOf(field)) {
    if (sent.has(field)) sent.set(field, valueOf(field));
    return;
  }
  tellValue(field);
}

/** The editor that an event is in, unless it is one for secrets: of these only that something was typed is told. */
function editorOf(target: Element): HTMLElement | null {
  const field = fieldOf(target);
  return field && isEditor(field) && !isSensitive(field) ? field : null;
}

export function onBeforeInput(event: InputEvent, target: Element): void {
  const field = editorOf(target);
  if (!field) {
    noteTaken(target);
    return noteBegun(target);
  }
  if (!event.inputType.startsWith("insert") || BY_TOOL.test(event.inputType)) return;
  const isLine = LINE.test(event.inputType);
  if (isLine && editingIn(field)?.whole === false) return; // the key was told
  const editing = prepare(field);
  typing(event, field);
  const text = isLine ? "\n" : PUT_IN.has(event.inputType) && !pasted ? (event.data ?? event.dataTransfer?.getData("text/plain")) : null;
  if (editing.whole) editing.typed += text ?? "";
  else if (text) put(editing, text);
  pasted = false;
}

/**
 * How often the page has taken out what was typed into a field, to go on from there, as with each tag of a list of them, or
 * has put in something else before it was entered again, as a dialog does that is used for one thing and for another.
 */
const taken = new WeakMap<Element, number>();
const entered = new WeakSet<Element>();

/** The form whose button was pressed last, and nothing after it but its fields. */
let submitted: HTMLFormElement | null = null;
/** Fields that the form was not sent for, as their value is none. */
const refused = new WeakSet<Element>();

/** How many presses there were. */
let presses = 0;

export function notePress(): void {
  presses++;
}

/** Notes what a press sends. */
export function noteSubmit(hit: Element): void {
  const button = hit.closest<HTMLButtonElement | HTMLInputElement>("button,input[type=submit],input[type=image]");
  if (button) submitted = /^(?:submit|image)$/.test(button.type) ? button.form : null;
  else if (!fieldOf(hit)) submitted = null;
}

function noteTaken(target: Element): void {
  const field = fieldOf(target);
  if (!field) return;
  if (submitted && field instanceof HTMLInputElement && field.form === submitted && field.value !== "" && (!field.validity.valid || field.ariaInvalid === "true")) refused.add(field);
  submitted = null;
  const isFirst = entered.delete(field);
  const isOther = valueOf(field) === "" || isFirst && valueOf(field) !== sent.get(field);
  if (sent.get(field) && isOther) taken.set(field, (taken.get(field) ?? 0) + 1);
}

/** What a text area held as someone began to type there, after so many presses, and the number of that stretch of text. */
const begun = new WeakMap<Element, { before: string; run: number; after: number; goesOn?: true }>();

/** A stretch goes on after what a press has written, as a name that was chosen. */
function noteBegun(target: Element): void {
  if (!(target instanceof HTMLTextAreaElement)) return;
  const stretch = begun.get(target);
  const isWritten = stretch && stretch.after !== presses && target.value !== sent.get(target);
  if (!stretch || isWritten) begun.set(target, { before: target.value, run: nextRun(), after: presses, ...(isWritten && target.selectionStart === target.value.length ? { goesOn: true } : {}) });
}

/** The lines that were put before or after those that a text area had, which are others for another account; all that it holds otherwise. */
function typedIn(field: HTMLElement): { value: string; at?: Caret; run?: number } {
  const value = field.isContentEditable ? writtenIn(field) : valueOf(field);
  const stretch = begun.get(field);
  if (!stretch?.before.trim()) return { value };
  const { before, run, goesOn } = stretch;
  const [last, first] = [value.slice(before.length), value.slice(0, -before.length)];
  if (last && value.startsWith(before) && (goesOn || (before + last[0]).includes("\n", before.length - 1))) return { value: last, at: "end", run };
  if (first && value.endsWith(before) && (first.at(-1) + before).slice(0, 2).includes("\n")) return { value: first, at: "start", run };
  return { value, run };
}

/** What a key or a clipboard puts in; an input method tells at its end what it is. */
const PUT_IN = new Set(["insertText", "insertFromPaste", "insertFromYank", "insertFromDrop"]);
const LINE = /^insert(?:Paragraph|LineBreak)$/;

export function onCompositionStart(_: Event, target: Element): void {
  const field = editorOf(target);
  if (field) prepare(field);
}

export function onCompositionEnd(event: CompositionEvent, target: Element): void {
  const field = editorOf(target);
  const editing = field && editingIn(field);
  if (editing?.whole) editing.typed += event.data;
  else if (editing && event.data) put(editing, event.data);
}

let pasted = false;

/** Many editors read the clipboard themselves, and no input comes of it. */
export function onPaste(event: ClipboardEvent, target: Element): void {
  const field = editorOf(target);
  if (!field) return;
  const editing = prepare(field);
  typing(event, field);
  const text = event.clipboardData?.getData("text/plain");
  if (editing.whole || !text) return;
  put(editing, text);
  pasted = true;
}

function put(editing: Editing, text: string): void {
  add(editing, text);
  tellStretch(editing);
}

/** Reports what was put in where the caret stood. */
function tellStretch(editing: Editing): void {
  const { field, run, at, text } = editing;
  toldFields.add(field);
  sent.delete(field); // what it holds as a whole is not what was typed
  if (repeatsSecret(text)) return tellSecret(field, valueOf(field));
  sendEvent({ type: "input", target: tell(field, false), value: text, at, run, keys: ownKeys.has(field) });
}

/** Something was typed where no field could be seen, and now there is one. */
export function onInnerFocus(inner: Element): void {
  isSensitive(inner);
  const field = fieldOf(inner);
  if (field && !CHANGES.has(kindOf(field)) && valueOf(field) !== "") tellValue(field);
}

/** Fields whose keys the page takes for itself. */
const ownKeys = new WeakSet<Element>();

/** Reports what a page that takes the keys of a field for itself has written there, by a key or another event. */
function tellOwn(field: HTMLElement, event: Event): void {
  ownKeys.add(field);
  const editing = editingIn(field);
  if (editing?.whole && event instanceof KeyboardEvent) editing.typed += event.key === "Enter" ? "\n" : event.key.length === 1 ? event.key : "";
  if (sent.get(field) !== valueOf(field) && valueOf(field) !== "") tellValue(field);
}

/**
 * Reports what a field holds that is left, unless that was reported already. What was
 * typed before the listeners were there has come before what the field is left by.
 */
function tellLeft(field: HTMLElement): void {
  if (isEditor(field)) return;
  if (sent.has(field)) tellChanged(field);
  else tellValue(field, { late: true });
}

export function tellValue(field: HTMLElement, more: { late?: boolean; press?: number } = {}): void {
  const held = valueOf(field);
  toldFields.add(field);
  if (isSensitive(field) || repeatsSecret(held)) return tellSecret(field, held, more.press);
  sent.set(field, held);
  const run = taken.get(field);
  sendEvent({ type: "input", target: tell(field, false), ...typedIn(field), keys: ownKeys.has(field) && !PICKED.has(kindOf(field)), ...(run ? { run } : {}), ...(refused.delete(field) ? { refused: true } : {}), ...more });
}

/** Whether what a field holds was told of. */
export function isTold(field: HTMLElement): boolean {
  return sent.get(field) === valueOf(field);
}

/** Reports a word that the last press has taken out of an editor. */
export function tellTaken(): void {
  const taken = takenWord();
  if (!taken || isSensitive(taken.field) || repeatsSecret(taken.before + taken.word)) return;
  const { field, before, word, run, press } = taken;
  sent.set(field, valueOf(field));
  sendEvent({ type: "taken", press, target: tell(field, false), value: before, values: [word], run });
}

/** Reports what the page has made of what was typed: a mask, a format of its own; what it has taken out was typed all the same. */
function tellChanged(field: HTMLElement): void {
  if (sent.has(field) && sent.get(field) !== valueOf(field) && valueOf(field) !== "") tellValue(field, { late: true });
}

function tellSecret(field: HTMLElement, value: string, press?: number): void {
  remember(field, value);
  spreadSoon();
  if (toldSecrets.has(field)) return;
  toldSecrets.add(field);
  sendEvent({ type: "input", target: tell(field, false), secret: true, ...(press ? { press } : {}) });
}

/** What a press has made of a box, before the page hears of it: some put the box back, and set it when their server has answered. */
const toggled = new WeakMap<HTMLInputElement, boolean>();

export function noteToggled(event: Event): void {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLInputElement)) return;
  toggled.set(target, target.checked);
  setTimeout(() => toggled.delete(target)); // its change is told within the click
}

export function onChange(_: Event, target: Element): void {
  const field = fieldOf(target);
  if (!field) return;
  if (field instanceof HTMLSelectElement) {
    tellChosen(field);
  } else if (kindOf(field) === "checkbox" || kindOf(field) === "radio") {
    const box = field as HTMLInputElement;
    sendEvent({ type: "check", ...pressOfBox(box), target: tell(field, false), checked: toggled.get(box) ?? box.checked });
  } else if (kindOf(field) === "file") {
    const { files, multiple } = field as HTMLInputElement;
    if (files?.length) tellFiles(field, files, { many: multiple, ...(choosing ? { press: choosing } : {}) });
    choosing = 0;
  } else {
    tellLeft(field);
  }
}

export function tellChosen(field: HTMLSelectElement, press?: number): void {
  const values = [...field.selectedOptions].map((o) => wordsOf(o, field));
  const chosen = values.some(repeatsSecret) ? { secret: true } : { values };
  sendEvent({ type: "select", target: tell(field, false), ...chosen, many: field.multiple, ...(press ? { press } : {}) });
}

/** The press at which the page itself had the browser ask for files. */
let choosing = 0;

export function noteChooser(event: Event, press: number): void {
  const target = event.composedPath()[0];
  if (target instanceof HTMLInputElement && target.type === "file") choosing = event.isTrusted ? 0 : press;
}

/** Names of files alone: neither where they are nor what is in them. */
export function tellFiles(el: Element, files: FileList, more: object): void {
  sendEvent({ type: "files", target: tell(el, true), values: [...files].map((file) => quote(file.name)), ...more });
}

/** Keys that a field uses for itself while text is typed: the value tells what they did. */
const EDITING = new Set(["ArrowLeft", "ArrowRight", "Backspace", "Delete", "End", "Home", "Insert", "PageDown", "PageUp"]);
const NO_KEY = new Set(["Alt", "AltGraph", "CapsLock", "Control", "Dead", "Fn", "Meta", "NumLock", "Process", "ScrollLock", "Shift", "Unidentified"]);

export function onKeyDown(event: KeyboardEvent, target: Element): void {
  const pressed = event.key as string | undefined; // a password manager's event has none
  if (!pressed || event.isComposing || NO_KEY.has(pressed)) return;
  const element = used(target);
  numbered(event, isField(element) ? element : null);
  if (element instanceof HTMLSelectElement && isText(event, pressed)) return; // a list goes to what is typed ahead
  if (hides(target) && isText(event, pressed)) {
    unsure.push({ event, target, element });
    setTimeout(tellUnsure, ASKED_MS);
    return;
  }
  if (pressed === "Enter" && isField(element)) tellFilled(element);
  const editor = editorOf(element);
  if (!editor) leaveEditor();
  else if (onEditorKey(event, editor, pressed)) return;
  if (isCharacter(event)) character = { event, from: element };
  if (isTyping(event, element, pressed)) return typing(event, element as HTMLElement);
  tellKey(event, element);
}

/** How long it may take to know whether an element hides a field from the page, and how often that is looked at, in ms. */
const KNOWN_MS = 1000;
const ASKED_MS = 50;

/** Keys on what may hide a field, into which they would write. */
let unsure: { event: KeyboardEvent; target: Element; element: Element }[] = [];

/** Whether it is still to be known of a key whether it is reported. */
export function isUnsure(): boolean {
  return unsure.length > 0;
}

/** Reports those that were pressed on what hides none: they are keys that the page listens to, as Delete in a list. As another key or press comes, it is known or never. */
function tellUnsure(isLast = false): void {
  const keys = unsure;
  unsure = [];
  for (const one of keys) {
    if (!shadowOf(one.target) && hadNone(one.target) && !hides(one.target)) tellKey(one.event, one.element);
    else if (!isLast && !shadowOf(one.target) && !hadNone(one.target) && performance.now() - one.event.timeStamp < KNOWN_MS) unsure.push(one);
  }
  if (unsure.length) setTimeout(tellUnsure, ASKED_MS);
}

function isCharacter(event: KeyboardEvent): boolean {
  return event.key.length === 1 && !isCommand(event);
}

/** A character that was pressed, and where the focus was then. */
let character: { event: KeyboardEvent; from: Element } | null = null;

/**
 * Looks whether a character has opened a field where none was, as a cell of a grid becomes one: the key is a
 * step then, also where an unseen field took it, and its character is the first of what the field holds.
 */
function settleOpened(next: Event): void {
  if (!character || next.type.startsWith("focus")) return;
  const { event, from } = character;
  character = null;
  const field = fieldOf(deepActiveElement() ?? from);
  if (!field || field === from || !isTextEntry(field) || isEditor(field) || isSensitive(field)) return;
  const holds = valueOf(field) === event.key;
  if (!holds && !(next.type === "beforeinput" && next.composedPath()[0] === field)) return;
  if (isField(from)) tellKey(event, document.body);
  if (holds) tellValue(field);
}

/** A key may be prevented only once it is a character: an Enter in a text area, or a digit that the page writes itself. */
export function onKeyPress(event: KeyboardEvent): void {
  const field = event.composedPath()[0];
  if (!event.isTrusted) return;
  if (field instanceof HTMLTextAreaElement && event.key === "Enter") typing(event, field);
  if (!lastKey || lastKey.field !== field || event.key.length !== 1) return;
  lastKey.event = event;
  setTimeout(() => settleKey());
}

/** The option of a list that a key chooses from a field which has the focus all along. */
function chosenBy(event: KeyboardEvent, field: Element): Element | null {
  if (event.key !== "Enter" || isCommand(event)) return null;
  const option = field.ariaActiveDescendantElement;
  return option && roleOf(option) === "option" && isVisible(option) ? option : suggestedBy(field);
}

/** What an arrow key has put into a field last: the words of a suggestion, as it seems. */
let arrowed: { field: HTMLElement; value: string } | null = null;

/** The suggestion whose words an arrow key has put into a field: the nearest to that which says them. */
function suggestedBy(field: Element): Element | null {
  if (arrowed?.field !== field || valueOf(arrowed.field) !== arrowed.value || isSensitive(field)) return null;
  const said = queryPath([format("text", arrowed.value)], document).filter((el) => isVisible(el) && field.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING); // before it stands what was said, as in a terminal
  for (let box = field.parentElement; box; box = box.parentElement) {
    const near = said.find((el) => box?.contains(el));
    if (near) return used(near);
  }
  return null;
}

function tellKey(event: KeyboardEvent, element: Element, atCaret = false): void {
  const option = chosenBy(event, element);
  if (option) { // which it is, and not its place in the list
    sendEvent({ type: "click", press: 0, target: tell(option, true), count: 1 });
    return;
  }
  sendEvent({ type: "key", key: event.key, press: numberOf(event), target: isPage(element) && !isEditor(element as HTMLElement) ? undefined : tell(element, false), ...(atCaret ? { at: "caret" satisfies Caret } : {}), ...modifiers(event) });
}

/** Reports that all of an editor is selected, by the keys for that. */
export function tellSelectAll(editor: HTMLElement): void {
  sendEvent({ type: "key", key: "a", modifiers: [OPTION_WRITES ? "Meta" : "Control"], target: tell(editor, false), at: "caret" satisfies Caret });
}

/** Deals with a key in an editor; false for one that does there what it does elsewhere. */
function onEditorKey(event: KeyboardEvent, field: HTMLElement, pressed: string): boolean {
  pasted = false;
  const command = isCommand(event);
  if (!command && pressed.length === 1 || command && /^[cv]$/i.test(pressed)) {
    if (!command) prepare(field);
    typing(event, field);
  } else if (MOVES.has(pressed) || command && /^a$/i.test(pressed)) {
    moved(field);
    tellKey(event, field, true);
  } else if (EDITS.has(pressed) || command && /^[xyz]$/i.test(pressed)) {
    const editing = prepare(field);
    if (editing.whole) {
      if (pressed === "Backspace" && !command) editing.typed = withoutLast(editing.typed);
      typing(event, field);
    } else if (pressed === "Enter" && !command && editing.open && takesKeysFor(field)) put(editing, "\n");
    else if (pressed === "Backspace" && !command && takeBack(editing)) tellStretch(editing);
    else keyAtCaret(event, editing);
  } else if (command && pressed.length === 1) {
    const editing = prepare(field);
    if (!editing.whole) tellPlace(editing);
    edited(field, true);
    return false;
  } else {
    leaveEditor();
    return false;
  }
  return true;
}

/** Keys that move the caret in an editor or, with Shift, select. */
const MOVES = new Set(["ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "End", "Home", "PageDown", "PageUp"]);
const EDITS = new Set(["Backspace", "Delete", "Enter"]);

/** Reports a key that changes something where the caret stands. */
function keyAtCaret(event: KeyboardEvent, editing: Editing): void {
  tellPlace(editing);
  edited(editing.field, false);
  tellKey(event, editing.field, true);
}

/** Reports where the caret was put by whatever means, before something other than text is done there. */
function tellPlace(editing: Editing): void {
  if (editing.fresh && editing.at !== "caret") put(editing, "");
}

/**
 * A page that takes the keys for itself writes into the field what it likes, and
 * no input event tells of it. What it wrote is looked at when it is done: when
 * the next event comes, or when the page has had time for it.
 */
function typing(event: Event, field: HTMLElement): void {
  lastKey = { event, field, before: valueOf(field), all: field.textContent };
  setTimeout(() => settleKey());
}

/** A key, or another event by which something is typed, that is still to be looked at. */
interface Typing {
  event: Event;
  field: HTMLElement;
  before: string; // what the field held
  all: string; // with spaces that do not show
}

let lastKey: Typing | null = null;

export function settleKey(next?: Event): void {
  if (next?.type.endsWith("down")) tellUnsure(true);
  if (next) settleOpened(next);
  if (next?.type === "keyup" && line) setTimeout(tellLine, TAKEN_MS);
  if (line && next && !LINE_COMES.has(next.type)) {
    settleLine(line);
    line = null;
  }
  if (!lastKey) return;
  const { event, field, before, all } = lastKey;
  if (isEnter(lastKey)) return settleEnter(lastKey, next);
  const isKey = event instanceof KeyboardEvent && event.key.length === 1;
  if (isKey && !event.defaultPrevented && !next) return; // its character is on its way
  lastKey = null;
  const written = isKey && field.isContentEditable && next?.type !== "beforeinput" && field.textContent !== all; // by the page, as the key was pressed
  if (!event.defaultPrevented && !written) return;
  const editing = editingIn(field);
  if (isKeyOfLists(event) && valueOf(field) !== before && /\p{L}/u.test(valueOf(field))) arrowed = { field, value: valueOf(field) };
  if (!editing || editing.whole) return takes(event, field, before) ? tellKey(event as KeyboardEvent, field) : tellOwn(field, event);
  if (event instanceof KeyboardEvent && valueOf(field) !== before) {
    ownKeys.add(field);
    put(editing, event.key);
  }
}

function isKeyOfLists(event: Event): boolean {
  return event instanceof KeyboardEvent && (event.key === "ArrowUp" || event.key === "ArrowDown");
}

/** Whether a key that the page has prevented did something else than to write: it sent a message, or made a tag of what was typed. */
function takes(event: Event, field: HTMLElement, before: string): boolean {
  if (!(event instanceof KeyboardEvent) || isCommand(event)) return false;
  const value = valueOf(field);
  return event.key === "Enter" ? linesOf(value) <= linesOf(before) : value === "" && before !== "" && event.key.length === 1;
}

/** Whether it is an Enter in an editor: a line of the text, or what a page takes for sending or choosing. */
function isEnter({ event, field }: Typing): boolean {
  return field.isContentEditable && event instanceof KeyboardEvent && event.key === "Enter";
}

/** Tells a line of the text from a key that the page, or the one in charge of a list of suggestions, has taken. */
function settleEnter({ event, field, before }: Typing, next?: Event): void {
  if (event.eventPhase !== Event.NONE || !event.defaultPrevented && !next) return; // it is on its way
  lastKey = null;
  if (!event.defaultPrevented && next?.type === "beforeinput") {
    line = { event, field, before, all: "" };
    return;
  }
  if (event.defaultPrevented && linesOf(valueOf(field)) > linesOf(before)) return tellOwn(field, event);
  edited(field, false);
  tellKey(event as KeyboardEvent, field);
}

/** An Enter that has put a line into an editor. */
let line: Typing | null = null;

/** While these come the page may be about to take it, as it does at the latest so many ms after the key has come up. */
const LINE_COMES = new Set(["beforeinput", "input", "keypress", "keyup"]);
const TAKEN_MS = 150;

/** Tells what has become of it by now, as far as that can be told. */
export function tellLine(): void {
  if (line) settleLine(line);
}

/** Tells an Enter whose line the page has taken out again with all before it: it has made a tag of that, or sent it. */
function settleLine({ event, field, before }: Typing): void {
  const editing = editingIn(field);
  if (!editing?.whole || !editing.typed.endsWith("\n") || !before.trim() || valueOf(field).includes(before.trim())) return;
  line = null;
  if (!repeatsSecret(editing.typed)) sendEvent({ type: "input", target: tell(field, false), value: editing.typed.trimEnd(), keys: ownKeys.has(field) });
  sent.delete(field);
  edited(field, false);
  tellKey(event as KeyboardEvent, field);
}

function linesOf(text: string): number {
  return text.split("\n").length;
}

/** Forgets a key that is still to be looked at. */
export function dropKey(): void {
  lastKey = null;
}

function isTyping(event: KeyboardEvent, element: Element, pressed: string): boolean {
  if (!isTextEntry(element)) return false;
  if (isText(event, pressed)) return true;
  if (isCommand(event)) return false;
  if (pressed === "Enter") return takesLines(element);
  return isKeyOfLists(event) && !isCombobox(element);
}

/** Whether a key writes or edits in whatever field has the focus. */
function isText(event: KeyboardEvent, pressed: string): boolean {
  if (isCommand(event)) return EDITING.has(pressed) || /^[acvxyz]$/i.test(pressed);
  return pressed.length === 1 || EDITING.has(pressed);
}

function isCommand(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey || event.altKey && !OPTION_WRITES) && !event.getModifierState("AltGraph");
}

/** On a Mac the key that is called Alt elsewhere writes characters, as AltGraph does. */
const OPTION_WRITES = navigator.platform.startsWith("Mac");

function isPage(el: Element): boolean {
  return el === document.body || el === document.documentElement;
}

export function modifiers(event: MouseEvent | KeyboardEvent): { modifiers?: string[] } {
  const held = [event.altKey && "Alt", event.ctrlKey && "Control", event.metaKey && "Meta", event.shiftKey && "Shift"].filter((m) => m !== false);
  return held.length && !event.getModifierState("AltGraph") ? { modifiers: held } : {};
}

function isCombobox(el: Element): boolean {
  return roleOf(el) === "combobox" || el.matches('[aria-autocomplete],[aria-haspopup="listbox"],[list]');
}
