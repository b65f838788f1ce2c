// What a press has made of what was pressed is reported a moment later: played where that is so already, it would undo it.

import { deepElementFromPoint } from "../dom/elements";
import { CHOSEN, isChosenOf, statesOf } from "../dom/states";
import { textStart } from "../dom/names";
import { toggleAt } from "../dom/toggles";
import { sendEvent } from "../dom/wire";
import { repeatsSecret } from "../secret/secrets";

/** How long after a press it is looked at, in ms: by then what only comes and goes with it has gone. */
const LATER_MS = 150;

/** More states are none of one control, and longer ones are not told. */
const MOST = 3;
const LONGEST = 80;

interface Turning {
  press: number;
  element: Element;
  text: string;
  before: Set<string>;
  x: number;
  y: number;
}

let turning: Turning | null = null;

/** Notes what is pressed, before the page hears of it; a switch is reported by what it is then. */
export function noteTurned(element: Element, press: number, { clientX: x, clientY: y }: MouseEvent): void {
  tellTurned(turning?.press); // a quick user has gone on
  turning = toggleAt(element) ? null : { press, element, text: textOf(element), before: statesOf(element), x, y };
}

/** Reports it when its time has come. */
export function tellTurnedLater(press: number): void {
  setTimeout(() => tellTurned(press), LATER_MS);
}

function tellTurned(press: number | undefined): void {
  const was = turning;
  if (!was || was.press !== press) return;
  turning = null;
  const now = was.element.isConnected ? was.element : drawnAgain(was);
  const turned = now ? [...statesOf(now)].filter((state) => !was.before.has(state) && state.length <= LONGEST && !repeatsSecret(state)).slice(0, MOST) : [];
  if (now && turned.length) sendEvent({ type: "turned", press, values: [...turned, ...(isChosenOf(now, turned) ? [CHOSEN] : [])] });
}

/** What the page has drawn in place of what was pressed. */
function drawnAgain({ element, text, x, y }: Turning): Element | null {
  let at = deepElementFromPoint(x, y);
  while (at && !(at.localName === element.localName && textOf(at) === text)) at = at.parentElement;
  return at;
}

export function forgetTurned(): void {
  turning = null;
}

function textOf(el: Element): string {
  return textStart(el, LONGEST).trim();
}
