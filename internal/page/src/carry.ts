// What takes a secret out of its field by hand: keys that edit or copy, the clipboard,
// a drag. A field that received a secret takes Enter, Tab and Escape, and is typed into
// whole; a piece of one that a page shows is neither copied nor dragged away.

import { composedContains, deepActiveElement } from "./dom";
import { fieldOf } from "./editable";
import { inOnePass } from "./pass";
import { repeats } from "./repeats";
import { isSensitive, knowsSecrets } from "./sensitive";

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
