// What an element shows of itself: what it is called, what it leads to, what it is
// made of. Read without styles and in bounded time.

import { labelsOf, normalize } from "./dom";
import { isGenerated } from "./generated";
import { once, pass } from "./pass";
import { isTestId, testIdOf } from "./testid";
import { shownText } from "./text";

export type OwnFeature = "testid" | "id" | "name" | "href" | "placeholder" | "label" | "options" | "type" | "tag" | "class" | "inner" | "other";

export const ITSELF: Record<OwnFeature, (el: Element) => string[]> = {
  testid: (el) => one(testIdOf(el)?.value ?? ""),
  id: (el) => one(stable(el.id)),
  name: (el) => one(stable(el.getAttribute("name") ?? "")),
  href: (el) => one(addressOf(el)),
  placeholder: (el) => one(el.getAttribute("placeholder") ?? ""),
  label: (el) => one(labelOf(el)),
  options: (el) => one(optionsOf(el)),
  type: (el) => one(typeOf(el)),
  tag: (el) => one(el.localName),
  class: classesOf,
  inner: innerOf,
  other: otherOf,
};

export function one(value: string): string[] {
  return value ? [value] : [];
}

export function stable(token: string): string {
  return token && isGenerated(token) ? "" : token;
}

/** Where a link leads, without what changes from visit to visit; "" where it leads nowhere. */
function addressOf(el: Element): string {
  const href = (el.getAttribute("href") ?? el.getAttribute("xlink:href") ?? "").trim();
  return /^(#!?$|javascript:)/.test(href) ? "" : href.replace(/(.)[?#].*$/, "$1");
}

/** As a button is one by any name, its type tells nothing. */
function typeOf(el: Element): string {
  if (el.localName !== "input" && el.localName !== "select") return "";
  const { type } = el as HTMLInputElement | HTMLSelectElement;
  return isButtonType(type) ? "" : type;
}

function isButtonType(type: string): boolean {
  return type === "submit" || type === "button" || type === "reset" || type === "image";
}

/** Longest text that is read as a label: longer ones are prose. */
export const LONGEST_LABEL = 200;

/** What an element is called, near enough to its accessible name, and read at a fraction of its cost. */
export function labelOf(el: Element): string {
  return (
    normalize(el.getAttribute("aria-label")) ||
    referenced(el) ||
    (holdsValue(el) ? labelsOf(el).map((label) => shownText(label, LONGEST_LABEL)).join(" ") : ownText(el)) ||
    normalize(el.getAttribute("alt")) ||
    normalize(el.getAttribute("title")) ||
    pictured(el)
  );
}

function referenced(el: Element): string {
  const ids = el.getAttribute("aria-labelledby");
  if (!ids) return "";
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.trim().split(/\s+/).map((id) => root.getElementById(id)).map((ref) => (ref ? shownText(ref, LONGEST_LABEL) : "")).join(" ").trim();
}

function ownText(el: Element): string {
  return normalize(shownText(el, LONGEST_LABEL));
}

function pictured(el: Element): string {
  const inner = el.firstElementChild && el.querySelector("[alt],[aria-label],[title],title");
  return inner ? normalize(inner.getAttribute("alt") ?? inner.getAttribute("aria-label") ?? inner.getAttribute("title") ?? inner.textContent) : "";
}

/** How many of a list's choices are read. */
const MOST_OPTIONS = 8;

function optionsOf(el: Element): string {
  if (!(el instanceof HTMLSelectElement)) return "";
  return Array.from({ length: Math.min(el.length, MOST_OPTIONS) }, (_, i) => el.item(i)?.text).join(" ");
}

/** Whether what is in it was typed or chosen by somebody. */
export function holdsValue(el: Element): boolean {
  switch (el.localName) {
    case "input": return !isButtonType((el as HTMLInputElement).type);
    case "textarea": case "select": return true;
    default: return el.hasAttribute("contenteditable");
  }
}

export function classesOf(el: Element): string[] {
  const said = el.getAttribute("class");
  return said ? once(pass()?.classes, said, () => [...el.classList].filter((name) => !isGenerated(name) && !STATES.test(name)).slice(0, 12)) : [];
}

/** Classes that come and go while a page is used. */
const STATES = /^(is-|has-)?(active|focus(ed)?|hover(ed)?|open(ed)?|show(n)?|shown|selected|checked|disabled|loading|loaded|collapsed|expanded|current|visited|invalid|valid|dirty|pristine|touched|untouched)$/i;

/** Icons and pictures, by which a button without words is known. */
function innerOf(el: Element): string[] {
  if (!el.firstElementChild && el.localName !== "img") return pictureOf(el);
  const found: string[] = pictureOf(el);
  for (const inner of el.querySelectorAll("svg,use,path,img,i,span[class]")) {
    found.push(...pictureOf(inner));
    if (found.length >= 8) break;
  }
  return found.slice(0, 8);
}

function pictureOf(el: Element): string[] {
  switch (el.localName) {
    case "img": return compact((el.getAttribute("src") ?? "").replace(/[?#].*$/, "").split("/").at(-1));
    case "input": return compact((el as HTMLInputElement).type === "image" ? el.getAttribute("src") : "");
    case "use": return compact(el.getAttribute("href") ?? el.getAttribute("xlink:href"));
    case "path": return compact(el.getAttribute("d"));
    case "i": case "svg": case "span": return classesOf(el).map((name) => `.${name}`);
    default: return [];
  }
}

function compact(text: string | null | undefined): string[] {
  return text ? [text.slice(0, 200)] : [];
}

/** Attributes that are read apart, that tell of a state, or that only say how it looks. */
const NOT_TELLING = new Set([
  "id", "class", "style", "name", "href", "placeholder", "type", "aria-label", "aria-labelledby", "alt", "src", "srcset", "role", "tabindex",
  "aria-expanded", "aria-selected", "aria-checked", "aria-pressed", "aria-current", "aria-hidden", "aria-busy", "aria-invalid", "aria-disabled",
  "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant", "checked", "selected", "disabled", "open", "hidden", "inert", "readonly", "width", "height",
  "xmlns", "d", "viewBox", "fill", "stroke",
]);
/** Where `value` is a label and not what a person typed. */
const VALUE_IS_LABEL = new Set(["submit", "button", "reset", "radio", "checkbox"]);

function otherOf(el: Element): string[] {
  const found: string[] = [];
  for (const { name, value } of el.attributes) {
    if (NOT_TELLING.has(name) || isTestId(name) || name.startsWith("data-v-") || name.startsWith("_ng") || value.length > 200) continue;
    if (name === "value" && !VALUE_IS_LABEL.has((el as HTMLInputElement).type)) continue;
    if (isGenerated(value)) continue;
    found.push(`${name}=${value}`);
    if (found.length >= 8) break;
  }
  return found;
}
