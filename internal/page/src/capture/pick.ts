// Picking an element: the user points at one, for a check of its text or for a hover.
//
// Meanwhile the browser keeps presses from the page. What it lets through, as a press in a
// frame that the pointer has not moved in, is swallowed here, and so is Escape.

import { type Target, tell } from "../describe/describe";
import { used } from "../describe/used";
import { composedParent, holdsField, normalize } from "../dom/elements";
import { targetOf } from "../dom/roots";
import { documentId, send } from "../dom/wire";
import { isSensitive, repeatsSecret } from "../secret/secrets";

const SEQUENCE = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
const ENDS = new Set(["click", "auxclick", "contextmenu"]);

let aiming = false;
let swallowing = false;
let hit: Node | null = null;

/** Begins to listen: before the page does, where its document is still to come. */
export function watchAim(): void {
  for (const type of SEQUENCE) addEventListener(type, onPress, { capture: true });
  addEventListener("keydown", onKey, { capture: true });
}

export function forgetAim(): void {
  aiming = swallowing = false;
  for (const type of SEQUENCE) removeEventListener(type, onPress, { capture: true });
  removeEventListener("keydown", onKey, { capture: true });
}

/** Sets whether an element is being picked. */
export function aim(on: boolean): void {
  aiming = on;
}

/** What was pressed, where the browser let it through. */
export function aimedAt(forText: boolean): Pointed | null {
  const at = hit;
  hit = null;
  return at && pointed(at, forText);
}

function onPress(event: Event): void {
  if (!event.isTrusted) return;
  if (event.type === "pointerdown") swallowing = aiming;
  if (!swallowing) return;
  keep(event);
  if (event.type === "pointerdown" && !hit) {
    hit = targetOf(event) as Node;
    send({ type: "aimed" });
  }
  if (ENDS.has(event.type)) swallowing = false;
}

function onKey(event: KeyboardEvent): void {
  if (!aiming || !event.isTrusted || event.key !== "Escape") return;
  keep(event);
  send({ type: "escaped" });
}

function keep(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** What was pointed at; why is the reason for which its text is not told. */
interface Pointed {
  doc: string;
  target: Target;
  text?: string;
  why?: "field" | "frame" | "secret" | "empty" | "long";
}

/** More is a paragraph, and seldom the same again. */
const LONGEST_CHECK = 120;

export function pointed(at: Node, forText: boolean): Pointed | null {
  const hit = at instanceof Element ? at : at.parentElement;
  if (!hit || hit.ownerDocument !== document) return null;
  if (!forText) return { doc: documentId, target: tell(used(hit), true) };
  const why = whyNot(hit);
  const told = { doc: documentId, target: tell(hit, true) };
  return why ? { ...told, why } : { ...told, text: textOf(hit) };
}

function textOf(el: Element): string {
  return normalize(el instanceof HTMLElement ? el.innerText : el.textContent);
}

function whyNot(el: Element): Pointed["why"] {
  if (holdsField(el)) return "field";
  if (el instanceof HTMLIFrameElement) return "frame";
  for (let at: Element | null = el; at; at = composedParent(at)) if (isSensitive(at)) return "secret";
  const text = textOf(el);
  if (repeatsSecret(text)) return "secret";
  if (text === "") return "empty";
  return text.length > LONGEST_CHECK ? "long" : undefined;
}
