// What a person points at: for a check of what stands there, or for a hover.

import { composedParent, normalize } from "./dom";
import { used } from "./presses";
import { isSensitive, repeatsSecret } from "./sensitive";
import { tell, type Target } from "./told";
import { documentId } from "./wire";

/** What was pointed at; why is the reason for which its text is not told. */
export interface Pointed {
  doc: string;
  target: Target;
  text?: string;
  why?: "field" | "frame" | "secret" | "empty" | "long";
}

/** More is a paragraph, and seldom the same again. */
const LONGEST_CHECK = 120;

/** Where the words are a value and no text of the page. */
const FIELDS = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

export function pointed(at: Node, forText: boolean): Pointed | null {
  const hit = at instanceof Element ? at : at.parentElement;
  if (!hit || hit.ownerDocument !== document) return null;
  if (!forText) return { doc: documentId, target: tell(used(hit), true) };
  const why = whyNot(hit);
  const told = { doc: documentId, target: tell(hit, true) };
  return why ? { ...told, why } : { ...told, text: textOf(hit) };
}

function textOf(el: Element): string {
  return normalize(el instanceof HTMLElement ? el.innerText : el.textContent);
}

function whyNot(el: Element): Pointed["why"] {
  if (holdsField(el)) return "field";
  if (el instanceof HTMLIFrameElement) return "frame";
  for (let at: Element | null = el; at; at = composedParent(at)) if (isSensitive(at)) return "secret";
  const text = textOf(el);
  if (repeatsSecret(text)) return "secret";
  if (text === "") return "empty";
  return text.length > LONGEST_CHECK ? "long" : undefined;
}

/** Whether an element is a field, a part of one, or has one in it. */
export function holdsField(el: Element): boolean {
  return el.closest(FIELDS) !== null || (el as HTMLElement).isContentEditable || el.querySelector(FIELDS) !== null;
}
