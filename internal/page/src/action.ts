// What a step needs of its element before input is sent: that it is there, can
// be used, stands still, and is what a press at the given point would reach.

import { brief, composedContains, composedParent, deepActiveElement, deepElementFromPoint, isInert, isVisible, labelsOf, reaches } from "./dom";
import { watchAround, watchDrag, watchPress } from "./guard";
import { describe, type Description } from "./describe";
import { Finder, type Considered, type Found, type Tried, type Wanted } from "./locate";
import { refOf } from "./recorder";
import { isAsking } from "./roots";
import { Search } from "./scroll";
import { remember } from "./sensitive";
import { stillIs } from "./still";
import { isReady, nextFrame, until } from "./wait";

export type Use = "click" | "type" | "keys" | "select" | "check" | "upload" | "drag" | "aim" | "focus" | "see";

export interface Request extends Wanted {
  use: Use;
  timeout: number; // ms
  offset?: { x: number; y: number }; // fractions of the border box
  checked?: boolean; // use "check": the state that is wanted
  values?: string[]; // use "select": values or labels; "upload": as many as there are files
  value?: string; // use "type"
  secret?: boolean; // the value is one
  origins?: string[]; // where the value may be typed
  optional?: boolean; // its absence is known as soon as the page rests
}

export interface Reply {
  ok: boolean;
  done?: boolean; // nothing is left to do
  x?: number; // where to press, in CSS pixels of this frame's viewport
  y?: number;
  crossed?: boolean; // the point is known only within the frame depth levels up: what is around it is of another origin
  depth?: number;
  scrolled?: boolean; // the element had to be scrolled to
  matched?: number;
  code?: "gone" | "ambiguous" | "changed" | "not_actionable" | "invalid_value" | "out_of_scope";
  why?: string;
  confidence?: number;
  drift?: number;
  lost?: number[]; // selectors that no longer name it
  anew?: Description; // where some do not
  tried?: Tried[];
  considered?: Considered[];
  ref?: number; // use "upload": the field for files; without one they are dropped at the point
  empty?: boolean; // the field holds nothing that would have to be removed
}

/** A refusal that more waiting will not mend. */
class Refusal extends Error {
  constructor(readonly code: NonNullable<Reply["code"]>, message: string) {
    super(message);
  }
}

/** Finds the element, makes it ready, and says where to press. */
export async function act(request: Request): Promise<Reply> {
  const finder = new Finder({ ...request, hidden: MAY_BE_HIDDEN.has(request.use), any: request.use === "see" });
  const search = new Search();
  let why = "";
  let anew: Description | undefined; // before the page hears of anything that is done
  let found: Found | undefined;
  let ready = false; // what is found and cannot be used is not a reason to leave a list elsewhere
  const probe = (): Reply | undefined => {
    if (!isReady() || isAsking()) return undefined;
    found = finder.look();
    if (!found) {
      why = "";
      if (request.optional && finder.rests()) return failure(finder, "");
      if (!request.optional && request.use !== "see" && (search.isUnderWay || finder.rests())) search.advance();
      return undefined;
    }
    const { element } = found;
    anew ??= found.lost.length && request.fingerprint?.own ? describe(element, request.fingerprint.key, request.fingerprint.testIdAttribute) : undefined;
    const { press, ...use } = USES[request.use](element, request);
    why = use.why ?? (press && isMoving(press) ? `${brief(press)} does not stand still` : "");
    if (why) return undefined;
    if (press) watchPress(press, stillUsable(element, request), request.use === "check" ? () => stateOf(element) : undefined);
    const { matched, confidence, drift, lost } = found;
    ready = true;
    return { ...use, ok: true, matched, confidence, drift, lost, tried: found.tried, ...(anew ? { anew } : {}) };
  };
  try {
    return (await until(request.timeout, probe, () => search.isUnderWay || (why !== "" && isAnimated()))) ?? failure(finder, why);
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, code: error.code, why: error.message };
    throw error;
  } finally {
    search.stop(ready);
    finder.stop();
  }
}

/** Elements that a page often hides behind something prettier. */
const MAY_BE_HIDDEN = new Set<Use>(["check", "select", "upload"]);

/** What a use says of an element: why it cannot be used yet, or what to press for it. */
type Ready = Omit<Reply, "ok"> & { press?: Element };

const USES: Record<Use, (el: Element, request: Request) => Ready> = {
  click: readyToClick,
  type: typeInto,
  keys: (el) => readyToType(el, (field) => ({ empty: selectAll(field) })),
  select: chooseOptions,
  check: readyToCheck,
  upload: readyForFiles,
  drag: (el, request) => (watchDrag(), readyToClick(el, request)),
  aim: pointOn,
  focus: (el) => (focus(el), {}),
  see: (el) => pointIn(el) ?? {},
};

