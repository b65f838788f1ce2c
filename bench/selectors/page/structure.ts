// Changes of where things stand.

import { elsewhere, insertInto, itemOf, likeIt, make, mayHaveBeside, unitOf, withoutIds, type Change } from "./change";
import type { Random } from "./random";
import { otherIcons } from "./gone";
import { isSeen, looks } from "./targets";
import { attributeSlot, otherAction, otherContext, slotsOf, textNodes, textSlot, type Slot } from "./words";

const inlines = /^(a|button|input|select|span|label|img|i|b|em|strong|svg|textarea)$/;

export function wrap(el: Element, random: Random): boolean {
  if (!mayHaveBeside(el) || el.matches("li,dt,dd,option,td,th,tr")) return false;
  const tag = inlines.test(el.localName) || el.parentElement?.localName === "p" ? "span" : "div";
  const wrapper = make(tag, random.chance(0.6) ? { class: random.one(["wrapper", "inner", "box", "slot", "holder"]) } : {});
  el.replaceWith(wrapper);
  wrapper.append(el);
  return true;
}

export const wrapped = (c: Change): boolean => wrap(c.truth, c.random);

/** An ancestor, one to five levels up. */
export function ancestorWrapped(c: Change): boolean {
  const ancestors: Element[] = [];
  for (let at = c.truth.parentElement; at && at !== document.body && ancestors.length < 5; at = at.parentElement) ancestors.push(at);
  return c.random.shuffled(ancestors).some((el) => wrap(el, c.random));
}

/** A wrapper less: what a container held stands where the container stood. */
export function unwrapped(c: Change): boolean {
  const ancestors: Element[] = [];
  for (let at = c.truth.parentElement; at && at !== document.body && ancestors.length < 4; at = at.parentElement) ancestors.push(at);
  const loose = ancestors.filter((el) => /^(div|span|section|article)$/.test(el.localName) && mayHaveBeside(el));
  if (!loose.length) return false;
  const gone = c.random.one(loose);
  gone.replaceWith(...gone.childNodes);
  return true;
}

/** Gives a copy other words, another address, another name and other icons. */
export function reword(copy: Element, random: Random): void {
  for (const slot of slotsOf(copy)) slot.write(otherAction(random));
  const word = random.token(6, "abcdefghiklmnoprstuv");
  if (copy.hasAttribute("href")) copy.setAttribute("href", `/${word}/${random.below(900)}`);
  for (const name of ["name", "data-testid", "data-test", "data-id", "data-cy"]) if (copy.hasAttribute(name)) copy.setAttribute(name, word);
  otherIcons(copy, random);
}

/** Whether a person could tell a copy from what it was made of. */
function differs(copy: Element, from: Element): boolean {
  const told = (el: Element) => [looks(el), ...[...el.querySelectorAll("a,button,input,select,textarea,img,i")].map(looks)].join("|");
  return told(copy) !== told(from);
}

function sibling(c: Change, before: boolean): boolean {
  const item = c.random.chance(0.5) ? c.truth : (itemOf(c.truth) ?? c.truth);
  const copy = item.matches("li,tr,td,dt,dd,option") || (c.random.chance(0.6) && mayHaveBeside(item));
  if (!copy && !mayHaveBeside(item)) return false;
  let fresh: Element;
  if (copy) {
    fresh = item.cloneNode(true) as Element;
    withoutIds(fresh);
    reword(fresh, c.random);
    if (!differs(fresh, item)) return false; // no one could say which is which
  } else fresh = make(c.random.one(["div", "span"]), { class: "note" }, otherContext(c.random));
  if (before) item.before(fresh);
  else item.after(fresh);
  return true;
}

export const siblingBefore = (c: Change): boolean => sibling(c, true);
export const siblingAfter = (c: Change): boolean => sibling(c, false);

export function siblingRemoved(c: Change): boolean {
  const labels = [...((c.truth as HTMLInputElement).labels ?? [])];
  const spare = (el: Element) => el !== c.truth && !el.contains(c.truth) && isSeen(el) && !labels.some((label) => el.contains(label) || label.contains(el));
  for (let at: Element | null = c.truth, depth = 0; at?.parentElement && depth < 5; at = at.parentElement, depth++) {
    const others = [...at.parentElement.children].filter(spare);
    if (others.length) {
      c.random.one(others).remove();
      return true;
    }
  }
  return false;
}

export function reordered(c: Change): boolean {
  for (let at: Element | null = c.truth, depth = 0; at?.parentElement && depth < 6; at = at.parentElement, depth++) {
    const parent: Element = at.parentElement;
    const before = [...parent.children].filter((el) => el.localName === at?.localName);
    if (before.length < 2 || parent === document.documentElement) continue;
    let after = c.random.shuffled(before);
    if (after.every((el, i) => el === before[i])) after = [...before].reverse();
    after = after.map((el) => inTurn(el, before, after));
    // Marks keep the places while all of them move.
    const marks = before.map((el) => {
      const mark = document.createComment("");
      el.replaceWith(mark);
      return mark;
    });
    marks.forEach((mark, i) => mark.replaceWith(after[i] as Element));
    return true;
  }
  return false;
}

/** Twins keep their order among themselves: no one could tell that they had not. */
function inTurn(el: Element, before: Element[], after: Element[]): Element {
  const twins = (of: Element[]) => of.filter((other) => other === el || !differs(other, el));
  return twins(before)[twins(after).indexOf(el)] ?? el;
}

const WORDED = ["placeholder", "aria-label", "title", "alt"];

/** All that a person reads in an element. */
function wordSlots(within: Element): Slot[] {
  const attributes = [within, ...within.querySelectorAll(WORDED.map((name) => `[${name}]`).join())];
  const told = attributes.flatMap((el) => WORDED.filter((name) => el.getAttribute(name)?.trim()).map((name) => attributeSlot(el, name)));
  return [...textNodes(within).map(textSlot), ...told];
}

