// Acting on the element of a step: waiting until it is there, can be used, does not move,
// and is what a press at the given point would reach; then doing what can be done here, or
// returning where to press.

import { describe, type Description } from "../describe/describe";
import { monthsAround } from "../dom/calendar";
import { boxOf, brief, composedContains, composedParent, deepActiveElement, disabledWhy, isDrawn, isVisible, labelsOf, stateOf } from "../dom/elements";
import { isAsking } from "../dom/roots";
import { isSo } from "../dom/states";
import { standInOf } from "../dom/toggles";
import { hasLoaded, isReady, until } from "../dom/wait";
import { Finder, type Found, isOneOfMore, rowWords, stillIs } from "../locate/locate";
import { saidByKin } from "../locate/kin";
import { queryPath } from "../locate/selector";
import { enterSet } from "../locate/sets";
import { knowsSecrets } from "../secret/secrets";
import { repeatsAny } from "../secret/repeats";
import { isSecretPart } from "../secret/withhold";
import { commitEvidence, keyed, saysOf } from "./commit";
import { chooseOptions, enter, focus, hasFocus, holds, isAbsence, isTyped, kindOf, lackIn, quotedSome, read, readyForFiles, typeInto, typeKeys } from "./fields";
import { hasClosed, hasOpenedNothing, isAnimated, isBeingPlaced, isClipped, isFading, isMoving, isOnItsWay, isPlacing, isSettling, looksOff, outOfView, pointAway, pointIn, pointOn, reachable, standsAt, watchDrag, watchDrawing, watchPress } from "./press";
import { askAgain, fieldInUse, forgetWritten, hasLost, isTooSoon, leaveField, mayNarrow, typeAgain } from "./typed";
import { calendar } from "./turn";
import { type Ready, Refusal, type Reply, type Request, type Use } from "./request";
import { Search } from "./scroll";

/** How long what is pressed next may be missing before the text before it is typed once more, in ms. */
const ASKS_AGAIN_MS = 2000;

/** How long a page may take to show the part that a list is in before that is taken for one that stays hidden, in ms. */
const SHOWS_MS = 2000;

/** How long a press may take to open the field that is typed into next before it is taken for lost, in ms. */
const OPENS_MS = 5000;

/** How long what the mouse has come over may take to show what hides there before that is taken to stand elsewhere by now, in ms. */
const HOVERS_AGAIN_MS = 1000;

/** How long an element may take to come before the field is left that was typed into, in ms. */
const LEAVES_MS = 2500;

/** How long something may lie over an element, in ms, before it is closed as people do who press the field that they type into. */
const CLOSES_MS = 1000;

