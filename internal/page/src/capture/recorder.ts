// Recording what the user does, as raw events: whole enough that steps can be made of
// them outside, and empty of every secret. Nothing here decides what a step is.

import { describeWith, forgetTold, tell } from "../describe/describe";
import { used } from "../describe/used";
import { CHANGES, deepActiveElement, fieldOf, isField, kindOf } from "../dom/elements";
import { forgetCalm, noteCalm, noteUnfocused } from "../dom/calm";
import { targetOf } from "../dom/roots";
import { leave, sendEvent } from "../dom/wire";
import { forgetSpread, hide, isSensitive, knowsSecrets, type Mark, rememberPieces, spread, useKey, withholdTexts } from "../secret/secrets";
import type { Hashes } from "../secret/pieces";
import { forgetLeft, hearAround, leaveEditor, noteFocused } from "./editor";
import { dropKey, noteChooser, notePress, noteSubmit, noteToggled, noteToldOf, onBeforeInput, onBlur, onChange, onCompositionEnd, onCompositionStart, onFocus, onInnerFocus, onInput, onKeyDown, onKeyPress, onPaste, settleKey, tellChosen, tellTaken, tellValue } from "./fields";
import { forgetPassed, holdPassed, notePassed, openedBy } from "./hover";
import { forgetAim, watchAim } from "./pick";
import { forgetRequests, noteAct, noteHeard, watchRequests } from "./requests";
import { forgetLate, noteMoved, tellLate, watchLate } from "./late";
import { noteSliders, tellSlid } from "./sliders";
import { controlOf, dropPress, offsetIn, onClick, onDragEnd, onDrop, onMouseDown, onMove, onPointerDown, onPointerUp, onPressTaken, wantBoxes, lastPress } from "./presses";
import { type Early, forget, noticeHost, onReached, watchHosts } from "./shadow";

let recording = false;

/**
 * Begins to record this document; the key is that of the fingerprints' hashes, and
 * the attribute one that the user's own tests go by. It may be called again: a page
 * that writes its document again takes listeners with it, and adding one that is still
 * there changes nothing.
 */
export function record(hashKey: string, testIdAttribute = "", more: More = {}): void {
  describeWith(hashKey, testIdAttribute);
  wantBoxes(more.boxes ?? false);
  withholdTexts(more.texts ?? false);
  if (more.secrets) {
    useKey(more.secrets.key);
    rememberPieces(more.secrets);
  }
  if (more.hidden) hide(more.hidden);
  watchAim();
  watchRequests();
  for (const [type, listener] of LISTENERS) addEventListener(type, listener, { capture: true, passive: true });
  navigation()?.addEventListener("navigate", onNavigate);
  watchHosts(WITHIN);
  hearAround(true);
  if (recording) return;
  const focused = deepActiveElement();
  if (focused) noteFocused(focused);
  recording = true;
  sendEvent({ type: "hello" });
}

/** What else a recording may want. */
interface More {
  boxes?: boolean; // where pressed elements stand, for pictures
  texts?: boolean; // every text that is typed is a secret
  hidden?: Mark[]; // fields that were marked as secret
  secrets?: Hashes; // what the recording knows of secrets
}

/** What tells of navigations before they begin (https://html.spec.whatwg.org/#navigation-interface). */
function navigation(): EventTarget | undefined {
  return (self as unknown as { navigation?: EventTarget }).navigation;
}

/** Stops, and leaves the document as it was. */
export function stop(): void {
  recording = false;
  withholdTexts(false);
  dropKey();
  forgetLate();
  leaveEditor();
  forgetLeft();
  forgetAim();
  forgetRequests();
  dropPress();
  forgetCalm();
  forgetTold();
  forgetSpread();
  navigation()?.removeEventListener("navigate", onNavigate);
  for (const [type, listener] of LISTENERS) removeEventListener(type, listener, { capture: true });
  hold(false);
  hearAround(false);
  forget();
}

/** Reports what the live view has set a control to for the person: the browser calls no event of that trusted. */
export function noteSet(field: HTMLElement): void {
  if (!recording) return;
  onChange(new Event("change"), field);
  spread();
}

