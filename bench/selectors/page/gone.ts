// Changes after which the element is not there, so that finding any is wrong.

import { itemOf, likeIt, unitOf, withoutIds, type Change } from "./change";
import type { Random } from "./random";
import { otherAction, otherField, slotsOf, textNodes, textSlot } from "./words";

/** Alone, or with the label that belongs to it; mostly nothing empty is left where it was. */
export function deleted(c: Change): boolean {
  let gone = c.random.chance(0.7) ? unitOf(c.truth) : c.truth;
  if (c.random.chance(0.7)) {
    while (gone.parentElement && gone.parentElement !== document.body && holdsOnly(gone.parentElement, gone)) gone = gone.parentElement;
  }
  gone.remove();
  return true;
}

function holdsOnly(parent: Element, child: Element): boolean {
  return parent.childElementCount === 1 && parent.textContent?.trim() === child.textContent?.trim();
}

/** With its row or card, of which others stay. */
export function rowDeleted(c: Change): boolean {
  const item = itemOf(c.truth);
  if (!item || likeIt(item).length < 2) return false;
  item.remove();
  return true;
}

/** It is still in the document, and no one can see it. */
export function hidden(c: Change): boolean {
  const el = c.random.chance(0.3) && c.truth.parentElement && c.truth.parentElement.childElementCount < 4 && c.truth.parentElement !== document.body ? c.truth.parentElement : c.truth;
  const style = el.getAttribute("style") ?? "";
  el.setAttribute("style", `${style ? `${style};` : ""}${c.random.one(["display:none", "visibility:hidden"])} !important`);
  return true;
}

const ICON = /^(fa|fas|far|bi|icon|ti|mdi|ni|glyphicon|cil|lni|la)-(.+)$/;
const ICONS = ["trash", "star", "bell", "download", "print", "lock", "gift", "flag", "map", "clock"];

/** Something else in the same place: same tag and classes, but it says and does another thing. */
export function replaced(c: Change): boolean {
  const { truth, random } = c;
  const copy = truth.cloneNode(true) as Element;
  const isField = /^(input|select|textarea)$/.test(truth.localName);
  const before = [truth.outerHTML, ...labels(truth)].join();
  let telling = 0;
  for (const slot of slotsOf(copy)) {
    slot.write(isField ? otherField(random) : otherAction(random));
    telling++;
  }
  telling += renamed(copy, random) + otherIcons(copy, random);
  if (copy.localName === "select") for (const node of textNodes(copy)) textSlot(node).write(otherField(random));
  for (const label of (truth as HTMLInputElement).labels ?? []) {
    for (const node of textNodes(label).filter((text) => !truth.contains(text))) {
      textSlot(node).write(otherField(random));
      telling++;
    }
    if (label.htmlFor && copy.id) label.htmlFor = copy.id;
  }
  if (!telling) return false;
  const [label] = (truth as HTMLInputElement).labels ?? [];
  truth.replaceWith(copy);
  return [copy.outerHTML, ...(label ? [label.textContent] : [])].join() !== before;
}

const labels = (el: Element): (string | null)[] => [...((el as HTMLInputElement).labels ?? [])].slice(0, 1).map((label) => label.textContent);

/** Other names, ids and addresses; gives how many of those that it changed tell what the element is. */
function renamed(copy: Element, random: Random): number {
  let telling = 0;
  const word = random.one(["invoice", "coupon", "archive", "partner", "survey", "voucher", "refund", "export"]);
  withoutInnerIds(copy);
  if (copy.id) copy.id = `${word}-${random.below(90)}`;
  const told: Record<string, string> = { name: word, href: `/${word}/${random.below(900)}`, onclick: `${word}()`, src: `/img/${word}.png` };
  for (const [name, value] of Object.entries(told)) {
    if (!copy.hasAttribute(name)) continue;
    copy.setAttribute(name, value);
    telling++;
  }
  if (copy.matches("[type=radio],[type=checkbox]") && copy.hasAttribute("value")) {
    copy.setAttribute("value", word);
    telling++;
  }
  // What scripts read of it is for what it does.
  for (const { name, value } of [...copy.attributes]) {
    if (!name.startsWith("data-") || !/\p{L}|\d/u.test(value)) continue;
    copy.setAttribute(name, value.length < 40 ? `${word}${/\d/.test(value) ? random.below(90) : ""}` : "");
    telling++;
  }
  copy.removeAttribute("aria-controls");
  return telling;
}

function withoutInnerIds(copy: Element): void {
  for (const el of copy.children) withoutIds(el);
}

/** Other icons, where classes say which; gives how many. */
export function otherIcons(copy: Element, random: Random): number {
  let changed = 0;
  for (const el of [copy, ...copy.querySelectorAll("i,span,svg")]) {
    const before = el.getAttribute("class") ?? "";
    const after = before.split(/\s+/).map((name) => name.replace(ICON, (_, family: string) => `${family}-${random.one(ICONS)}`)).join(" ");
    if (after !== before.split(/\s+/).join(" ")) {
      el.setAttribute("class", after);
      changed++;
    }
  }
  return changed;
}
