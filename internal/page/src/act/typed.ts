// What was typed stays until its field is left. A page may take it away meanwhile: the answer to what was saved
// before draws the old value over it, or a dialog selects its text once it has come, so that the next key replaces
// that. A person sees it and types again.

import { composedContains, deepActiveElement } from "../dom/elements";

type TextField = HTMLInputElement | HTMLTextAreaElement;

interface Typed {
  field: TextField;
  before: string; // what it held
  value: string; // with what was typed, as the page has heard it
  kept: boolean; // the page let it differ from what it had been
  caret: number | null; // where the next key goes, once the page had its say
}

let typed: Typed | null = null;

/** Follows what is typed into a field from now on; null for one that is not followed. */
export function followTyping(field: Element | null): void {
  typed = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? { field, before: field.value, value: field.value, kept: false, caret: null } : null;
  for (const [type, listener] of LISTENERS) (typed ? addEventListener : removeEventListener)(type, listener as EventListener, true);
}

/** Types again what the page has put the old value in place of. The next key may go elsewhere. */
export function endTyping(): void {
  if (!typed) return;
  restore(typed);
  typed.caret = null;
}

function restore(was: Typed): void {
  if (!was.kept || !was.before || was.field.value !== was.before || !composedContains(was.field, deepActiveElement())) return;
  was.kept = false; // a page that insists has its way
  was.field.select();
  document.execCommand("insertText", false, was.value);
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
  if (!typed || !event.isTrusted) return;
  typed.kept ||= typed.field.value !== typed.before;
  if (event.key.length > 1 || event.ctrlKey || event.metaKey) typed.caret = null;
}

function onInput(event: Event): void {
  const was = typed;
  if (!was || !event.isTrusted || event.composedPath()[0] !== was.field) return;
  was.value = was.field.value;
  was.caret = null;
  setTimeout(() => {
    was.kept ||= was.field.value !== was.before;
    was.caret = was.field.selectionEnd;
  });
}

const LISTENERS = [["beforeinput", onBeforeInput], ["keydown", onKeyDown], ["input", onInput]] as const;
