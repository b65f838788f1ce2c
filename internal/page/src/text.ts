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

const NO_TEXT = "script,style,noscript,template,head";
const BUTTONS = new Set(["submit", "button", "reset"]);

/** What a person can read in an element, as far as the document's own text goes. */
function readable(el: Element): string {
  if (el instanceof HTMLInputElement) return BUTTONS.has(el.type) ? el.value : "";
  if (!el.querySelector(NO_TEXT)) return el.textContent;
  return [...el.childNodes].map((node) => (node instanceof Text ? node.data : node instanceof Element && !node.matches(NO_TEXT) ? readable(node) : "")).join("");
}

function patternOf(wanted: string): RegExp {
  const words = wanted.split(" ").map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return new RegExp(words.join("\\s+"));
}

function buttonsSaying(pattern: RegExp, root: ParentNode): Element[] {
  return [...root.querySelectorAll("input")].filter((el) => pattern.test(readable(el)));
}

/** The deepest elements that hold a text, buttons that are inputs last; white space counts as normalize has it. */
export function* textHolders(wanted: string, within: Root | Element): Generator<Element> {
  const pattern = patternOf(wanted);
  const word = wanted.split(" ").reduce((a, b) => (b.length > a.length || DIGIT.test(b) ? b : a));
  for (const el of within instanceof Element ? [within] : within.children) yield* holdersIn(el, pattern, word);
  yield* buttonsSaying(pattern, within);
}

/** A number tells the rows of a table apart. */
const DIGIT = /\d/;

/** The word is one of the pattern's, and quickly seen to be missing. */
function* holdersIn(el: Element, pattern: RegExp, word: string): Generator<Element, boolean> {
  const text = el.textContent;
  if (!text.includes(word) || !pattern.test(text) || el.matches(NO_TEXT)) return false;
  let deeper = false;
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    deeper = (yield* holdersIn(child, pattern, word)) || deeper;
  }
  if (deeper) return true;
  if (!pattern.test(readable(el))) return false;
  yield el;
  return true;
}

/** Whether a text is all that the element says. */
export function saysExactly(el: Element, wanted: string): boolean {
  return normalize(readable(el)) === wanted;
}

const NOT_SHOWN = new Set(["script", "style", "noscript", "template", "head", "textarea", "select", "datalist", "svg"]);

/** The first characters of what an element says, but for what somebody has typed or chosen in it, and but for one part. */
export function shownText(el: Element, most: number, without?: Element): string {
  if (el.localName === "input") return BUTTONS.has((el as HTMLInputElement).type) ? (el as HTMLInputElement).value : "";
  const first = el.firstChild;
  if (first?.nodeType === Node.TEXT_NODE && !first.nextSibling) return (first as Text).data.slice(0, most); // as most do that are pressed
  let text = "";
  for (let node: Node | null = first; node && text.length < most; node = node.nextSibling) {
    if (node.nodeType === Node.TEXT_NODE) text += (node as Text).data;
    else if (node instanceof Element && node !== without && !NOT_SHOWN.has(node.localName) && !node.hasAttribute("contenteditable")) {
      text += ` ${shownText(node, most - text.length, without)} `;
    }
  }
  return text.slice(0, most);
}