/** More items like the target's own, with other texts and addresses where items differ. */
export function listGrown(c: Change): boolean {
  const item = itemOf(c.truth);
  if (!item?.parentElement) return false;
  const items = [item, ...likeIt(item)];
  const count = 1 + c.random.below(3);
  for (let i = 0; i < count; i++) {
    const model = c.random.one(items);
    const copy = model.cloneNode(true) as Element;
    withoutIds(copy);
    // What every row says stays as it is: "Edit".
    const shared = new Set(items.filter((other) => other !== model).flatMap(wordSlots).map((slot) => slot.read()));
    for (const slot of wordSlots(copy)) if (!shared.has(slot.read())) slot.write(otherAction(c.random));
    for (const el of [copy, ...copy.querySelectorAll("[href],[name],[value]")]) readdress(el, c.random);
    if (!differs(copy, item)) reword(copy, c.random);
    if (!differs(copy, item)) return false; // no one could say which is which
    const first = c.random.chance(0.5) ? item : (item.parentElement.querySelector(`:scope > ${item.localName}`) ?? item);
    first.before(copy);
  }
  return true;
}

/** What a new item leads to and sends is its own. */
function readdress(el: Element, random: Random): void {
  const own = random.token(5, "abcdefghiklmnoprstuv");
  const href = el.getAttribute("href");
  if (href && !/^(#?$|javascript)/.test(href)) el.setAttribute("href", /\d/.test(href) ? href.replace(/\d+/g, String(random.below(9000))) : `${href.replace(/[^/#=]*$/, "")}${own}`);
  const name = el.getAttribute("name");
  if (name && el.getAttribute("type") !== "radio") el.setAttribute("name", /\d/.test(name) ? name.replace(/\d+/g, String(random.below(900))) : `${name}_${own}`);
  if (el.matches("[type=radio],[type=checkbox],option")) el.setAttribute("value", own);
  if (el.matches("[type=submit],[type=button]") && !random.chance(0.2)) el.setAttribute("value", otherAction(random));
}

/** To another container that a person sees, with the label that belongs to it. */
export function moved(c: Change): boolean {
  const unit = unitOf(c.truth);
  if (unit.matches("li,td,th,tr,dt,dd,option")) return false;
  const home = elsewhere(unit, c.random);
  if (!home) return false;
  const before = turnOf(c.truth);
  insertInto(home, unit, c.random);
  return turnOf(c.truth) === before; // no one could say which of its twins it is
}

/** Which it is of those that look the same. */
function turnOf(el: Element): number {
  const own = looks(el);
  return [...document.body.querySelectorAll(el.localName)].filter((other) => other === el || looks(other) === own).indexOf(el);
}

function twin(el: Element): Element {
  const copy = el.cloneNode(true) as Element;
  withoutIds(copy);
  return copy;
}

/** The same once more, which no one sees: the menu for small screens, a template. */
export function hiddenTwin(c: Change): boolean {
  const hidden = make("div", c.random.one([{ hidden: "" }, { style: "display:none" }, { style: "visibility:hidden;position:absolute" }]), twin(c.truth));
  if (c.random.chance(0.5) && mayHaveBeside(c.truth)) c.truth.before(hidden);
  else document.body.prepend(hidden);
  return true;
}

const COPIED = "copy-of-the-page";

/** All of the page once more, which no one sees: as a menu for narrow screens is there twice. */
export function hiddenCopy(): void {
  const seen = [...document.body.children].filter(isSeen).map(twin);
  document.body.prepend(make("div", { class: COPIED, hidden: "" }, ...seen));
}

export function hiddenCopyGone(): void {
  document.querySelector(`.${COPIED}`)?.remove();
}

/** Gives boxes that are alike labels of their own. */
export function labelBoxes(random: Random): void {
  for (const el of document.body.querySelectorAll("div,li,tr,section,article")) {
    if (isSeen(el) && likeIt(el).length && el.querySelector("a,button,input,select")) el.setAttribute("aria-label", `${otherAction(random)} ${random.token(5, "abcdefghiklmnoprstuv")}`);
  }
}

/** The element's box and another like it stand in each other's place. */
export function boxesSwapped(c: Change): boolean {
  const item = itemOf(c.truth);
  if (!item || item === c.truth) return false;
  const other = c.random.one(likeIt(item));
  const mark = document.createComment("");
  item.replaceWith(mark);
  other.replaceWith(item);
  mark.replaceWith(other);
  return true;
}

/** A remark before the element's row or card. */
export function noteBefore(c: Change): boolean {
  const item = itemOf(c.truth);
  if (!item || !mayHaveBeside(item) || item.matches("li,td,tr,dt,dd,option")) return false;
  item.before(make(item.localName, { class: "note" }, otherContext(c.random)));
  return true;
}

/** The same once more elsewhere, for everybody to see. */
export function visibleTwin(c: Change): boolean {
  const home = elsewhere(c.truth, c.random);
  if (!home || c.truth.matches("li,td,tr,option,dt,dd")) return false;
  const copy = twin(c.truth);
  insertInto(home, copy, c.random);
  return isSeen(copy);
}

/** A banner over all, and a wrapper round what was there. */
export function newFrame(random: Random): void {
  document.body.prepend(make("div", { class: "announcement", role: "status" }, otherContext(random)));
  const [widest] = [...document.body.children].filter((el) => isSeen(el) && !el.matches("script,style,nav,header")).sort((a, b) => b.getElementsByTagName("*").length - a.getElementsByTagName("*").length);
  if (widest) wrap(widest, random);
}
