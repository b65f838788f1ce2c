// Where text is written, in an editor of rich text or in one that draws its text itself: what
// is selected, whether the caret stands at an end of the text, and putting it there.

import { fieldOf, hasEditContext, normalize } from "./elements";

/** Where text is typed in a field that is not filled as a whole: at its start or end, or where the caret stands. */
export type Caret = "start" | "end" | "caret";

/** What is content without being text. */
const CONTENT = "img,hr,table,video,audio,iframe,object,embed,canvas,input";

/** Characters that editors put where the caret should stand, and no one sees. */
const UNSEEN = /[\u200b-\u200d\u2060\ufeff]/g;

/** What is a line of its own. */
const LINES = "p,div,li,h1,h2,h3,h4,h5,h6,blockquote,pre";

/** More is no placeholder. */
const LONGEST_PLACEHOLDER = 200;

/** Whether an editor holds nothing; what it shows while that is so does not count. */
export function isEmptyEditor(field: HTMLElement): boolean {
  if (field.querySelector(CONTENT)) return false;
  const text = seen(field.textContent);
  if (text === "") return true;
  if (text.length > LONGEST_PLACEHOLDER) return false;
  let shown = "";
  for (const part of field.querySelectorAll<HTMLElement>("[contenteditable=false]")) if (getComputedStyle(part).pointerEvents === "none") shown += part.textContent;
  return seen(shown) === text;
}

/** What is narrower or lower shows no text, in pixels. */
const UNREADABLE = 10;

/** Whether it is a text area that shows no text, as an editor has one that takes the keys and draws the text elsewhere. */
export function isUnseen(field: Element): boolean {
  if (!(field instanceof HTMLTextAreaElement)) return false;
  return !field.checkVisibility({ opacityProperty: true }) || isTiny(field) || [field.parentElement, field.parentElement?.parentElement].some((box) => box && getComputedStyle(box).overflow !== "visible" && isTiny(box));
}

function isTiny(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  return width < UNREADABLE || height < UNREADABLE;
}

/** Whether what an element says was written there, in a field or an editor that draws its text, and is no name of it. */
export function isWritten(el: Element): boolean {
  if (fieldOf(el)) return true;
  if (getComputedStyle(el).cursor !== "text") return false;
  for (let box = el.parentElement; box; box = box.parentElement) {
    if ([...box.querySelectorAll("[tabindex]")].some(hasEditContext)) return true;
    const area = box.querySelector("textarea");
    if (area) return isUnseen(area) && area.tabIndex >= 0 && area.checkVisibility({ visibilityProperty: true });
  }
  return false;
}

function seen(text: string | null): string {
  return normalize((text ?? "").replace(UNSEEN, ""));
}

function selectionIn(field: HTMLElement): Selection | null {
  const root = field.getRootNode() as Node & { getSelection?: () => Selection | null };
  const selection = root.getSelection?.() ?? getSelection();
  return selection && selection.rangeCount > 0 && field.contains(selection.anchorNode) && field.contains(selection.focusNode) ? selection : null;
}

/** Whether all that an editor holds is selected. */
export function isAllSelected(field: HTMLElement): boolean {
  const range = selectionIn(field)?.getRangeAt(0);
  return !!range && !range.collapsed && holdsNothing(before(field, range)) && holdsNothing(after(field, range));
}

/** What of an editor is selected: nothing, all, a whole line, or a part. */
export function selectedIn(field: HTMLElement): "nothing" | "all" | "line" | "part" {
  const range = selectionIn(field)?.getRangeAt(0);
  if (!range || range.collapsed) return "nothing";
  if (isAllSelected(field)) return "all";
  const from = range.startContainer;
  const line = (from instanceof Element ? from : from.parentElement)?.closest(LINES);
  return line && field !== line && field.contains(line) && seen(line.textContent) === seen(range.toString()) ? "line" : "part";
}

/** Where the caret stands, as far as that can be said without the text: in an empty line it cannot. */
export function caretAt(field: HTMLElement): Caret {
  const range = selectionIn(field)?.getRangeAt(0);
  if (!range?.collapsed) return "caret";
  if (holdsNothing(after(field, range))) return "end";
  return holdsNothing(before(field, range)) ? "start" : "caret";
}

function before(field: HTMLElement, range: Range): Range {
  const part = range.cloneRange();
  part.setStart(field, 0);
  part.setEnd(range.startContainer, range.startOffset);
  return part;
}

function after(field: HTMLElement, range: Range): Range {
  const part = range.cloneRange();
  part.setStart(range.endContainer, range.endOffset);
  part.setEnd(field, field.childNodes.length);
  return part;
}

/** Whether a part of an editor is neither text nor a line of its own; the break that keeps an empty line open belongs to that line. */
function holdsNothing(part: Range): boolean {
  if (seen(part.toString()) !== "") return false;
  const content = part.cloneContents();
  const lines = [...content.querySelectorAll(LINES)].filter((line) => !line.querySelector(LINES));
  return !content.querySelector(CONTENT) && content.querySelectorAll("br").length <= 1 && lines.length <= 1;
}

/** Puts the caret where it is wanted. One that stands there is left alone: what a tool has set for what is typed next stays. */
export function placeCaret(field: HTMLElement, at: Caret): void {
  if ((field instanceof HTMLTextAreaElement || hasEditContext(field)) && at === "caret") return; // of one that draws its text elsewhere no selection is known
  if (selectionIn(field) && (at === "caret" || caretAt(field) === at)) return;
  const selection = getSelection();
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) selection?.collapse(field, 0);
  selection?.modify("move", at === "start" ? "backward" : "forward", "documentboundary");
}

/** Leaves the caret of an empty editor where it stands, or puts it there. */
export function enterEmpty(field: HTMLElement): void {
  if (!selectionIn(field)) getSelection()?.selectAllChildren(field);
}
