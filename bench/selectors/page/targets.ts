// Which elements of a page a person would act on.

import type { Random } from "./random";

const ACTED_ON = [
  "a[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary", "[onclick]", "[contenteditable=true]", "[tabindex]:not([tabindex='-1'])",
  ...["button", "tab", "menuitem", "menuitemcheckbox", "checkbox", "radio", "switch", "option", "link", "combobox", "textbox", "treeitem", "slider"].map((role) => `[role=${role}]`),
].join(",");

/** The share of twins, which nothing of their own tells apart: on pages of lists and tables they are as many. */
const MOST_TWINS = 1 / 2;

type Sort = "link" | "button" | "field" | "choice" | "other";
/** Each sort as often as here, in turn, while there are any. */
const TURNS: Sort[] = ["link", "button", "field", "choice", "link", "button", "field", "other"];

/** Whether a person can see it, somewhere on the page. */
export function isSeen(el: Element): boolean {
  if (!el.isConnected || !el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
  return [...el.getClientRects()].some((rect) => rect.width > 0 && rect.height > 0);
}

function canBeActedOn(el: Element): boolean {
  if (!isSeen(el) || !el.checkVisibility({ opacityProperty: true }) || el.closest("[inert]")) return false;
  const rect = el.getBoundingClientRect();
  return rect.width > 2 && rect.height > 2 && rect.right > 0 && rect.bottom + scrollY > 0 && rect.left < innerWidth;
}

/** A choice of elements to act on, of all sorts. */
export function choose(count: number, random: Random): Element[] {
  const bySort = new Map<Sort, Element[]>();
  for (const el of random.shuffled(candidates())) {
    const sort = sortOf(el);
    const alike = bySort.get(sort);
    if (alike) alike.push(el);
    else bySort.set(sort, [el]);
  }
  const crowd = crowds(bySort);
  const chosen: Element[] = [];
  let twins = 0;
  for (let turn = 0; chosen.length < count && [...bySort.values()].some((left) => left.length); turn++) {
    const el = bySort.get(TURNS[turn % TURNS.length] as Sort)?.pop();
    if (!el) continue;
    const isTwin = (crowd.get(looks(el)) ?? 0) > 1;
    if (isTwin && ++twins > count * MOST_TWINS) continue;
    chosen.push(el);
  }
  return chosen.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
}

function candidates(): Element[] {
  const found = [...document.body.querySelectorAll(`${ACTED_ON},label`)].filter((el) => !el.closest("svg") || el.localName === "svg");
  const acted = found.filter((el) => (el.localName !== "label" || standsForHidden(el as HTMLLabelElement)) && canBeActedOn(el));
  const others = [...document.body.querySelectorAll("div,span,li,img,td,i")].filter((el) => isPressable(el) && canBeActedOn(el));
  return [...new Set([...acted, ...others])];
}

/** A label in whose stead the hidden box cannot be pressed. */
function standsForHidden(label: HTMLLabelElement): boolean {
  return !!label.control && !canBeActedOn(label.control);
}

/** What only its cursor shows to be pressable. */
function isPressable(el: Element): boolean {
  if (el.closest(ACTED_ON) || el.closest("label")) return false;
  const pointer = (at: Element | null) => !!at && getComputedStyle(at).cursor === "pointer";
  return pointer(el) && !pointer(el.parentElement);
}

function sortOf(el: Element): Sort {
  const role = el.getAttribute("role") ?? "";
  if (el.matches("select,[type=checkbox],[type=radio]") || /checkbox|radio|switch|option|combobox/.test(role)) return "choice";
  if (el.matches("button,summary,input[type=submit],input[type=button],input[type=reset],input[type=image]") || role === "button") return "button";
  if (el.matches("input,textarea,[contenteditable]") || role === "textbox") return "field";
  return el.matches("a[href]") ? "link" : "other";
}

/** All by which a person tells an element from others, but for where it stands. */
export function looks(el: Element): string {
  const told = ["type", "href", "name", "id", "aria-label", "placeholder", "title", "value", "for"].map((name) => el.getAttribute(name) ?? "");
  // Asking each field for its labels makes lists that the browser keeps up to date ever after.
  const label = (el.closest("label") ?? (el.id ? document.querySelector(`label[for="${CSS.escape(el.id)}"]`) : null))?.textContent ?? "";
  return [el.localName, ...told, label, (el.textContent ?? "").replace(/\s+/g, " ").trim(), el.querySelector("img,svg,i")?.outerHTML ?? ""].join("\u0000");
}

function crowds(bySort: Map<Sort, Element[]>): Map<string, number> {
  const count = new Map<string, number>();
  for (const el of [...bySort.values()].flat()) count.set(looks(el), (count.get(looks(el)) ?? 0) + 1);
  return count;
}

/** Enough of an element to know it by, for people who read a report. */
export function brief(el: Element | null, most = 200): string {
  if (!el) return "";
  const html = el.outerHTML.replace(/\s+/g, " ");
  return html.length > most ? `${html.slice(0, most - 1)}…` : html;
}
