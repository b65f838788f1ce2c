// Whether a person can read what an element says: what is told to them of a payment stands on the page, where they look.

import { brief, bringIntoView, composedContains, composedParent, deepElementFromPoint, isDrawn, isInView, isVisible } from "../dom/elements";

/** What is smaller, in CSS pixels, or more transparent, or differs less from its background, no one reads. */
const LEAST_READ = 5;
const LEAST_OPAQUE = 0.2;
const LEAST_CONTRAST = 1.25;

/** Why a person cannot read what an element says, "" where they can. */
export function whyUnread(el: Element): string {
  if (!isVisible(el)) return `${brief(el)} is not visible`;
  const why = isInView(el) ? whyNotHere(el) : undefined;
  if (why === "") return why;
  bringIntoView(el, "center", "nearest"); // a bar that stays may be in front of it
  return whyNotHere(el);
}

function whyNotHere(el: Element): string {
  if (isTransparent(el)) return `${brief(el)} is transparent`;
  if (el.matches("input,textarea,select")) return isReadable(el, [el.getBoundingClientRect()]) ? "" : `${brief(el)} is not what a person sees`;
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (!parent || !(node as Text).data.trim() || parent.matches("script,style,template,option") || !isDrawn(parent)) continue; // which is not read either
    const range = document.createRange();
    range.selectNodeContents(node);
    if (!isReadable(parent, [...range.getClientRects()])) return `a part of ${brief(el)} is not what a person sees`;
  }
  for (const part of [el, ...el.querySelectorAll("*")]) {
    if (isTransparent(part, el)) return `a part of ${brief(el)} is transparent`;
    if (addsDigits(part)) return `${brief(el)} shows more than its text`;
  }
  return "";
}

/** Whether what stands in some places can be read there: large enough, in a colour of its own, and with nothing in front of it. */
function isReadable(el: Element, places: readonly DOMRect[]): boolean {
  const style = getComputedStyle(el);
  if (parseFloat(style.fontSize) < LEAST_READ || style.unicodeBidi.includes("override")) return false;
  const ink = style.webkitTextFillColor || style.color;
  if (alphaOf(ink) < LEAST_OPAQUE || contrast(ink, el) < LEAST_CONTRAST) return false;
  const shown = places.filter((place) => place.width > 0);
  return shown.length > 0 && shown.every((place) => place.height >= LEAST_READ && standsInFront(el, place));
}

/** Whether the middle of a place shows the element, as far as it is in view. */
function standsInFront(el: Element, { left, right, top, bottom }: DOMRect): boolean {
  if (right + scrollX <= 0 || bottom + scrollY <= 0) return false;
  const x = (left + right) / 2;
  const y = (top + bottom) / 2;
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return left + scrollX < document.documentElement.scrollWidth; // a long text
  const hit = deepElementFromPoint(x, y);
  return hit !== null && (composedContains(el, hit) || (composedContains(hit, el) && !clips(hit, el, x, y)));
}

/** Whether a text that its own element is not hit at is cut off by an element around it, rather than passed through by the mouse. */
function clips(hit: Element, el: Element, x: number, y: number): boolean {
  for (let at: Element | null = el; at && at !== hit; at = composedParent(at)) {
    const { overflow, clipPath, pointerEvents } = getComputedStyle(at);
    const { left, right, top, bottom } = at.getBoundingClientRect();
    if (overflow !== "visible" && (x < left || x > right || y < top || y > bottom)) return true;
    if (clipPath !== "none" && pointerEvents !== "none") return true;
  }
  return false;
}

/** Whether an element, with all around it up to another, lets its background through, or is masked or blurred. */
function isTransparent(el: Element, upTo: Element | null = null): boolean {
  let opacity = 1;
  for (let at: Element | null = el; at && at !== upTo; at = composedParent(at)) {
    const { opacity: own, filter, maskImage } = getComputedStyle(at);
    if (maskImage && maskImage !== "none") return true;
    opacity *= parseFloat(own);
    for (const [, effect, amount] of filter.matchAll(/(opacity|blur)\(([\d.]+)/g)) {
      if (effect === "blur" && parseFloat(amount ?? "0") > 2) return true;
      if (effect === "opacity") opacity *= parseFloat(amount ?? "1");
    }
  }
  return opacity < LEAST_OPAQUE;
}

/** Whether the style sheet puts digits next to what an element says, which would be part of an amount. */
function addsDigits(el: Element): boolean {
  return ["::before", "::after"].some((which) => /\d|counter/.test(getComputedStyle(el, which).content.replace(/url\(.*?\)/g, "")));
}

/** The channels of a computed colour, from 0 to 255, and how opaque it is; undefined for one in another notation. */
function channels(color: string): [number, number, number, number] | undefined {
  const [r, g, b, a = 1] = (/^rgba?\((.*)\)$/.exec(color)?.[1] ?? "").split(/[\s,/]+/).map(parseFloat);
  return r === undefined || g === undefined || b === undefined || Number.isNaN(r) ? undefined : [r, g, b, a];
}

function alphaOf(color: string): number {
  return channels(color)?.[3] ?? 1;
}

/** How a colour stands out against the background of an element, by WCAG 2; much where that is not known, as on a picture. */
function contrast(ink: string, el: Element): number {
  const unknown = 21;
  const front = channels(ink);
  if (!front) return unknown;
  for (let at: Element | null = el; at; at = composedParent(at)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(at);
    if (backgroundImage !== "none") return unknown;
    const back = channels(backgroundColor);
    if (!back || (back[3] > 0 && back[3] < 1)) return unknown;
    if (back[3] === 1) return ratio(luminance(front), luminance(back));
  }
  return getComputedStyle(document.documentElement).colorScheme.includes("dark") ? unknown : ratio(luminance(front), 1); // a page is white
}

function ratio(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Relative luminance (WCAG 2.2). */
function luminance([r, g, b]: readonly [number, number, number, number]): number {
  const [x = 0, y = 0, z = 0] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
