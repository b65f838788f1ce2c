// Putting something into a field (text, a choice, files), and reading what an element says
// and which state it is in.

import { enterEmpty, isEmptyEditor, placeCaret } from "../dom/caret";
import { brief, composedContains, deepActiveElement, disabledWhy, hasEditContext, inOnePass, isInView, isVisible, normalize, optionsNamed, PICKED, stateOf, wordsOf } from "../dom/elements";
import { nameOf, roleOf } from "../dom/names";
import { until } from "../dom/wait";
import { refOf } from "../dom/wire";
import { unchanged } from "../locate/locate";
import { queryPath } from "../locate/selector";
import { isSecretField, isSensitive, knowsSecrets, remember, repeatsSecret } from "../secret/secrets";
import { PIECE } from "../secret/pieces";
import { HIDDEN, repeats } from "../secret/repeats";
import { watchCarrying } from "../secret/withhold";
import { isMoving, reachable } from "./press";
import { type Ready, Refusal, type Request } from "./request";
import { whyUnread } from "./seen";
import { endTyping, followTyping, typedAtOnce } from "./typed";

const NOT_TEXT = new Set(["button", "checkbox", "file", "hidden", "image", "radio", "reset", "submit"]);

function readyToType(el: Element, use: (field: HTMLElement) => Ready): Ready {
  const field = editable(el);
  if (typeof field === "string") return { why: field };
  const off = disabledWhy(field);
  if (off) return { why: off };
  if (!isInView(field)) field.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const entered = field.isContentEditable && !composedContains(field, deepActiveElement());
  focus(field);
  if (!composedContains(field, deepActiveElement())) {
    const modal = document.querySelector("dialog:modal");
    return { why: `${brief(field)} does not take the focus${modal && !composedContains(modal, field) ? ` while ${brief(modal)} is open` : ""}` };
  }
  return entered ? { ...use(field), entered } : use(field);
}

/**
 * Puts the value in, in the same task in which all was checked: nothing can come
 * between. Rich editors get it as input instead, as they live on beforeinput,
 * which an editing command does not send; but never a secret.
 */
export function typeInto(el: Element, request: Request): Ready {
  const value = request.value ?? "";
  if (isDrawnSlider(el)) return readyToSlide(el as HTMLElement, request);
  if (request.origins && !request.origins.includes(self.origin)) throw new Refusal("out_of_scope", `the value may not be typed on ${self.origin}`);
  return readyToType(el, (field) => {
    if (!request.secret && opensByKeys(field)) return { ...readyForKeys(field, request), keys: true };
    followTyping(request.secret ? null : field);
    if (request.secret) receive(field, request);
    else if (field.isContentEditable || hasEditContext(field)) return { empty: ready(field, request) };
    return PICKED.has((field as HTMLInputElement).type) ? setValue(field as HTMLInputElement, value) : insert(field, request);
  });
}

/** Makes a field one that holds a secret, before it is typed, if it may be typed there. */
function receive(field: HTMLElement, { value = "", typedInto }: Request): void {
  if (typedInto && !isSecretField(field) && !typedInto.some((wanted) => unchanged({ ...wanted, hidden: true }) === field)) {
    throw new Refusal("refused", `${brief(field)} is no field for a secret, and no recording of this site types it there`);
  }
  const limit = (field as HTMLInputElement).maxLength ?? -1;
  if (typedInto && limit >= 0 && limit < Math.min(value.length, PIECE)) throw new Refusal("invalid_value", `${brief(field)} takes ${limit} characters: the secret is longer`);
  remember(field, value);
  watchCarrying();
}

/** The field that keys are about to be typed into. */
let typedInto: HTMLElement | null = null;

/** Makes a field ready for keys: they replace what it holds, unless they go where the caret is. One with a picker takes its value at once. */
export function typeKeys(el: Element, request: Request): Ready {
  if (isDrawnSlider(el)) return readyToSlide(el as HTMLElement, request);
  return readyToType(el, (field) => {
    if (request.value !== undefined && PICKED.has((field as HTMLInputElement).type)) return setValue(field as HTMLInputElement, request.value);
    return readyForKeys(field, request);
  });
}

function isDrawnSlider(el: Element): boolean {
  return el.matches("[role=slider][aria-valuenow]") && !(el instanceof HTMLInputElement);
}

/** The slider that keys are about to move. */
let slider: HTMLElement | null = null;

function readyToSlide(el: HTMLElement, { secret }: Request): Ready {
  if (secret) throw new Refusal("refused", `${brief(el)} is no field for a secret`);
  const off = disabledWhy(el);
  if (off) return { why: off };
  focus(el);
  if (!composedContains(el, deepActiveElement())) return { why: `${brief(el)} does not take the focus` };
  slider = el;
  return { slides: true };
}

/** How long a slider may take to follow its keys, in ms. */
const SLIDES_MS = 1000;

/** What the slider says, once that is a value or, without one, another than it was; null where it has gone. */
export async function slid(before: number | null, wanted: number | null): Promise<number | null> {
  const says = () => (slider?.isConnected ? Number(slider.ariaValueNow) : null);
  if (before !== null) await until(SLIDES_MS, () => (wanted === null ? says() !== before : Math.abs((says() ?? wanted) - wanted) < 1e-6) || undefined);
  return says();
}

