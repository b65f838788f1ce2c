// What is done in an editor of rich text, or in one that draws its text itself and takes the
// keys in a text area that no one sees. An editor of rich text that was empty, or of which all was
// selected, is filled as a whole: its text is the value. In any other, text is put in
// where the caret stands, and each stretch of it is a value of its own.

import { type Caret, caretAt, isAllSelected, isEmptyEditor, isUnseen } from "../dom/caret";
import { hasEditContext, valueOf } from "../dom/elements";

/** Whether a field is an editor, or takes the keys for one: what it holds is not the text then. */
export function isEditor(field: HTMLElement): boolean {
  return field.isContentEditable || takesKeysFor(field);
}

/** Text areas that could not be seen when they got the focus: one that is hidden once it is left is none of them. */
const unseen = new WeakSet<Element>();

/** Whether it takes the keys for an editor, or a terminal, that draws its text itself: by an unseen text area, or by what browsers have for that. */
export function takesKeysFor(field: HTMLElement): boolean {
  return unseen.has(field) || hasEditContext(field);
}

/** Notes what a field is like that gets the focus. */
export function noteFocused(field: Element): void {
  if (isUnseen(field)) unseen.add(field);
  else unseen.delete(field);
}

/** How an editor is being used. */
export interface Editing {
  field: HTMLElement;
  whole: boolean; // its text is the value
  typed: string; // as a whole, key by key
  run: number; // the stretch of text that is being typed
  at: Caret; // where that began
  text: string;
  open: boolean; // the stretch has begun, and the caret has not left its end
  fresh: boolean; // nothing was done yet since the caret was put there
  byTool: boolean; // a tool was used last: what is typed next may be marked by it
}

let editing: Editing | null = null;
let runs = 0;

/** The number of another stretch of text that is typed into a field that holds some. */
export function nextRun(): number {
  return ++runs;
}

/** The editor that is in use, if it is this one. */
export function editingIn(field: Element): Editing | null {
  return editing?.field === field ? editing : null;
}

/** Notes that text is about to be put into an editor, while it is as it was before. */
export function prepare(field: HTMLElement): Editing {
  const now = (editing = editingIn(field) ?? { field, whole: false, typed: "", run: 0, at: "caret", text: "", open: false, fresh: true, byTool: false });
  if (now.whole || now.open) return now;
  if (!field.isContentEditable) return now;
  now.whole = !now.byTool && (isEmptyEditor(field) || isAllSelected(field));
  if (now.whole) now.typed = "";
  else now.at = now.fresh ? caretAt(field) : "caret";
  return now;
}

/** Adds to the stretch of text that is being typed, or begins one. */
export function add(now: Editing, text: string): void {
  if (!now.open) {
    now.run = nextRun();
    now.text = "";
  }
  now.text += text;
  now.open = true;
  now.fresh = now.byTool = false;
}

/** Takes back the last character of the stretch that is being typed; false where there is none. */
export function takeBack(now: Editing): boolean {
  if (!now.open || now.text === "") return false;
  now.text = withoutLast(now.text);
  return true;
}

/** A text without its last character, as a reader counts them. */
export function withoutLast(text: string): string {
  const graphemes = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)];
  return graphemes.slice(0, -1).map((one) => one.segment).join("");
}

/** What an editor holds, with the lines that were typed: an editor draws more or fewer between its paragraphs. */
export function writtenIn(field: HTMLElement): string {
  const [typed, held] = [editingIn(field)?.typed ?? "", valueOf(field)];
  return linesIn(typed) === linesIn(held) ? typed : held;
}

function linesIn(text: string): string {
  return text.replaceAll("\u00a0", " ").split("\n").filter((line) => line.trim()).join("\n");
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

/** An editor that was filled as a whole, when a press was made outside of it. */
interface Left {
  field: HTMLElement;
  held: string;
  typed: string;
  press: number;
}

let left: Left | null = null;

/** Notes a press: one in the editor puts the caret elsewhere, any other leaves the editor. */
export function pressedOn(field: Element, press: number): void {
  if (!editing || field === editing.field && editing.whole) return;
  const { field: editor, whole, typed } = editing;
  left = whole && field !== editor && writtenIn(editor) === typed ? { field: editor, held: valueOf(editor), typed, press } : null;
  editing = null;
}

/** What a press has taken out of an editor: the last word that was typed there, as a menu does that a slash opens. */
export interface TakenWord {
  field: HTMLElement;
  before: string;
  word: string;
  run: number; // the stretch of text that the word is
  press: number;
}

/** The word that the last press outside of an editor has taken there, once; undefined for none so far. */
export function takenWord(): TakenWord | undefined {
  if (!left) return undefined;
  const { field, held, typed, press } = left;
  const word = /\S+$/.exec(typed)?.[0] ?? "";
  const [all, now] = [held.trimEnd(), valueOf(field)];
  if (!now.startsWith(all.slice(0, all.length - word.length).trimEnd()) || now.startsWith(all)) return undefined;
  left = null;
  return { field, before: typed.slice(0, typed.length - word.length), word, run: ++runs, press };
}

/** Notes that something else is done: no press is waited for any more. */
export function forgetLeft(): void {
  left = null;
}

/** Notes that something is done elsewhere. */
export function leaveEditor(): void {
  editing = null;
}

/** Has a press in a page around this frame leave the editor, which may keep the focus: its tools are there. */
export function hearAround(on: boolean): void {
  try {
    for (let around: Window = self; around !== around.parent; ) {
      around = around.parent;
      if (on) around.addEventListener("pointerdown", leaveEditor, { capture: true, passive: true });
      else around.removeEventListener("pointerdown", leaveEditor, { capture: true });
    }
  } catch {
    // it is of another site
  }
}