function failure(finder: Finder, why: string): Reply {
  const { code = "gone", tried, considered } = finder.lookEverywhere();
  if (why) return { ok: false, code: "not_actionable", why, tried, considered };
  if (!isReady()) return { ok: false, code: "not_actionable", why: "the page is still loading", tried };
  return { ok: false, code, tried, considered };
}

function readyToClick(el: Element, request: Request): Ready {
  const off = disabledWhy(el);
  return off ? { why: off } : reachable(el, request);
}

function readyToCheck(el: Element, request: Request): Ready {
  if (stateOf(el) === (request.checked ?? true)) return { done: true };
  const off = disabledWhy(el);
  if (off) return { why: off };
  const own = isVisible(el) ? reachable(el, request) : { why: `${brief(el)} is hidden` };
  if (!own.why) return own;
  for (const label of labelsOf(el)) {
    const byLabel = isVisible(label) ? reachable(label, {}) : own;
    if (!byLabel.why) return byLabel;
  }
  return own;
}

/** Whether a checkbox, radio or switch is on. */
export function stateOf(el: Element): boolean {
  return el instanceof HTMLInputElement ? el.checked : el.getAttribute("aria-checked") === "true";
}

/** A test, for the moment of the press, whether the element is what was found, and can still be used. */
function stillUsable(el: Element, request: Request): () => boolean {
  const still = stillIs(el, request.fingerprint);
  return () => !disabledWhy(el) && still();
}

function disabledWhy(el: Element): string {
  if (el.matches(":disabled")) return `${brief(el)} is disabled`;
  if (isInert(el)) return `${brief(el)} is inert`;
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at.getAttribute("aria-disabled") === "true") return `${brief(el)} is disabled`;
  }
  return "";
}

/** Points that are tried where the recorded one is covered: the middle, then towards the edges. */
const POINTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]] as const;

/** Scrolls the element into view and finds a point of it that nothing covers. */
function reachable(el: Element, request: Pick<Request, "offset">): Ready {
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
      if (typeof top !== "string") return { ...top, press: el, scrolled };
      cover ||= top;
    }
  }
  return { why: cover || `${brief(el)} has no size` };
}

function isInView(el: Element): boolean {
  const rect = el.getBoundingClientRect();
  return rect.top >= 0 && rect.left >= 0 && rect.bottom <= innerHeight && rect.right <= innerWidth;
}