function readyForKeys(field: HTMLElement, request: Request): Ready {
  followTyping(request.secret ? null : field, true);
  if (request.secret) receive(field, request);
  typedInto = field;
  return { empty: ready(field, request) };
}

/** Whether a field has a list that is closed: many open it by a key, and not by a text. */
function opensByKeys(field: HTMLElement): boolean {
  return field instanceof HTMLInputElement && !field.list && !PICKED.has(field.type) && roleOf(field) === "combobox" && field.ariaExpanded === "false";
}

/** Whether the next key of a secret may go where the focus is. */
export function mayType(origins: string[]): boolean {
  return document.hasFocus() && origins.includes(self.origin) && typedInto !== null && composedContains(typedInto, deepActiveElement());
}

/** Notes what was typed by keys, which was a secret, so that what repeats it is known. */
export function typedSecret(): void {
  if (typedInto) remember(typedInto, typedInto.isContentEditable ? typedInto.textContent ?? "" : (typedInto as HTMLInputElement).value);
}

export function hasFocus(el: Element): boolean {
  const field = el instanceof HTMLLabelElement && el.control ? el.control : el;
  return document.hasFocus() && composedContains(field, deepActiveElement());
}

/** Whether nothing was added to the text that was typed into a text area; one that the page has emptied has given it on. */
export function isTyped(el: Element, text: string): boolean {
  return !(el instanceof HTMLTextAreaElement) || el.value === text || el.value === "";
}

/** Puts a text into a field, as the person's keyboard or clipboard would. */
function insert(field: HTMLElement, request: Request): Ready {
  const { value } = request;
  const empty = ready(field, request);
  if (!value) {
    if (!empty) document.execCommand("delete");
    tellKey(field);
    return { done: true };
  }
  // What a document did not take is typed by the browser; a secret goes nowhere but into this field.
  const taken = document.execCommand("insertText", false, value) || !!request.secret || (field as HTMLInputElement).value !== "";
  if (taken) tellKey(field);
  typedAtOnce();
  return taken ? { done: true } : { empty };
}

/** Tells the page that a key has come up in a field: some look at it no sooner. */
function tellKey(field: HTMLElement): void {
  field.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true, composed: true, key: "Unidentified" }));
}