/** Finds the element, makes it ready, and returns where to press. */
export async function act(request: Request): Promise<Reply> {
  const { use } = request;
  if (use === "calendar") return (await until(request.timeout, () => calendar(request))) ?? { ok: false, code: "gone", tried: [] };
  const finder = new Finder({ ...request, hidden: mayBeHidden(request), any: request.use === "see" || !!request.all }, request.timeout);
  const search = new Search();
  if (request.sent) forgetWritten();
  let why = "";
  let current: Description | undefined; // before the page hears of anything that is done
  let found: Found | undefined;
  let isFirst = true;
  let entered: Found | undefined;
  let hasFocused = false; // just now: the page has yet to hear of it
  let came = false; // it was not there at first
  let coveredFrom: number | undefined;
  let ready = false; // what is found and cannot be used is not a reason to leave a list elsewhere
  const mayHover = () => BY_MOUSE.has(request.use) && (!request.hovered || finder.waited > HOVERS_AGAIN_MS);
  const probe = (): Reply | undefined => {
    if (!isReady() || isAsking() || !(hasLoaded() || ONLY_LOOKS.has(request.use))) return undefined;
    if (request.guess && isFirst) refuseGuess(request.paths);
    isFirst = false;
    found = entered && hasFocus(entered.element) ? entered : (inUse(request) ?? finder.look(search.isUnderWay)); // many pages mark what has the focus, which then looks otherwise
    if (request.guess && found) refuseGuess(request.paths);
    if (!found) {
      why = "";
      came = true;
      if (isAbsence(request.state)) {
        if (!finder.isGone()) return undefined;
        if (request.guess) refuseGuess(request.paths);
        return { ok: true, done: true };
      }
      if (request.closed && finder.wasThorough && (hasClosed() || finder.waited > OPENS_MS && hasOpenedNothing())) return { ok: false, code: "closed" };
      if (request.untyped && finder.wasThorough && hasLost()) return { ok: false, code: "untyped" };
      if (request.untyped && finder.wasThorough && finder.waited > ASKS_AGAIN_MS) askAgain();
      if (BY_MOUSE.has(request.use) && finder.wasThorough && finder.waited > LEAVES_MS) leaveField();
      if (!finder.wasThorough && finder.rests()) return undefined;
      if (request.optional && finder.rests()) return failure(finder, "");
      const opener = mayHover() && finder.wasThorough ? finder.alongside(() => openerOf(request)) : undefined;
      if (opener) return { ...opener, ok: true, hover: true };
      if (!request.optional && !ONLY_LOOKS.has(request.use) && (search.isUnderWay || finder.wasThorough)) search.advance();
      return undefined;
    }
    const { element } = found;
    if (found.lost.length && !request.hovered && BY_MOUSE.has(request.use)) { // another row may show its control, where the mouse happens to be
      const opener = finder.alongside(() => openerOf({ paths: request.paths.slice(0, 1).filter((path) => path.length > 1) }));
      if (opener) return { ...opener, ok: true, hover: true };
    }
    current ??= found.lost.length && request.fingerprint?.own ? describe(element, request.fingerprint.key, request.fingerprint.testIdAttribute) : undefined;
    why = whyNotYet(element, request.use, finder.waited) || (BY_MOUSE.has(request.use) && isOnItsWay() ? "the focus is on its way back to where it was" : "");
    if (!why && request.use === "click" && request.paths[0]?.length === 1 && mayNarrow() && isOneOfMore(element, request.fingerprint)) why = `there are more of ${brief(element)} than there were once it was searched for`;
    if (why) return undefined;
    if (request.untyped && hasLost()) return { ok: false, code: "untyped" };
    const wiped = TAKES.has(request.use) ? typeAgain() : null;
    if (wiped) {
      why = `${brief(wiped)} has lost what was typed into it`;
      return undefined;
    }
    hasFocused = !hasFocused && TYPES.has(request.use) && !request.secret && enter(element);
    if (hasFocused) {
      entered = found;
      return undefined;
    }
    const { press, ...usable } = USES[use](element, request);
    const opener = usable.why && mayHover() && isUnseen(element) ? openerAbove(element) : undefined;
    if (opener) return { ...opener, ok: true, hover: true };
    const away = usable.covered && mayHover() ? pointAway(element) : undefined;
    if (away) return { ...away, ok: true, hover: true };
    coveredFrom = usable.covered ? (coveredFrom ?? performance.now()) : undefined;
    const used = coveredFrom && !request.uncovered && performance.now() - coveredFrom > CLOSES_MS ? fieldInUse() : null;
    const { press: field, ...point } = used ? reachable(used, {}) : {};
    if (field) {
      watchPress(field, () => fieldInUse() === field);
      return { ...point, ok: true, uncover: true };
    }
    why = usable.why ?? (press && (isMoving(press) || isBeingPlaced(press, came)) ? `${brief(press)} does not stand still` : "");
    if (why) return undefined;
    if (press) watchPress(press, stillUsable(element, request), request.use === "check" ? () => stateOf(nowOf(element, request)) : undefined);
    const { matched, confidence, drift, lost } = found;
    ready = true;
    lastUsed = { element, paths: request.paths };
    enterSet(element);
    const row = request.kin && !request.fingerprint && rowWords(element, request.kin.key);
    return { ...usable, ok: true, matched, confidence, drift, lost, tried: found.tried, ...(current ? { current } : {}), ...(row ? { row } : {}) };
  };
  try {
    const reply = await until(request.timeout, probe, () => search.isUnderWay || (why !== "" && (isAnimated() || isPlacing())), () => hasFocused);
    if (!reply && request.guess) refuseGuess(request.paths);
    return reply ?? failure(finder, why || lackOf(request), insteadOf(request));
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, code: error.code, why: error.message };
    throw error;
  } finally {
    search.stop(ready);
    finder.stop();
  }
}

/** The element, or what the page has drawn in its place. */
function nowOf(el: Element, { paths }: Request): Element {
  if (el.isConnected || !paths[0]) return el;
  const [only, other] = queryPath(paths[0], document);
  return only && !other ? only : el;
}

let lastUsed: { element: Element; paths: string[][] } | null = null;

/**
 * What goes on where the caret stands, in the element of the step before, is done there: what
 * was done may have given it another name, and may have made another that has its old one.
 */
function inUse({ use, at, again, paths, guess }: Request): Found | undefined {
  if (guess || !(again || use === "focus" || at === "caret")) return undefined;
  const element = lastUsedBy(paths) ?? (use === "focus" ? focusedOf(paths) : undefined);
  return element && { element, matched: 0, confidence: 1, drift: 0, lost: [], tried: [], considered: [] };
}

function lastUsedBy(paths: string[][]): Element | undefined {
  if (!lastUsed?.element.isConnected || !composedContains(lastUsed.element, deepActiveElement())) return undefined;
  return JSON.stringify(paths) === JSON.stringify(lastUsed.paths) ? lastUsed.element : undefined;
}

