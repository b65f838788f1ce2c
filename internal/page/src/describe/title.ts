// What one of several boxes is called: the card that was pressed, the item that says more than its name, the list that
// something is dropped on.

import { elementsIn, firstOf, isVisible, normalize, rootOf } from "../dom/elements";
import { format, queryPath } from "../locate/selector";
import { innerSelectors } from "./inner";
import { classSelector, cousins, FEW, HEADING, holdsAny, isTextual, PARTS, ROW, saidNowhereIn, siblings, standing, tellingTexts, textOf, WORDS, worth } from "./texts";

/** What says most of which of several cards was pressed, where all of each is pressed for one thing; null where that is what was hit. */
export function titleOfCard(hit: Element): Element | null {
  if (/^[^\p{L}\p{N}]+$/u.test(textOf(hit))) return null; // a sign is pressed for itself, as a star is
  for (let at: Element | null = hit; at && getComputedStyle(at).cursor === "pointer" && !at.matches(`${ROW},td,th`); at = at.parentElement) {
    const card = at;
    const next = siblings(card);
    const others = (next.length + 1 < FEW ? [...next, ...cousins(card)] : next).filter((other) => isVisible(other) && holdsAny(other)); // as in the other columns of a board
    if (others.length + 1 < FEW) continue;
    const telling = tellingTexts(card, card, others).filter((part) => !part.closest("a[href],[role=link],[role=button]"));
    const [first] = telling;
    const own = telling.find((part) => part === hit);
    if (first && (textOf(first) === textOf(card) || getComputedStyle(first).pointerEvents === "none")) return null;
    return first && (!own || worth(first) > worth(own)) && worth(first) >= WORDS ? first : null;
  }
  return null;
}

/**
 * What names one of several that say more, as an option with its price: the first of the words that no other says and that
 * stand in a box of their own, or next to what does; "" where that is all that it says.
 */
export function titleOf(el: Element): string {
  let one = el; // an item may be all that its row holds
  while (one.parentElement && !siblings(one).length && textOf(one.parentElement) === textOf(el)) one = one.parentElement;
  const others = siblings(one).filter((other) => isVisible(other) && holdsAny(other));
  if (rootOf(el) !== document || !others.length) return "";
  const isAlone = saidNowhereIn(others);
  const isTitle = (text: string) => /\p{L}{2}/u.test(text) && isAlone(text);
  const named = [one, ...firstOf(one.getElementsByTagName("*"), PARTS)].find((part) => isTextual(part, true) && isVisible(part) && isTitle(saidNextToBoxes(part)) && (part.contains(el) || standsApart(part, el)));
  const title = named ? saidNextToBoxes(named) : "";
  return title === textOf(el) ? "" : title;
}

/** What an element says itself, where all that its parts say stands in boxes of their own, as a badge does, or is a sign; else all that it says. */
function saidNextToBoxes(el: Element): string {
  const apart = elementsIn(el).filter((part) => textOf(part) !== "");
  if (!apart.every((part) => getComputedStyle(part).display !== "inline" || !/[\p{L}\p{N}]/u.test(textOf(part)))) return textOf(el);
  return normalize([...el.childNodes].map((node) => (node instanceof Text ? node.data : " ")).join(""));
}

/** Whether a text is no part of a line that goes on, as letters that are marked are. */
function standsApart(part: Element, within: Element): boolean {
  for (let at: Element | null = part; at && at !== within; at = at.parentElement) {
    if (at.ariaHidden === "true" || [...(at.parentElement?.childNodes ?? [])].some((node) => node instanceof Text && node.data.trim() !== "")) return false;
    if (!isInline(at) || ![at.previousElementSibling, at.nextElementSibling].some((next) => next && isInline(next))) return true;
  }
  return false;
}

function isInline(el: Element): boolean {
  return getComputedStyle(el).display.startsWith("inline");
}

/** How far above what something is dropped on the box with its title may be. */
const TITLED_HEIGHT = 4;

/** The path to one of several boxes, or to the list in it that one of several things is dropped on, from its title: a heading, or the first of its words; undefined where these are said of others. */
export function fromTitle(el: Element): string[] | undefined {
  const places = el.parentElement && siblings(el).length ? [el.parentElement, el] : [el];
  let at: Element | null = el;
  for (let height = 0; at && height < TITLED_HEIGHT; height++, at = at.parentElement) {
    const box = at;
    const others = siblings(box).filter((other) => isVisible(other) && holdsAny(other));
    const texts = others.length ? firstOf(box.getElementsByTagName("*"), PARTS).filter((part) => isTextual(part) && isVisible(part)) : [];
    const title = texts.find((part) => part.closest(HEADING)) ?? texts[0];
    if (!title || !/\p{L}{2}/u.test(textOf(title)) || !saidNowhereIn(others)(textOf(title))) continue;
    for (const place of places.filter((one) => box.contains(one))) {
      const parent = place.parentElement ? classSelector(place.parentElement) : "";
      const placed = box !== place && parent ? [parent + standing(place)] : [];
      const path = [...innerSelectors(place), ...placed].map((selector) => [format("text", textOf(title)), format("near", selector)]).find((one) => queryPath(one, rootOf(el))[0] === place);
      if (path) return path;
    }
  }
  return undefined;
}
