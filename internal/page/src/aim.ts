// While something is to be pointed at, the browser keeps presses from the page. What
// it lets through, as a press in a frame that the pointer has not moved in, is kept
// here, and so is Escape.

import { pointed, type Pointed } from "./pointed";
import { targetOf } from "./roots";
import { send } from "./wire";

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

/** Says whether something is to be pointed at. */
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
