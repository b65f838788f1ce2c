// A press on a switch that a page draws itself is recorded as what it has made of it: played where that is so already it
// would undo it.

import { stateOf } from "../dom/elements";
import { toggleAt } from "../dom/toggles";
import { until } from "../dom/wait";
import { sendEvent } from "../dom/wire";
import { describeNow, type Target } from "../describe/describe";

/** How long a page may take to set what was pressed, in ms. */
const SETS_MS = 1000;

interface Toggling {
  press: number;
  toggle: Element;
  target: Target;
  before: boolean;
}

let toggling: Toggling | null = null;

/** Notes what is pressed, before the page hears of it. */
export function noteToggle(element: Element, press: number): void {
  tell(toggling); // a quick user has gone on
  const toggle = toggleAt(element);
  toggling = toggle ? { press, toggle, target: describeNow(toggle), before: stateOf(toggle) } : null;
}

/** Reports what the press has made of it, once the page has done so. What the browser sets itself, its change tells. */
export async function tellToggled(press: number): Promise<void> {
  const now = toggling;
  if (now?.press !== press) return;
  const changed = () => { if (toggling === now) toggling = null; };
  now.toggle.addEventListener("change", changed, { once: true });
  await until(SETS_MS, () => toggling !== now || stateOf(now.toggle) !== now.before || undefined);
  now.toggle.removeEventListener("change", changed);
  tell(now);
}

function tell(now: Toggling | null): void {
  if (!now || toggling !== now || !now.toggle.isConnected || stateOf(now.toggle) === now.before) return;
  toggling = null;
  sendEvent({ type: "check", press: now.press, target: now.target, checked: !now.before });
}

export function forgetToggle(): void {
  toggling = null;
}
