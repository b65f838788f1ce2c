// Withholding secrets: from the keys, the clipboard and the drags that would take them
// out of their fields, and from pictures.
//
// A field that received a secret takes Enter, Tab and Escape, and is typed into whole; a
// piece of one that a page shows is neither copied nor dragged away. In pictures, fields
// that hold a secret and texts that repeat one are covered.

import { boxOf, composedContains, deepActiveElement, eachRoot, fieldOf, inOnePass, isDrawn, isVisible, throughParents } from "../dom/elements";
import { answers, askAgain, isCustom, mayHost } from "../dom/roots";
import { indexes, isSensitive, knowsSecrets, rememberPieces, repeatsSecret } from "./secrets";
import type { Hashes } from "./pieces";
import { repeats, Stream } from "./repeats";

/** Notes pieces of secrets that this document may show; null where there are none. */
export function guardSecrets(secrets: Hashes | null): void {
  if (!secrets) return;
  rememberPieces(secrets);
  watchCarrying();
}

/** Keys that leave what a field holds as it is, and select nothing of it. */
const HARMLESS = new Set(["Enter", "Tab", "Escape", "NumpadEnter"]);

/** Why a key may not be pressed where the focus is, "" where it may; null where the focus is not in this document. */
export function whyNoKey(key: string, modifiers: string[], mayPaste: boolean): string | null {
  const focused = deepActiveElement();
  if (!document.hasFocus() || focused instanceof HTMLIFrameElement) return null;
  const command = modifiers.some((one) => one === "Control" || one === "Meta" || one === "ControlOrMeta");
  if (!mayPaste && ((command && key.toLowerCase() === "v") || (key === "Insert" && modifiers.includes("Shift")) || key === "Paste")) {
    return "the clipboard may hold a secret that was typed at another origin: nothing is pasted here";
  }
  const field = focused && fieldOf(focused);
  if (field && isSensitive(field) && !(HARMLESS.has(key) && !command)) return "the field holds a secret: it is typed as a whole, and takes no other keys than Enter, Tab and Escape";
  if (command && takesSelection()) return "what is selected repeats a secret: it is not copied";
  return "";
}

/** Whether the selection touches what repeats a secret, or lies in a field that holds one. */
function takesSelection(): boolean {
  if (!knowsSecrets()) return false;
  const focused = deepActiveElement();
  const field = focused && fieldOf(focused);
  if (field && isSensitive(field)) return true;
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return false;
  return inOnePass(() => {
    const { texts } = repeats();
    for (let i = 0; i < selection.rangeCount; i++) {
      const range = selection.getRangeAt(i);
      for (const text of texts) if (range.intersectsNode(text)) return true;
    }
    return false;
  });
}

let watching = false;

/** Keeps secrets from the clipboard and from drags, from now on: a menu and a page's own button copy as well. */
export function watchCarrying(): void {
  if (watching) return;
  watching = true;
  for (const type of ["copy", "cut", "dragstart"]) addEventListener(type, onCarry, { capture: true });
}

