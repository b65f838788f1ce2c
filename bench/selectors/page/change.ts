// What one change of a page gets to work with, and where on the page it may work.

import type { Journal } from "./journal";
import type { Random } from "./random";
import { isSeen } from "./targets";

/** A change under way. The truth is held here only: the document does not show which element it is. */
export interface Change {
  truth: Element; // the element that a locator should find; a change that makes another for it says so here
  random: Random;
  journal: Journal; // told of what it cannot see itself
}

/** Makes a change; false says that it does not apply to this element, and that nothing may be counted. */
export type Local = (change: Change) => boolean;

/** An element of the document's own name space, or of the parent's. */
export function make(tag: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElement {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.append(...children);
  return el;
}

/** Where only certain children may stand, or none that can be acted on. */
const CLOSED = "ul,ol,dl,table,thead,tbody,tfoot,tr,select,optgroup,picture,svg,head,p,a,button,label,summary";

/** Whether anything may be put next to the element. */
export function mayHaveBeside(el: Element): boolean {
  return !!el.parentElement && el !== document.body && !el.parentElement.matches("table,thead,tbody,tfoot,tr,select,optgroup,svg,svg *,picture,html");
}

/** The one with which an element belongs together: its row, card or list item, of which there are others. */
export function itemOf(el: Element): Element | null {
  for (let at: Element | null = el, depth = 0; at?.parentElement && depth < 7 && at !== document.body; at = at.parentElement, depth++) {
    if (likeIt(at).length) return at;
  }
  return null;
}

const firstClass = (el: Element): string => (el.getAttribute("class") ?? "").trim().split(/\s+/)[0] ?? "";

/** Siblings of the same tag and of the same first class. */
export function likeIt(el: Element): Element[] {
  return [...(el.parentElement?.children ?? [])].filter((other) => other !== el && other.localName === el.localName && firstClass(other) === firstClass(el) && isSeen(other));
}

/** What moves together with an element: a field with the label that stands next to it. */
export function unitOf(el: Element): Element {
  const labels = [...((el as HTMLInputElement).labels ?? [])];
  const around = labels.find((label) => label.contains(el));
  if (around) return around;
  const parent = el.parentElement;
  const together = labels.length > 0 && !!parent && parent !== document.body && labels.every((label) => parent.contains(label));
  return together && parent.querySelectorAll("input,select,textarea,button").length === 1 ? parent : el;
}

/** A container elsewhere that a person sees, for something that is put there. */
export function elsewhere(el: Element, random: Random): Element | null {
  const homes = [...document.body.querySelectorAll("div,section,form,fieldset,article,main,aside,header,footer,nav,td")].filter(
    (home) => home.firstElementChild && home !== el.parentElement && !el.contains(home) && !home.closest(CLOSED.replace("ul,ol,dl,table,thead,tbody,tfoot,tr,", "")) && isSeen(home),
  );
  return homes.length ? random.one(homes) : null;
}

/** Puts it somewhere among the children. */
export function insertInto(home: Element, what: Element, random: Random): void {
  home.insertBefore(what, home.children[random.below(home.children.length + 1)] ?? null);
}

/** Takes ids off a copy, as nothing has the id of another: forms of frameworks number them. */
export function withoutIds(copy: Element): void {
  for (const el of [copy, ...copy.querySelectorAll("[id]")]) el.removeAttribute("id");
}