const LISTENERS: [string, (event: Event) => void][] = [
  ["pointerdown", tellLate],
  ["keydown", tellLate],
  ["pointerup", watchLate],
  ["click", watchLate],
  ["keyup", watchLate],
  ["input", watchLate],
  ["pointermove", noteMoved],
  ["pointerdown", noteAct],
  ["keydown", noteAct],
  ["input", noteAct],
  ["input", noteToldOf],
  ["change", noteToldOf],
  ["click", trusted(noteHeard)],
  ["pointerdown", trusted((event: PointerEvent, hit) => (spread(), tellOpener(hit), hold(true), notePress(), onPointerDown(event, hit)))],
  ["pointerup", trusted((event: PointerEvent) => (hold(false), onPointerUp(event)))],
  ["pointercancel", trusted(() => (hold(false), onPressTaken()))],
  ["click", trusted((event: PointerEvent, hit) => (noteSubmit(hit), onClick(event, hit)))],
  ["auxclick", trusted(onClick)],
  ["click", noteToggled],
  ["click", (event) => noteChooser(event, lastPress()?.id ?? 0)],
  ["mousedown", trusted(onMouseDown)],
  ["dragstart", trusted(onPressTaken)],
  ["drop", trusted(onDrop)],
  ["focus", (event) => noteUnfocused(event as FocusEvent)],
  ["focusin", trusted(onFocus)],
  ["focusout", trusted((event: FocusEvent, field) => (onBlur(event, field), spread()))],
  ["keydown", trusted(onKey)],
  ["keypress", (event) => onKeyPress(event as KeyboardEvent)],
  ["keyup", trusted(() => {})], // the page has dealt with the key
  ["beforeinput", trusted(onBeforeInput)],
  ["compositionstart", trusted(onCompositionStart)],
  ["compositionend", trusted(onCompositionEnd)],
  ["paste", trusted(onPaste)],
  ["input", trusted(onInput)],
  ["change", trusted((event: Event, field) => (onChange(event, field), spread()))],
  ["pointerover", trusted((event: PointerEvent, hit) => (noteCalm(hit, event), notePassed(hit), noticeHost(event, hit)))],
  ["dragenter", trusted((event: DragEvent, hit) => (noteCalm(hit, event), onMove(event)))], // some pages make way by then
  ["dragover", trusted(onMove)],
  ["dragend", trusted(onDragEnd)],
  ["pagehide", (event) => onLeave(event as PageTransitionEvent)],
];

const onPressMove = trusted(onMove);

/** A button is held, or no more. Moves are heard while it is, and cost a page nothing otherwise. */
function hold(on: boolean): void {
  holdPassed(on);
  if (on) addEventListener("pointermove", onPressMove, { capture: true, passive: true });
  else removeEventListener("pointermove", onPressMove, { capture: true });
}

function tellOpener(hit: Element): void {
  const opener = openedBy(hit);
  if (opener) sendEvent({ type: "hover", target: tell(used(opener), true) });
}

/** A key may change a field that repeats a secret, or lead elsewhere. */
function onKey(event: KeyboardEvent, target: Element): void {
  forgetPassed();
  if (knowsSecrets() && isField(target)) isSensitive(target);
  if (LEADS.has(event.key)) spread();
  if (!isField(target)) noteSliders(target, 0); // else an event of its own reports it
  onKeyDown(event, target);
  void tellSlid(0);
}

const LEADS = new Set(["Enter", "Tab", " ", "Escape"]);

/** The browser goes elsewhere, or the page writes another address. Of a page that goes back, the browser tells no one else. */
function onNavigate(event: Event): void {
  const { isTrusted, navigationType, userInitiated, destination } = event as Event & { navigationType?: string; userInitiated?: boolean; destination?: { sameDocument?: boolean } };
  const leaves = !destination?.sameDocument;
  if (isTrusted && leaves && navigationType === "traverse" && !userInitiated) sendEvent({ type: "back" });
  spread(leaves);
}

function onLeave(event: PageTransitionEvent): void {
  settleKey(event);
  spread();
  if (event.persisted) leave(); // a blank one gives its window to the next, with all that is in it
}

/** What does not leave a shadow root, or not always, is heard there. */
const WITHIN: [string, (event: Event) => void][] = LISTENERS.filter(([type]) => ["focusin", "focusout", "change"].includes(type));

/** What a press has taken out of an editor is there at the latest when something else is done. */
function endPress(event: Event): void {
  if (event.type !== "pointerdown" && event.type !== "keydown" && event.type !== "beforeinput") return;
  tellTaken();
  forgetLeft();
}

/** Only what a person did counts, and no failure of ours may reach the page. */
function trusted<E extends Event>(listener: (event: E, target: Element) => void): (event: Event) => void {
  return (event) => {
    const target = targetOf(event);
    if (!event.isTrusted || !(target instanceof Element)) return;
    try {
      settleKey(event);
      endPress(event);
      listener(event as E, target);
    } catch (error) {
      sendEvent({ type: "fault", during: event.type, message: error instanceof Error ? error.name : "unknown" });
    }
  };
}

/** A press was told of as one on a host, whose root is known only now. */
function onInnerPress(early: Early, hit: Element): void {
  const element = used(hit);
  const field = fieldOf(hit);
  if (field && early.typed && !CHANGES.has(kindOf(field))) return tellValue(field, { press: early.press });
  if (field instanceof HTMLSelectElement && field.size > 1 || hit instanceof HTMLOptionElement) return tellChosen(hit.closest("select") as HTMLSelectElement, early.press);
  sendEvent({ type: "within", press: early.press, target: tell(element, true), control: controlOf(element), offset: offsetIn(element, early.x, early.y) });
}

onReached({ press: onInnerPress, focus: onInnerFocus });

/** Takes what other documents know of secrets. What was told of elements may repeat them. */
export function learn(hashes: Hashes): void {
  rememberPieces(hashes);
  forgetTold();
}