/** What has the focus, if it is all that one of the paths names: a key goes there, whatever it says by then, as a list that shows what was chosen. */
function focusedOf(paths: string[][]): Element | undefined {
  const focused = deepActiveElement();
  const isNamed = (path: string[]) => {
    const [only, other] = queryPath(path, document);
    return only === focused && !other;
  };
  return focused && focused !== document.body && paths.some(isNamed) ? focused : undefined;
}

/** Uses that leave the page as it is. */
const ONLY_LOOKS = new Set<Use>(["see", "state", "read", "kind", "where", "away", "focused", "typed", "months"]);

/** Why an element is not used for a moment, after which it is. */
function whyNotYet(el: Element, use: Use, waited: number): string {
  if (ONLY_LOOKS.has(use)) return "";
  if (use === "select" && waited < SHOWS_MS && el.parentElement?.checkVisibility() === false) return `${brief(el)} is not shown yet`; // something prettier would stand in a box that is
  if (isFading(el) || (TYPES.has(use) && isSettling(el))) return `${brief(el)} does not stand still`;
  return use === "click" && looksOff(el) ? `${brief(el)} is disabled` : "";
}

/** Uses at which a page may take what its fields hold. */
const TAKES = new Set<Use>(["check", "click", "focus"]);

/** Uses that put a text into a field. */
const TYPES = new Set<Use>(["type", "keys"]);

/** Uses of what a person brings into sight with the mouse. */
const BY_MOUSE = new Set<Use>(["click", "check", "hover", "type", "keys", "drag"]);

/** Uses of what a page often hides under something prettier, or places out of sight. */
const MAY_BE_HIDDEN = new Set<Use>(["check", "select", "upload", "read", "kind", "where"]);
const STATES_OF_HIDDEN = new Set(["attached", "detached", "checked", "unchecked"]);

function mayBeHidden({ use, state, text }: Request): boolean {
  return MAY_BE_HIDDEN.has(use) || (use === "state" && (text !== undefined || STATES_OF_HIDDEN.has(state ?? "")));
}

const USES: Record<Exclude<Use, "calendar">, (el: Element, request: Request) => Ready> = {
  click: readyToClick,
  type: typeInto,
  keys: typeKeys,
  select: chooseOptions,
  check: readyToCheck,
  upload: (el, request) => {
    const ready = readyForFiles(el, request);
    if (!ready.why) watchDrawing();
    return ready;
  },
  drag: (el, request) => {
    if (isSecretPart(el)) throw new Refusal("refused", `${brief(el)} holds or repeats a secret: it is not dragged`);
    watchDrag();
    return readyToClick(el, request);
  },
  aim: pointOn,
  focus: (el, request) => isTooSoon(request.key ?? "", el) ? { why: `the list of ${brief(el)} has not opened` } : (focus(el), { ...keyed(request.key ?? "", el), entered: (el as HTMLElement).isContentEditable }),
  hover: readyToHover,
  state: holds,
  read,
  kind: kindOf,
  where: standsAt,
  away: outOfView,
  typed: (el, { value }) => (isTyped(el, value ?? "") ? { done: true } : {}),
  focused: (el) => (hasFocus(el) ? { done: true } : {}),
  see: (el) => pointIn(el) ?? {},
  months: monthsShown,
};

/** The months that the calendar around a control shows, once they are others than those given. */
function monthsShown(el: Element, { value }: Request): Ready {
  const months = monthsAround(el);
  return value && months.join() === value ? { why: "the calendar shows what it did" } : { months };
}

function failure(finder: Finder, why: string, instead = ""): Reply {
  const { code = "gone", tried, considered } = finder.report();
  if (why) return { ok: false, code: "not_actionable", why, tried, considered };
  if (!isReady()) return { ok: false, code: "not_actionable", why: "the page is still loading", tried };
  return { ok: false, code, ...(instead ? { why: instead } : {}), tried, considered };
}

/** Why nothing can be chosen in the list that a step names, which with other options may not be found for the one that it was. */
function lackOf(request: Request): string {
  const [list, other] = request.use === "select" ? queryPath(request.paths[0] ?? [], document).filter(isVisible) : [];
  return list instanceof HTMLSelectElement && !other ? lackIn(list, request) : "";
}

/** What there is to be pressed in place of something that is not there. */
function insteadOf({ use, kin, paths: [path = []] }: Request): string {
  const others = use === "click" && kin && path.length === 1 ? saidByKin(kin, document) : [];
  return others.length ? `none of them says that: ${quotedSome(others)}` : "";
}

