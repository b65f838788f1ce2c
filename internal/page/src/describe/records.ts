// Which elements say of which of several records they are.

import { isGenerated } from "../locate/generated";
import { FEW, hasHead, HEIGHT, holdsControl, isInHead, isWritable, saysMore, siblings, standing, textOf } from "./texts";

const FEW_UNDER_HEAD = 2;

/** Whether an element says which of several records it is of: each says something else in its place, and more than that. */
export function isOfRecord(el: Element): boolean {
  const text = textOf(el);
  if (!text || el.localName === "label" || isInHead(el)) return false;
  const leads = leadsToIt(el) ? leadsToIt : byId(el);
  let place = "";
  for (let at = el, height = 0; at.parentElement && height < HEIGHT; height++, at = at.parentElement) {
    const isRow = height > 0 && (saysMore(at, el) || isContent(at) || holdsControl(at, el));
    if ((isRow || (leads && (height > 0 || leads !== leadsToIt))) && !isWritable(at)) {
      const others = siblings(at);
      const parts = others.map((other) => (place ? other.querySelector(`:scope${place}`) : other)).filter((part) => part !== null && textOf(part) !== "") as Element[];
      const said = parts.map(textOf);
      const byName = leads !== undefined && parts.every(leads);
      const isLeft = others.length === 0 && leads !== undefined && leads !== leadsToIt && hasHead(at); // by a search
      const enough = isLeft || said.length + 1 >= (byName || hasHead(at) ? FEW_UNDER_HEAD : FEW) && said.length * 2 >= others.length;
      if (enough && (byName || isRow)) return new Set([text, ...said]).size * 2 > said.length + 1 && !said.includes(text);
    }
    place = standing(at) + place;
  }
  return false;
}

/** Whether a link says just what its address ends with, as one of a record does: what leads to a part of the site is written as a title. */
function leadsToIt(el: Element): boolean {
  if (!(el instanceof HTMLAnchorElement)) return false;
  try {
    return decodeURIComponent(lastOf(el.href).replaceAll("+", " ")) === textOf(el);
  } catch {
    return false; // it is written otherwise
  }
}

function lastOf(address: string): string {
  return address.split(/[/#?&=]/).filter((part) => part !== "").at(-1) ?? "";
}

/**
 * Tells the links that lead where one does but for a number or an identifier, as those to records do, and those to the parts
 * of a site do not; undefined where that one leads to none, or says no words.
 */
function byId(el: Element): ((other: Element) => boolean) | undefined {
  if (!(el instanceof HTMLAnchorElement) || !/\p{L}{2}/u.test(textOf(el))) return undefined;
  const { origin } = el;
  const address = (link: HTMLAnchorElement) => link.pathname + link.search + link.hash;
  const id = lastOf(address(el));
  if (!/^\d+$/.test(id) && !isGenerated(id)) return undefined;
  const at = address(el).lastIndexOf(id);
  const [before, after] = [address(el).slice(0, at), address(el).slice(at + id.length)];
  return (other) => {
    if (!(other instanceof HTMLAnchorElement) || other.origin !== origin || !address(other).startsWith(before) || !address(other).endsWith(after)) return false;
    const its = address(other).slice(before.length, address(other).length - after.length);
    return its !== id && !/[/#?&=]/.test(its);
  };
}

/** Whether what stands somewhere is what the page is about, rather than a way through the site. */
function isContent(el: Element): boolean {
  return el.closest("main,[role=main]") !== null && el.closest("nav,header,footer,aside,[role=navigation],[role=tablist],[role=menu],[role=menubar],[role=toolbar]") === null;
}
