// What is done in an editor of rich text, or in one that draws its text itself and takes the
// keys in a text area that no one sees. An editor of rich text that was empty, or of which all was
// selected, is filled as a whole: its text is the value. In any other, text is put in
// where the caret stands, and each stretch of it is a value of its own.

import { type Caret, caretAt, isAllSelected, isEmptyEditor } from "../dom/caret";

/** What is narrower or lower shows no text, in pixels. */
const UNREADABLE = 10;

/** Whether a field is an editor, or takes the keys for one: what it holds is not the text then. */
export function isEditor(field: HTMLElement): boolean {
  return field.isContentEditable || takesKeysFor(field);
}

/** Text areas that could not be seen when they got the focus: one that is hidden once it is left is none of them. */
const unseen = new WeakSet<Element>();

/** Whether it is the unseen text area of an editor, or of a terminal, that draws its text itself. */
export function takesKeysFor(field: HTMLElement): boolean {
  return unseen.has(field);
}

/** Notes what a field is like that gets the focus. */
export function noteFocused(field: Element): void {
  if (isUnseen(field)) unseen.add(field);
  else unseen.delete(field);
}

function isUnseen(field: Element): boolean {
  if (!(field instanceof HTMLTextAreaElement)) return false;
  return !field.checkVisibility({ opacityProperty: true }) || isTiny(field) || [field.parentElement, field.parentElement?.parentElement].some((box) => box && getComputedStyle(box).overflow !== "visible" && isTiny(box));
}

function isTiny(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  return width < UNREADABLE || height < UNREADABLE;
}

/** How an editor is being used. */
export interface Editing {
  field: HTMLElement;
  whole: boolean; // its text is the value
  run: number; // the stretch of text that is being typed
  at: Caret; // where that began
  text: string;
  open: boolean; // the stretch has begun, and the caret has not left its end
  fresh: boolean; // nothing was done yet since the caret was put there
  byTool: boolean; // a tool was used last: what is typed next may be marked by it
}

let editing: Editing | null = null;
let runs = 0;

/** The editor that is in use, if it is this one. */
export function editingIn(field: Element): Editing | null {
  return editing?.field === field ? editing : null;
}

/** Notes that text is about to be put into an editor, while it is as it was before. */
export function prepare(field: HTMLElement): Editing {
  const now = (editing = editingIn(field) ?? { field, whole: false, run: 0, at: "caret", text: "", open: false, fresh: true, byTool: false });
  if (now.whole || now.open) return now;
  if (!field.isContentEditable) return now;
  now.whole = !now.byTool && (isEmptyEditor(field) || isAllSelected(field));
  if (!now.whole) now.at = now.fresh ? caretAt(field) : "caret";
  return now;
}

/** Adds to the stretch of text that is being typed, or begins one. */
export function add(now: Editing, text: string): void {
  if (!now.open) {
    now.run = ++runs;
    now.text = "";
  }
  now.text += text;
  now.open = true;
  now.fresh = now.byTool = false;
}

/** Takes back the last character of the stretch that is being typed; false where there is none. */
export function takeBack(now: Editing): boolean {
  if (!now.open || now.text === "") return false;
  const graphemes = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(now.text)];
  now.text = graphemes.slice(0, -1).map((one) => one.segment).join("");
  return true;
}

/** Notes that a key has moved the caret, or selected something: that is a step. */
export function moved(field: Element): void {
  const now = editingIn(field);
  if (!now) return;
  now.open = now.byTool = false;
}

/** Notes that a key has changed something at the caret: that is a step. */
export function edited(field: HTMLElement, byTool: boolean): void {
  const now = prepare(field);
  Object.assign(now, { whole: false, open: false, fresh: false, byTool });
}

/** Notes a press: one in the editor puts the caret elsewhere, any other leaves the editor. */
export function pressedOn(field: Element | null): void {
  if (editing && !(field === editing.field && editing.whole)) editing = null;
}

/** Notes that something is done elsewhere. */
export function leaveEditor(): void {
  editing = null;
}