function editable(el: Element): HTMLElement | string {
  if (el instanceof HTMLLabelElement && el.control) return editable(el.control);
  if (el instanceof HTMLInputElement && !NOT_TEXT.has(el.type)) return el.readOnly ? `${brief(el)} is read-only` : el;
  if (el instanceof HTMLTextAreaElement) return el.readOnly ? `${brief(el)} is read-only` : el;
  if (el instanceof HTMLElement && (el.isContentEditable || hasEditContext(el))) return el;
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

export function tell(el: Element): void {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Puts the focus into a plain field that lacks it, and reports whether it is there now: some pages take nothing in before they have heard of that. */
export function enter(el: Element): boolean {
  const field = editable(el);
  if (typeof field === "string" || field.isContentEditable || disabledWhy(field) || composedContains(field, deepActiveElement())) return false;
  focus(field);
  return composedContains(field, deepActiveElement());
}

export function focus(el: Element): void {
  endTyping();
  (el as HTMLElement).focus({ preventScroll: true });
}

/** Selects what is to be replaced, or puts the caret where it is wanted; true where nothing has to be removed. */
function ready(field: HTMLElement, { at }: Request): boolean {
  if (at) {
    placeCaret(field, at);
    return true;
  }
  if (!field.isContentEditable || !isEmptyEditor(field)) return selectAll(field);
  enterEmpty(field);
  return true;
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

export function chooseOptions(el: Element, request: Request): Ready {
  if (!(el instanceof HTMLSelectElement)) return { why: `${brief(el)} is not a list to select from` };
  const off = disabledWhy(el);
  if (off) return { why: off };
  const chosen = wantedOptions(el, request);
  if ("why" in chosen) return chosen;
  focus(el); // the page may draw the options again as another field is left
  const there = wantedOptions(el, request);
  if ("why" in there) return there;
  for (const option of el.options) option.selected = there.includes(option);
  tell(el);
  return { done: true };
}

/** Why what is wanted cannot be chosen in a list; "" where it can. */
export function lackIn(el: HTMLSelectElement, request: Request): string {
  const chosen = wantedOptions(el, request);
  return "why" in chosen ? chosen.why : "";
}

/** So many of what there is are named to a person who has asked for something else. */
const NAMED = 5;

/** No more of each. */
const LONGEST_NAMED = 40;

export function quotedSome(texts: readonly string[]): string {
  const said = texts.filter((text) => !repeatsSecret(text));
  const some = said.slice(0, NAMED).map((text) => `"${normalize(text).slice(0, LONGEST_NAMED)}"`);
  return [...some, ...(said.length > NAMED ? ["…"] : [])].join(", ");
}

/** The options that are wanted, or why they cannot be chosen. */
function wantedOptions(el: HTMLSelectElement, request: Request): HTMLOptionElement[] | { why: string } {
  const all = [...el.options];
  const wanted = request.values ?? [];
  const chosen = optionsNamed(el, wanted);
  if (chosen.length < wanted.length) return { why: `${brief(el)} has ${all.length} options, none of them the wanted one: ${quotedSome(all.map((option) => wordsOf(option, el)))}` };
  if (chosen.some((o) => o.disabled)) return { why: `an option of ${brief(el)} is disabled` };
  return chosen;
}

/** A field for files takes them hidden or not; on anything else they are dropped. */
export function readyForFiles(el: Element, request: Request): Ready {
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

/** The states that an element may be waited for in, or held to. The last two are met where there is none. */
const STATES: Record<string, (el: Element) => boolean> = {
  attached: () => true,
  visible: isVisible,
  enabled: (el) => !disabledWhy(el),
  disabled: (el) => disabledWhy(el) !== "",
  editable: (el) => !disabledWhy(el) && takesText(el),
  readonly: (el) => !takesText(el),
  checked: (el) => stateOf(el),
  unchecked: (el) => !stateOf(el),
  focused: (el) => el.matches(":focus"),
  detached: () => false,
  hidden: (el) => !isVisible(el),
};

/** Whether a state is met where there is no such element. */
export function isAbsence(state: string | undefined): boolean {
  return state === "detached" || state === "hidden";
}

function takesText(el: Element): boolean {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) return !el.readOnly;
  return el instanceof HTMLElement && el.isContentEditable;
}

/** Holds an element to a state and to what it should say; why it does not hold is the answer while it does not. */
export function holds(el: Element, { state, text, attribute, compare }: Request): Ready {
  const is = STATES[state ?? "attached"];
  if (is && !is(el)) return { why: `${brief(el)} is not ${state}` };
  if (text === undefined) return { done: true };
  const said = textOf(el, attribute);
  if (saysSecret(el, said, attribute)) throw new Refusal("refused", `what ${brief(el)} says repeats a secret: it is compared with nothing`);
  if (compares(said, text, compare)) return { done: true };
  const what = attribute ? `the ${attribute} of ${brief(el)}` : `what ${brief(el)} says`;
  return { why: compare === "not" ? `${what} is still what it should not be` : `${what} is not what it should be` };
}

function compares(said: string | undefined, wanted: string, how = "equals"): boolean {
  const text = normalize(wanted);
  const own = normalize(said);
  if (how === "contains") return own.includes(text);
  return how === "not" ? own !== text : said !== undefined && own === text;
}

/** The text of an element, as it is shown: a secret is never read. */
function textOf(el: Element, attribute?: string): string | undefined {
  if (isSensitive(el)) throw new Refusal("refused", `${brief(el)} holds a secret: it is not read`);
  if (attribute === "label") return el instanceof HTMLSelectElement ? [...el.selectedOptions].map((o) => o.label).join("\n") : undefined;
  if (attribute === "value" || (attribute === undefined && "value" in el && isField(el))) return String((el as HTMLInputElement).value);
  if (attribute !== undefined) return el.getAttribute(attribute) ?? undefined;
  return normalize(el instanceof HTMLElement ? el.innerText : el.textContent);
}

function isField(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;
}

/** Whether what an element says repeats a secret, or is a part of a text that does. */
function saysSecret(el: Element, said: string | undefined, attribute?: string): boolean {
  if (said === undefined || !knowsSecrets()) return false;
  if (repeatsSecret(said)) return true;
  return inOnePass(() => (attribute === undefined ? repeats().within(el) || repeats().by(el, "") : repeats().by(el, attribute) || repeats().by(el, attribute === "value" ? "" : attribute)));
}

/** What is told of what an element says: what repeats a secret is cut out by the engine, where it can be seen in the text alone. */
function told(el: Element, said: string, attribute?: string): string {
  return saysSecret(el, said, attribute) && !repeatsSecret(said) ? HIDDEN : said;
}

/** Reads an element, or all that are named alike. */
export function read(el: Element, { attribute, all, paths, seen }: Request): Ready {
  if (!all) {
    const unread = seen ? whyUnread(el) : "";
    if (unread) return { why: unread };
    const said = textOf(el, attribute);
    if (said === undefined) return { why: `${brief(el)} has no ${attribute}` };
    return { said: told(el, said, attribute), ...(isField(el) || (el as HTMLElement).isContentEditable ? { field: nameOf(el) } : {}) };
  }
  const named = paths.map((path) => queryPath(path, document).filter(isVisible)).find((elements) => elements.length) ?? [el];
  return { said: named.map((one) => told(one, textOf(one, attribute) ?? "", attribute)) };
}

/** By which tool an element is filled. */
export function kindOf(el: Element): Ready {
  if (el instanceof HTMLSelectElement) return { said: "select" };
  if (el instanceof HTMLInputElement && el.type === "file") return { said: "upload" };
  const isBox = el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio");
  return { said: isBox || el.hasAttribute("aria-checked") ? "check" : "typeInput" };
}
