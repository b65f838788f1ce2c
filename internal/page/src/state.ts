// What an element is like: whether it can be used, what state it is in, what it says.

import { brief, composedParent, isInert, isVisible, normalize } from "./dom";
import { Refusal, type Ready, type Request } from "./request";
import { queryPath } from "./selector";
import { inOnePass } from "./pass";
import { repeats } from "./repeats";
import { isSensitive, knowsSecrets, repeatsSecret } from "./sensitive";

/** Whether a checkbox, radio or switch is on. */
export function stateOf(el: Element): boolean {
  return el instanceof HTMLInputElement ? el.checked : el.getAttribute("aria-checked") === "true";
}

export function disabledWhy(el: Element): string {
  if (el.matches(":disabled")) return `${brief(el)} is disabled`;
  if (isInert(el)) return `${brief(el)} is inert`;
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at.getAttribute("aria-disabled") === "true") return `${brief(el)} is disabled`;
  }
  return "";
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

/** What an element says, as a person reads it: a secret is never read. */
export function textOf(el: Element, attribute?: string): string | undefined {
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

/** What stands where an element repeats a secret. */
export const HIDDEN = "[hidden: it repeats a secret]";

/** Reads an element, or all that are named alike. */
export function read(el: Element, { attribute, all, paths }: Request): Ready {
  if (!all) {
    const said = textOf(el, attribute);
    return said === undefined ? { why: `${brief(el)} has no ${attribute}` } : { said: told(el, said, attribute) };
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