/** Carries a point of this frame up to the page's viewport, as far as the parents are of this origin. */
export function throughParents(x: number, y: number): Point | string {
  let view: Window = window;
  for (let depth = 0; view !== view.parent; depth++) {
    const owner = frameElementOf(view);
    if (!owner) return { x, y, crossed: true, depth };
    const point = outOf(owner, x, y);
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
function outOf(owner: Element, x: number, y: number): { x: number; y: number } | string {
  if (!isInView(owner)) owner.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rect = owner.getBoundingClientRect();
  const box = owner as HTMLElement;
  const scale = box.offsetWidth ? rect.width / box.offsetWidth : 1;
  const style = getComputedStyle(owner);
  const px = rect.x + (owner.clientLeft + parseFloat(style.paddingLeft) + x) * scale;
  const py = rect.y + (owner.clientTop + parseFloat(style.paddingTop) + y) * scale;
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

function isMoving(el: Element): boolean {
  return running().some((animation) => {
    const target = (animation.effect as KeyframeEffect | null)?.target;
    return !!target && composedContains(target, el);
  });
}

/** Whether anything moves or fades that will come to an end. */
function isAnimated(): boolean {
  return running().length > 0;
}

function running(): Animation[] {
  return document.getAnimations().filter((animation) => animation.playState === "running" && isFinite(endOf(animation)));
}

function endOf(animation: Animation): number {
  return Number(animation.effect?.getComputedTiming().endTime ?? 0);
}

const SET_NOT_TYPED = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);
const NOT_TEXT = new Set(["button", "checkbox", "file", "hidden", "image", "radio", "reset", "submit"]);

function readyToType(el: Element, use: (field: HTMLElement) => Ready): Ready {
  const field = editable(el);
  if (typeof field === "string") return { why: field };
  const off = disabledWhy(field);
  if (off) return { why: off };
  if (!isInView(field)) field.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  focus(field);
  if (!composedContains(field, deepActiveElement())) return { why: `${brief(field)} does not take the focus` };
  return use(field);
}

/**
 * Puts the value in, in the same task in which all was checked: nothing can come
 * between. Rich editors get it as input instead, as they live on beforeinput,
 * which an editing command does not send; but never a secret.
 */
function typeInto(el: Element, request: Request): Ready {
  const value = request.value ?? "";
  if (request.origins && !request.origins.includes(self.origin)) throw new Refusal("out_of_scope", `the value may not be typed on ${self.origin}`);
  return readyToType(el, (field) => {
    if (request.secret) remember(field, value);
    else if (field.isContentEditable) return { empty: selectAll(field) };
    return SET_NOT_TYPED.has((field as HTMLInputElement).type) ? setValue(field as HTMLInputElement, value) : insert(field, value);
  });
}

/** Replaces what a field holds, as the person's keyboard or clipboard would. */
function insert(field: HTMLElement, value: string): Ready {
  const empty = selectAll(field);
  if (value) document.execCommand("insertText", false, value);
  else if (!empty) document.execCommand("delete");
  return { done: true };
}

function editable(el: Element): HTMLElement | string {
  if (el instanceof HTMLLabelElement && el.control) return editable(el.control);
  if (el instanceof HTMLInputElement && !NOT_TEXT.has(el.type)) return el.readOnly ? `${brief(el)} is read-only` : el;
  if (el instanceof HTMLTextAreaElement) return el.readOnly ? `${brief(el)} is read-only` : el;
  if (el instanceof HTMLElement && el.isContentEditable) return el;
  return `${brief(el)} is not a field that takes text`;
}

/**
 * For what has a picker of the browser's own: its value is set, and the page is told,
 * where it is another one. Set from this world it passes by what a framework has put
 * in the way of its own, which so finds it changed, as after a person's choice.
 */
function setValue(field: HTMLInputElement, value: string): Ready {
  const before = field.value;
  field.value = value;
  if (!isTaken(field, value)) {
    field.value = before;
    throw new Refusal("invalid_value", `${brief(field)} of type ${field.type} does not take the value`);
  }
  if (field.value !== before) tell(field);
  return { done: true };
}

/** Whether a field took a value: it may write it in its own way, but not put another in its place. */
function isTaken({ type, value: taken }: HTMLInputElement, value: string): boolean {
  if (type === "range") return Number(taken) === Number(value);
  if (type === "color") return taken.toLowerCase() === value.toLowerCase();
  return taken !== "" || value === "";
}

function tell(el: Element): void {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

function focus(el: Element): void {
  (el as HTMLElement).focus({ preventScroll: true });
}

/** Selects what the field holds, so that typing replaces it; true where it holds nothing. */
function selectAll(field: HTMLElement): boolean {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    field.select();
    return field.value === "";
  }
  getSelection()?.selectAllChildren(field);
  return field.textContent === "";
}

function chooseOptions(el: Element, request: Request): Ready {
  if (!(el instanceof HTMLSelectElement)) return { why: `${brief(el)} is not a list to select from` };
  const off = disabledWhy(el);
  if (off) return { why: off };
  const wanted = request.values ?? [];
  const chosen = wanted.map((value) => [...el.options].find((o) => o.value === value) ?? [...el.options].find((o) => o.label.trim() === value.trim()));
  const missing = wanted.filter((_, i) => !chosen[i]);
  if (missing.length) return { why: `${brief(el)} has ${el.options.length} options, none of them the wanted one` };
  if (chosen.some((o) => o?.disabled)) return { why: `an option of ${brief(el)} is disabled` };
  focus(el);
  for (const option of el.options) option.selected = chosen.includes(option);
  tell(el);
  return { done: true };
}

/** A field for files takes them hidden or not; on anything else they are dropped. */
function readyForFiles(el: Element, request: Request): Ready {
  const field = el instanceof HTMLLabelElement && el.control ? el.control : el;
  const off = disabledWhy(field);
  if (off) return { why: off };
  if (field instanceof HTMLInputElement && field.type === "file") {
    if (!field.multiple && (request.values?.length ?? 0) > 1) throw new Refusal("invalid_value", `${brief(field)} takes one file`);
    return { ref: refOf(field) };
  }
  if (!isVisible(el)) return { why: `${brief(el)} is hidden` };
  const { press: on, ...point } = reachable(el, request);
  return on && isMoving(on) ? { why: `${brief(on)} does not stand still` } : point;
}

/** The element that holds the frame a step is in; null when it does not come. */
export async function frame(paths: string[][], timeout: number): Promise<Element | null> {
  const finder = new Finder({ paths, hidden: true });
  const found = await until(timeout, () => finder.look());
  finder.stop();
  return found?.element ?? null;
}

/** The point of an element to which something is dragged: what is dragged may come between. */
function pointOn(el: Element, { offset }: Request): Ready {
  if (!isVisible(el)) return { why: `${brief(el)} is hidden` };
  const scrolled = !isInView(el);
  if (scrolled) el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rect = el.getBoundingClientRect();
  const point = throughParents(rect.x + (offset?.x ?? 0.5) * rect.width, rect.y + (offset?.y ?? 0.5) * rect.height);
  return typeof point === "string" ? { why: point } : { ...point, scrolled };
}

/** The middle of an element, for a look or a picture. */
function pointIn(el: Element): Ready | undefined {
  const rect = el.getBoundingClientRect();
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
}
