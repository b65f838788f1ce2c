// Fields that are secret because the person says so: the one that was marked, and
// in the documents of its origin whatever is called as it is.

import { nameOf } from "./aria";
import { labelsOf, normalize } from "./dom";
import { fieldOf, valueOf } from "./editable";
import { onAsked, remember } from "./sensitive";
import { elementOf } from "./told";
import { documentId } from "./wire";

/** How a field is known that was marked. */
export interface Mark {
  origin: string;
  names?: string[]; // name and id
  label?: string;
  element: string; // of which document, and its number there
}

let marks: Mark[] = [];

/** Tells nothing more of these fields, and quotes nothing that repeats what they hold. */
export function hide(all: Mark[]): void {
  marks = all;
  for (const mark of all) {
    const [doc, ref] = mark.element.split("#");
    const field = doc === documentId ? elementOf(Number(ref)) : null;
    if (field instanceof HTMLElement) remember(field, valueOf(field));
  }
}

onAsked((el) => {
  const here = marks.filter((mark) => mark.origin === self.origin);
  if (!here.length || fieldOf(el) !== el) return false;
  const called = [el.getAttribute("name") ?? "", el.id];
  return here.some((mark) => called.some((name, i) => name !== "" && name === mark.names?.[i]) || (mark.label && isLabelled(el, mark.label)));
});

/** As a recording tells of a label: see told.ts. */
function isLabelled(el: Element, label: string): boolean {
  const labels = labelsOf(el).map((l) => l.textContent).join(" ");
  return [nameOf(el), labels].some((text) => normalize(text).slice(0, label.length) === label);
}
