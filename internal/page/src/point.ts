// Where to press: a point of an element that nothing covers, in view, still, and
// carried out of the frames around it.

import { brief, composedContains, deepElementFromPoint, isVisible, reaches } from "./dom";
import { watchAround } from "./guard";
import type { Ready, Request } from "./request";
import { nextFrame } from "./wait";

/** Points that are tried where the recorded one is covered: the middle, then towards the edges. */
const POINTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]] as const;

/** Scrolls the element into view and finds a point of it that nothing covers. */
export function reachable(el: Element, request: Pick<Request, "offset">): Ready {
  const scrolled = !isInView(el);
  if (scrolled) el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const wanted = request.offset ? [[request.offset.x, request.offset.y] as const, ...POINTS] : POINTS;
  let cover = "";
  for (const rect of el.getClientRects()) {
    for (const [fx, fy] of wanted) {
      const x = rect.x + Math.min(Math.max(fx * rect.width, 1), Math.max(rect.width - 1, 0));
      const y = rect.y + Math.min(Math.max(fy * rect.height, 1), Math.max(rect.height - 1, 0));
      const hit = deepElementFromPoint(x, y);
      if (!reaches(hit, el)) {
        cover ||= hit ? `${brief(el)} is covered by ${brief(hit)}` : `${brief(el)} is out of view`;
        continue;
      }
      const top = throughParents(x, y);
      if (typeof top !== "string") return { ...top, press: el, scrolled, size: [rect.width, rect.height] };
      cover ||= top;
    }
  }
  return { why: cover || `${brief(el)} has no size` };
}

export function isInView(el: Element): boolean {
  const rect = el.getBoundingClientRect();
  return rect.top >= 0 && rect.left >= 0 && rect.bottom <= innerHeight && rect.right <= innerWidth;
}

/**
 * Carries a point of this frame up to the page's viewport, as far as the parents are
 * of this origin. Blindly it does not matter what lies there.
 */
export function throughParents(x: number, y: number, blindly = false): Point | string {
  let view: Window = window;
  for (let depth = 0; view !== view.parent; depth++) {
    const owner = frameElementOf(view);
    if (!owner) return { x, y, crossed: true, depth };
    const point = outOf(owner, x, y, blindly);
    if (typeof point === "string") return point;
    ({ x, y } = point);
    view = view.parent;
  }
  return { x, y };
}

interface Point {
  x: number;
  y: number;
  crossed?: boolean;
  depth?: number;
}

/**
 * Carries a point of the frame that owner holds into this one, and on as far as
 * may be. Where the frame has scrolled to its element, what is around it may be
 * scrolling as well, in a process of its own: that is waited for.
 */
export async function carry(owner: Element, x: number, y: number, scrolled: boolean): Promise<Point | { why: string }> {
  if (scrolled) await standStill(owner);
  const here = outOf(owner, x, y);
  if (typeof here === "string") return { why: here };
  const there = throughParents(here.x, here.y);
  if (typeof there === "string") return { why: there };
  watchAround();
  return there;
}

/** Frames in which something must not have moved to be taken for still, and in which it is given up. */
const STILL_FRAMES = 2;
const MOST_FRAMES = 60;

async function standStill(el: Element): Promise<void> {
  let last = el.getBoundingClientRect();
  for (let still = 0, frames = 0; still < STILL_FRAMES && frames < MOST_FRAMES; frames++) {
    await nextFrame();
    const now = el.getBoundingClientRect();
    still = now.x === last.x && now.y === last.y ? still + 1 : 0;
    last = now;
  }
}

/** A point of a frame's viewport in that of the document that holds the frame's element. */
function outOf(owner: Element, x: number, y: number, blindly = false): { x: number; y: number } | string {
  if (!blindly && !isInView(owner)) owner.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rect = owner.getBoundingClientRect();
  const box = owner as HTMLElement;
  const scale = box.offsetWidth ? rect.width / box.offsetWidth : 1;
  const style = getComputedStyle(owner);
  const px = rect.x + (owner.clientLeft + parseFloat(style.paddingLeft) + x) * scale;
  const py = rect.y + (owner.clientTop + parseFloat(style.paddingTop) + y) * scale;
  if (blindly) return { x: px, y: py };
  const hit = hitIn(owner, px, py);
  return hit === owner ? { x: px, y: py } : `the frame ${brief(owner)} is ${hit ? `covered by ${brief(hit)}` : "out of view"}`;
}

function hitIn(owner: Element, x: number, y: number): Element | null {
  return (owner.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
}

function frameElementOf(view: Window): Element | null {
  try {
    return view.frameElement;
  } catch {
    return null;
  }
}

export function isMoving(el: Element): boolean {
  return running().some((animation) => {
    const target = (animation.effect as KeyframeEffect | null)?.target;
    return !!target && composedContains(target, el);
  });
}

/** Whether anything moves or fades that will come to an end. */
export function isAnimated(): boolean {
  return running().length > 0;
}

function running(): Animation[] {
  return document.getAnimations().filter((animation) => animation.playState === "running" && isFinite(endOf(animation)));
}

function endOf(animation: Animation): number {
  return Number(animation.effect?.getComputedTiming().endTime ?? 0);
}

/** The point of an element to which something is dragged: what is dragged may come between. */
export function pointOn(el: Element, { offset }: Request): Ready {
  if (!isVisible(el)) return { why: `${brief(el)} is hidden` };
  const scrolled = !isInView(el);
  if (scrolled) el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rect = el.getBoundingClientRect();
  const point = throughParents(rect.x + (offset?.x ?? 0.5) * rect.width, rect.y + (offset?.y ?? 0.5) * rect.height);
  return typeof point === "string" ? { why: point } : { ...point, scrolled };
}

/** The middle of an element, for a look or a picture. */
export function pointIn(el: Element): Ready | undefined {
  const rect = el.getBoundingClientRect();
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
}

/** The middle of the page's viewport. */
export function middle(): { x: number; y: number } {
  return { x: innerWidth / 2, y: innerHeight / 2 };
}

/** Where an element stands in the page, for a picture: it is brought into view. */
export function standsAt(el: Element): Ready {
  if (!isInView(el)) el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const { x, y, width, height } = el.getBoundingClientRect();
  const at = throughParents(x, y, true);
  if (typeof at === "string" || at.crossed) return {};
  let outermost: Window = window;
  while (outermost !== outermost.parent) outermost = outermost.parent;
  return { box: [at.x / outermost.innerWidth, at.y / outermost.innerHeight, width / outermost.innerWidth, height / outermost.innerHeight] };
}

/** How far the page would have to be scrolled for an element to be in its middle, if it is out of view. */
export function outOfView(el: Element): Ready {
  const rect = el.getBoundingClientRect();
  if (window !== window.parent || isInView(el) || !isVisible(el)) return { x: 0, y: 0 };
  const down = rect.top < 0 || rect.bottom > innerHeight ? rect.top + rect.height / 2 - innerHeight / 2 : 0;
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
  const most = scrollHeight - clientHeight - scrollTop;
  return { x: 0, y: Math.max(-scrollTop, Math.min(most, down)) };
}
