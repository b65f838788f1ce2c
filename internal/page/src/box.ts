// Where a pressed element stands, for a small picture of it. There is none of
// anything that may show what somebody typed.

import { eachRoot } from "./dom";
import { holdsField } from "./pointed";
import { isSensitive, knowsSecrets, repeatsSecret } from "./sensitive";
import { elementOf } from "./told";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  view: number; // width of the window
  at: [number, number]; // where it was pressed
}

/** What is larger is seen around the press only. */
const WIDEST = 420;
const HIGHEST = 160;

/** What may show what was typed, or what this document cannot look into. */
const OPAQUE = "input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image],[type=checkbox],[type=radio]),textarea,select,[contenteditable]:not([contenteditable=false]),iframe,frame,object,embed";

/** How much of an element's source is looked at: its attributes may be drawn, too. */
const MOST_READ = 20_000;

let wanted = false;

/** Says whether pictures are wanted; where not, nothing of this costs anything. */
export function wantBoxes(yes: boolean): void {
  wanted = yes;
}

/** The place of an element around a point, undefined where no picture may be made. */
export function boxOf(el: Element, x: number, y: number): Box | undefined {
  if (!wanted || window !== window.parent || holdsField(el) || isSensitive(el)) return undefined;
  if (knowsSecrets() && [(el as HTMLElement).innerText ?? el.textContent ?? "", el.outerHTML.slice(0, MOST_READ)].some(repeatsSecret)) return undefined;
  const box = around(el.getBoundingClientRect(), x, y);
  return box.width > 4 && box.height > 4 && !isOverField(box) ? { ...box, view: innerWidth, at: [x, y] } : undefined;
}

/** Whether an element that was told of still stands there, and may still be shown. */
export function standsAt(ref: number, box: Box): boolean {
  const el = elementOf(ref);
  const now = el?.isConnected ? boxOf(el, ...box.at) : undefined;
  return now !== undefined && now.x === box.x && now.y === box.y && now.width === box.width && now.height === box.height && now.view === box.view;
}

function around(rect: DOMRect, x: number, y: number): { x: number; y: number; width: number; height: number } {
  const [left, right] = part(rect.left, rect.right, x, WIDEST, innerWidth);
  const [top, bottom] = part(rect.top, rect.bottom, y, HIGHEST, innerHeight);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The part of a stretch that is in view, and where it is long around a point. */
function part(from: number, to: number, at: number, longest: number, end: number): [number, number] {
  const first = Math.max(from, 0, to - from > longest ? at - longest / 2 : 0);
  return [first, Math.min(to, end, first + longest)];
}

function isOverField(box: { x: number; y: number; width: number; height: number }): boolean {
  let found = false;
  eachRoot(document, (root) => {
    for (const field of found ? [] : root.querySelectorAll(OPAQUE)) {
      const rect = field.getBoundingClientRect();
      const apart = rect.right <= box.x || rect.left >= box.x + box.width || rect.bottom <= box.y || rect.top >= box.y + box.height;
      if (rect.width > 0 && !apart) found = true;
    }
  });
  return found;
}