function onCarry(event: Event): void {
  const on = event.composedPath()[0];
  const dragged = event.type === "dragstart" && on instanceof Node && isSecretPart(on);
  if (!dragged && !takesSelection()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Whether a node is of a field that holds a secret, or repeats one. */
export function isSecretPart(node: Node): boolean {
  if (!knowsSecrets()) return false;
  return inOnePass(() => {
    const el = node instanceof Element ? node : node.parentElement;
    if (!el) return false;
    for (const field of [fieldOf(el), ...el.querySelectorAll("input,textarea,[contenteditable]")]) if (field && isSensitive(field)) return true;
    const found = repeats();
    return found.within(el) || found.by(el) || [...found.attributes.keys()].some((one) => composedContains(el, one));
  });
}

interface Cover {
  x: number; // in CSS pixels, of the page's viewport
  y: number;
  width: number;
  height: number;
}

/** How far a cover reaches beyond what it covers, for its border and shadow. */
const MARGIN = 2;

/** What is to be covered in this document; null where it lies in a frame of another origin: then all of that is. */
export async function covers(secrets: Hashes | null): Promise<Cover[] | null> {
  guardSecrets(secrets);
  await findRoots();
  const boxes: Cover[] = [];
  for (const rect of inOnePass(rectsOfSecrets)) {
    const at = throughParents(rect.x, rect.y, true);
    if (typeof at === "string") continue; // it cannot be seen
    if (at.crossed) return null;
    boxes.push({ x: at.x - MARGIN, y: at.y - MARGIN, width: rect.width + 2 * MARGIN, height: rect.height + 2 * MARGIN });
  }
  return boxes;
}

/** Has the closed shadow roots handed over that may show a secret: their hosts hold nothing else. */
async function findRoots(): Promise<void> {
  if (!knowsSecrets()) return;
  let asked = 0;
  eachRoot(document, (root) => {
    for (const el of root.querySelectorAll("*")) {
      if (asked < MOST_HOSTS && mayHost(el) && (!el.firstChild || isCustom(el)) && isVisible(el)) {
        askAgain(el);
        asked++;
      }
    }
  });
  await answers();
}

/** How many elements are asked about for one picture. */
const MOST_HOSTS = 300;

function rectsOfSecrets(): DOMRect[] {
  const found = new Set<Element>();
  eachRoot(document, (root) => {
    for (const field of root.querySelectorAll("input,textarea,[contenteditable]")) if (isSensitive(field)) found.add(field);
  });
  const rects: DOMRect[] = [];
  if (knowsSecrets()) {
    const repeated = repeats();
    repeated.addShown(shortTexts());
    const { texts, attributes } = repeated;
    for (const text of texts) {
      rects.push(...rectsOf(text)); // it may reach beyond its element
      const el = shows(text);
      if (el) found.add(el.closest("select") ?? drawingAround(el) ?? el);
    }
    for (const [el, names] of attributes) if ([...names].some((name) => SHOWN.has(name) || (name !== "class" && el.matches("img,image,input[type=image]")))) found.add(el);
    for (const one of drawn()) {
      if (one instanceof DOMRect) rects.push(one);
      else found.add(one);
    }
  }
  return [...rects, ...[...found].filter(isVisible).map(boxOf)];
}

/** The whole drawing that an element is a part of: where a text lies on a path, its box tells how wide its letters are. */
function drawingAround(el: Element): Element | null {
  let drawing = el.closest("svg");
  while (drawing?.ownerSVGElement) drawing = drawing.ownerSVGElement;
  return drawing;
}

/** A text that is no longer than this may be one of the letters of a secret, each put in its place. */
const LETTERS = 5;

function shortTexts(): Text[] {
  const all: Text[] = [];
  eachRoot(document, (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode as Text;
      const letters = text.data.trim().length;
      const el = letters > 0 && letters <= LETTERS ? shows(text) : null;
      if (el && isDrawn(el)) all.push(text);
    }
  });
  return all;
}

/** The element that shows a text: a shadow root's is its host. */
function shows(text: Text): Element | null {
  const root = text.parentNode;
  return root instanceof ShadowRoot ? root.host : text.parentElement;
}

/** Where a text is drawn, and its shadows. */
function rectsOf(text: Text): DOMRect[] {
  const el = shows(text);
  if (!el || !isDrawn(el)) return [];
  const range = document.createRange();
  range.selectNodeContents(text);
  const rects = [...range.getClientRects()];
  const { textShadow, filter } = getComputedStyle(el);
  for (const [, dx, dy] of `${textShadow} ${filter}`.matchAll(/(-?[\d.]+)px (-?[\d.]+)px/g)) {
    for (const { x, y, width, height } of range.getClientRects()) rects.push(new DOMRect(x + Number(dx), y + Number(dy), width, height));
  }
  return rects;
}

/** Attributes that are drawn; "" is what a field holds. */
const SHOWN = new Set(["", "value", "placeholder", "alt", "label"]);

/** What shows pixels whose words cannot be read: a page may have drawn a secret there. */
const DRAWN = "canvas,video,object,embed";
/** A picture that is smaller, in CSS pixels, shows no six letters. */
const LEAST_WIDTH = 24;

/** Elements that show what cannot be read, or what only a style makes. */
function* drawn(): Generator<Element | DOMRect> {
  const made = new Stream<Element>();
  const marks = new Stream<Element>(); // next to their elements
  const styled: Element[] = [];
  const roots: Element[] = [];
  eachRoot(document, (root) => {
    for (const el of root.querySelectorAll("*")) roots.push(el);
  });
  for (const el of roots) {
    if (el.matches(DRAWN)) yield el;
    else if (el instanceof HTMLImageElement || el instanceof SVGImageElement) {
      const address = el instanceof HTMLImageElement ? el.currentSrc || el.src : el.href.baseVal;
      if (isMadeHere(address) && el.getBoundingClientRect().width >= LEAST_WIDTH) yield el;
    }
    const { width, height, top, bottom } = el.getBoundingClientRect();
    if (height < 1 || bottom < 0 || top > innerHeight) continue;
    const style = getComputedStyle(el);
    if (style.display === "list-item" && style.listStyleType.startsWith('"')) marks.add(style.listStyleType, el);
    if (width < 1) continue;
    if (width >= LEAST_WIDTH && [style.backgroundImage, style.borderImageSource, style.maskImage, style.listStyleImage].some((image) => /\b(?:url\("?(?:data|blob):|paint\(|element\()/.test(image))) styled.push(el);
    for (const where of ["::before", "::after", "::marker"]) {
      const { content } = getComputedStyle(el, where);
      if (content === "none" || content === "normal" || content === '""') continue;
      if (repeatsSecret(content)) yield el;
      made.add(content, el);
    }
  }
  yield* styled;
  const all = new Set<Element>();
  const marked = new Set<Element>();
  for (const index of indexes()) {
    made.owners(index, (el) => all.add(el));
    marks.owners(index, (el) => marked.add(el));
  }
  yield* all;
  for (const el of marked) {
    const { x, y, width, height } = el.getBoundingClientRect();
    yield new DOMRect(x - MARK_WIDTH, y, width + 2 * MARK_WIDTH, height);
  }
}

/** How far from its element the mark of a list may reach. */
const MARK_WIDTH = 60;

/** Whether an image is one that a script may have drawn. */
function isMadeHere(address: string): boolean {
  return /^(?:data|blob):/.test(address);
}

/** The box of a frame's element, all of which is to be covered. */
export function coverOf(owner: Element): Cover {
  const { x, y, width, height } = owner.getBoundingClientRect();
  const at = throughParents(x, y, true);
  return typeof at === "string" || at.crossed ? { x: 0, y: 0, width: 1e5, height: 1e5 } : { x: at.x, y: at.y, width, height };
}

/** The size of the viewport, to which pictures are scaled. */
export function viewport(): { width: number; height: number; x: number; y: number } {
  return { width: innerWidth, height: innerHeight, x: scrollX, y: scrollY };
}