function readyToClick(el: Element, request: Request): Ready {
  const is = isSo(el, request.turned ?? []);
  if (is === "yes") return { done: true };
  if (is === "maybe") throw new Refusal("changed", `${brief(el)} is as the recorded press had made it: another may undo that`);
  const off = disabledWhy(el);
  return off ? { why: off } : { ...reachable(el, request), evidence: commitEvidence(el) };
}

function readyToHover(el: Element, request: Request): Ready {
  const { press: over, ...point } = reachable(el, request);
  return over && isMoving(over) ? { why: `${brief(over)} does not stand still` } : point;
}

function readyToCheck(el: Element, request: Request): Ready {
  if (stateOf(el) === (request.checked ?? true)) return { done: true };
  const off = disabledWhy(el);
  if (off) return { why: off };
  const evidence = commitEvidence(el);
  const own = isVisible(el) ? { ...reachable(el, request), evidence } : { why: `${brief(el)} is hidden` };
  if (!own.why) return own;
  const standIn = standInOf(el);
  const labels = labelsOf(el);
  // A label that stands apart may set the box while the page, which draws another in its place, takes that back.
  const isApart = !labels.some((label) => standIn?.contains(label) || label.contains(standIn ?? null));
  const drawn = standIn ? [standIn] : [];
  for (const at of isApart ? [...drawn, ...labels] : [...labels, ...drawn]) {
    const there = isVisible(at) ? reachable(at, {}) : own;
    if (!there.why) return { ...there, evidence };
  }
  return own;
}

/** A test, for the moment of the press, whether the element is what was found, and can still be used. */
function stillUsable(el: Element, request: Request): () => boolean {
  const still = stillIs(el, request.fingerprint);
  const says = saysOf(el);
  return () => !disabledWhy(el) && still() && saysOf(el) === says;
}

/** The element that holds the frame a step is in; null when it does not come. */
export async function frame(paths: string[][], timeout: number): Promise<Element | null> {
  const finder = new Finder({ paths, hidden: true });
  const found = await until(timeout, () => {
    const found = finder.look();
    return found && isAlone(found.element, paths) ? found : undefined;
  });
  finder.stop();
  return found?.element ?? null;
}

/** Whether no selector of a frame names another one: where they disagree, none of them is trusted, unless the first still names it. */
function isAlone(el: Element, paths: string[][]): boolean {
  const named = paths.map((path) => queryPath(path, document));
  return named[0]?.[0] === el || named.every((all) => all.length !== 1 || all[0] === el);
}

/** How far above a hidden item what opens it is looked for. */
const OPENER_HEIGHT = 8;

/** Where the mouse should come over for the element of a request to show, if it is there and hidden. */
function openerOf({ paths }: Pick<Request, "paths">): Ready | undefined {
  for (const path of paths) {
    const [only, other] = queryPath(path, document);
    if (!only || other || isVisible(only)) continue;
    const point = openerAbove(only);
    if (point) return point;
  }
  return undefined;
}

/** A point of the nearest element above that can be reached, and is less than the page. */
function openerAbove(el: Element): Ready | undefined {
  let at = composedParent(el);
  for (let height = 0; at && height < OPENER_HEIGHT; height++, at = composedParent(at)) {
    if (at === document.body || at === document.documentElement) return undefined;
    if (!isVisible(at) || isUnseen(at)) continue;
    const { press, ...point } = reachable(at, {});
    if (press) return point;
  }
  return undefined;
}

/** Whether an element has a box that no one can see, as an item of a menu before the mouse comes: transparent, in a box without height, or off the page. */
function isUnseen(el: Element): boolean {
  return isOffPage(el) || isClipped(el) || !isDrawn(el, { opacityProperty: true });
}

/** Whether an element stands where no scrolling leads, as an item of a menu that the page keeps there until the mouse comes. */
function isOffPage(el: Element): boolean {
  const { right, bottom } = boxOf(el);
  return right + scrollX <= 0 || bottom + scrollY <= 0;
}

/** What tells by a selector whether the value of a field fits. */
const OF_VALUES = /:(?:user-)?(?:in)?valid|:placeholder-shown|:(?:in|out-of)-range|:-?(?:webkit-)?autofill|aria-invalid/i;

/**
 * Refuses to look for what a caller has guessed where the page repeats a secret: whether it
 * is found would tell whether the guess is right. What is refused does not depend on it.
 */
function refuseGuess(paths: readonly string[][]): void {
  if (knowsSecrets() && paths.some((path) => path.some((part) => OF_VALUES.test(part)))) {
    throw new Refusal("refused", "a selector does not ask whether a field's value fits, in a document that knows a secret");
  }
  if (repeatsAny()) {
    throw new Refusal("refused", "the page repeats a secret: its elements are named by their references in a snapshot, and by nothing else");
  }
}
