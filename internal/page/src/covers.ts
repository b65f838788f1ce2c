// Where something secret is shown, so that pictures can cover it: fields that hold
// one, and texts that repeat one.

import { eachRoot, isVisible } from "./dom";
import { inOnePass } from "./pass";
import { throughParents } from "./point";
import { isSensitive, rememberText, repeatsSecret } from "./sensitive";

export interface Cover {
  x: number; // in CSS pixels, of the page's viewport
  y: number;
  width: number;
  height: number;
}

/** How far a cover reaches beyond what it covers, for its border and shadow. */
const MARGIN = 2;

/** What is to be covered in this document; null where it lies in a frame of another origin: then all of that is. */
export function covers(secrets: string[]): Cover[] | null {
  for (const secret of secrets) rememberText(secret);
  const found: Element[] = inOnePass(() => {
    const all: Element[] = [];
    eachRoot(document, (root) => {
      for (const field of root.querySelectorAll("input,textarea,[contenteditable]")) if (isSensitive(field) || repeatsSecret((field as HTMLInputElement).value ?? "")) all.push(field);
      for (const el of withText(root)) if (repeatsSecret(el.textContent ?? "")) all.push(el);
    });
    return all.filter(isVisible);
  });
  if (!found.length) return [];
  const boxes: Cover[] = [];
  for (const el of found) {
    const rect = el.getBoundingClientRect();
    const at = throughParents(rect.x, rect.y, true);
    if (typeof at === "string") continue; // nobody can see it
    if (at.crossed) return null;
    boxes.push({ x: at.x - MARGIN, y: at.y - MARGIN, width: rect.width + 2 * MARGIN, height: rect.height + 2 * MARGIN });
  }
  return boxes;
}

/** The elements that have a text of their own. */
function withText(root: Node): Element[] {
  const found = new Set<Element>();
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (parent && /\S/.test(node.nodeValue ?? "") && !parent.matches("script,style,noscript,template")) found.add(parent);
  }
  return [...found];
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
