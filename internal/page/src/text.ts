// Reading and finding text without reading more of the document than is needed:
// the text of a long page's ancestors is the page, again and again.

import { normalize, type Root } from "./dom";

/** The first characters of what textContent gives. */
export function textStart(node: Node, most: number): string {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_CDATA_SECTION);
  let text = "";
  while (text.length < most && walker.nextNode()) text += (walker.currentNode as Text).data;
  return text.slice(0, most);
}

const NO_TEXT = new Set(["script", "style", "noscript", "template", "head"]);
const BUTTONS = new Set(["submit", "button", "reset"]);

/** What an element says: its text, or a button's label. */
function textOf(el: Element): string {
  return el.textContent || (el instanceof HTMLInputElement && BUTTONS.has(el.type) ? el.value : "");
}

/** The deepest elements that hold a text, in the order of the document; white space counts as normalize has it. */
export function* textHolders(root: Root, wanted: string): Generator<Element> {
  const words = wanted.split(" ").map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(words.join("\\s+"));
  for (const child of root.children) yield* holdersIn(child, pattern);
}

function* holdersIn(el: Element, pattern: RegExp): Generator<Element, boolean> {
  if (!pattern.test(textOf(el)) || NO_TEXT.has(el.localName)) return false;
  let deeper = false;
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    deeper = (yield* holdersIn(child, pattern)) || deeper;
  }
  if (!deeper) yield el;
  return true;
}

/** Whether a text is all that the element says. */
export function saysExactly(el: Element, wanted: string): boolean {
  return normalize(textOf(el)) === wanted;
}
