// What kind of field an element is, if it is one, and what it holds.

import { roleOf } from "./aria";

export function isField(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

export function fieldOf(el: Element): HTMLElement | null {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement) return el;
  return (el as HTMLElement).isContentEditable ? (editingHost(el) as HTMLElement) : null;
}

export function editingHost(el: Element): Element {
  let host = el;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}

export function valueOf(field: HTMLElement): string {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.innerText.replace(/\n$/, "");
}

/** Kinds of control that are known by their change, not by what is typed. */
export const CHANGES = new Set(["checkbox", "radio", "select", "file"]);

/** Kinds of field with a picker of the browser's own: their keys move within it, and write differently in each language. */
export const PICKED = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);

export function kindOf(field: Element): string {
  return field instanceof HTMLSelectElement ? "select" : field instanceof HTMLInputElement ? field.type : "text";
}

export function isTextEntry(el: Element): boolean {
  if (el instanceof HTMLInputElement) return !CHANGES.has(el.type) && !["button", "image", "reset", "submit"].includes(el.type);
  return el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

export function takesLines(el: Element): boolean {
  return el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable;
}

export function isCombobox(el: Element): boolean {
  return roleOf(el) === "combobox" || el.hasAttribute("aria-autocomplete") || el.hasAttribute("list");
}
