// What is chosen and not typed: options, ticks and files.

import { fieldOf, kindOf } from "./editable";
import { lastPress, offsetIn, used } from "./presses";
import { tellDrag } from "./drags";
import { tellLeft } from "./typed";
import { repeatsSecret } from "./sensitive";
import { quote, tell } from "./told";
import { sendEvent } from "./wire";

export function onChange(_: Event, target: Element): void {
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
    tellLeft(field);
  }
}

export function tellChosen(field: HTMLSelectElement, press?: number): void {
  const values = [...field.selectedOptions].map((o) => o.value);
  const chosen = values.some(repeatsSecret) ? { secret: true } : { values };
  sendEvent({ type: "select", target: tell(field, false), ...chosen, many: field.multiple, ...(press ? { press } : {}) });
}

/** The press at which the page itself had the browser ask for files. */
let choosing = 0;

export function noteChooser(event: Event): void {
  const target = event.composedPath()[0];
  if (target instanceof HTMLInputElement && target.type === "file") choosing = event.isTrusted ? 0 : (lastPress()?.id ?? 0);
}

/** A field for files tells of its change itself; what else takes them has only the drop. */
export function onDrop(event: DragEvent, hit: Element): void {
  const files = event.dataTransfer?.files;
  const press = lastPress();
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
