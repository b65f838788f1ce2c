// A press on a switch that a page draws itself is recorded as what it has made of it: played where that is so already it
// would undo it.

import { deepActiveElement, deepElementFromPoint, stateOf } from "../dom/elements";
import { nameOf } from "../dom/names";
import { pressedBeside, toggleAt } from "../dom/toggles";
import { until } from "../dom/wait";
import { sendEvent } from "../dom/wire";
import { describeNow, type Target } from "../describe/describe";
import { isEditor } from "./editor";

/** How long a page may take to set what was pressed, in ms. */
const SETS_MS = 1000;

interface Toggling {
  press: number;
  toggle: Element;
  target: Target;
  name: string;
  before: boolean;
  others: Element[]; // that were pressed before it
  x: number;
  y: number;
}

let toggling: Toggling | null = null;

/** Notes what is pressed, before the page hears of it. A tool of an editor is one for what is selected there. */
export function noteToggle(element: Element, press: number, { clientX: x, clientY: y }: MouseEvent): void {
  tell(toggling); // a quick user has gone on
  const toggle = toggleAt(element);
  const active = deepActiveElement();
  const isTool = toggle?.hasAttribute("aria-pressed") && active instanceof HTMLElement && isEditor(active);
  toggling = toggle && !isTool ? { press, toggle, target: describeNow(toggle), name: nameOf(toggle), before: stateOf(toggle), others: pressedBeside(toggle), x, y } : null;
}

/** Reports what the press has made of it, once the page has done so. What the browser sets itself, its change tells. */
export async function tellToggled(press: number): Promise<void> {
  const now = toggling;
  if (now?.press !== press) return;
  await until(SETS_MS, () => toggling !== now || hasTurned(now) || undefined);
  tell(now);
}

/** The press by which a box of the browser's own has changed that is drawn by what was pressed: its change tells what was meant. */
export function pressOfBox(box: Element): { press?: number } {
  if (!toggling) return {};
  const { toggle, press } = toggling;
  const drawn = toggle !== box && (toggle.closest("label")?.contains(box) || toggle.parentElement === box.parentElement);
  if (drawn || toggle === box) toggling = null;
  return drawn ? { press } : {};
}

function tell(now: Toggling | null): void {
  if (!now || toggling !== now || !hasTurned(now)) return;
  toggling = null;
  if (now.others.every((one) => one.ariaPressed === "true")) sendEvent({ type: "check", press: now.press, target: now.target, checked: !now.before });
}

/** Whether it is as it was not before; where the page has drawn it again, the one that stands in its place. */
function hasTurned({ toggle, name, before, x, y }: Toggling): boolean {
  if (toggle.isConnected) return stateOf(toggle) !== before;
  const hit = deepElementFromPoint(x, y);
  const again = hit && toggleAt(hit);
  return !!again && again.localName === toggle.localName && nameOf(again) === name && stateOf(again) !== before;
}

export function forgetToggle(): void {
  toggling = null;
}
