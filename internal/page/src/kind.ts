// Kinds of element that a release may turn into one another: a link that looks
// like a button becomes one, a field gets a list of suggestions.

import { roleOf } from "./aria";
import { eachRoot, type Root } from "./dom";

type Kind = "press" | "text" | "choice" | "check" | "other";

const KINDS: Record<string, Kind> = {
  button: "press", link: "press", tab: "press", menuitem: "press", option: "press", treeitem: "press", gridcell: "press",
  checkbox: "check", radio: "check", switch: "check", menuitemcheckbox: "check", menuitemradio: "check",
  textbox: "text", searchbox: "text", combobox: "text", spinbutton: "text", slider: "text", listbox: "choice",
};

const SELECTORS: Record<Exclude<Kind, "other">, string> = {
  press: "a,button,summary,area,input[type=submit],input[type=button],input[type=reset],input[type=image]," +
    "[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=treeitem],[role=gridcell]",
  text: "input:not([type=submit],[type=button],[type=reset],[type=image],[type=checkbox],[type=radio],[type=hidden])," +
    "textarea,[contenteditable],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider]",
  choice: "select,[role=combobox],[role=listbox]",
  check: "input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch],[role=menuitemcheckbox],[role=menuitemradio]",
};

function kindOf(tag: string, role: string): Kind {
  if (tag === "select") return "choice";
  return KINDS[role] ?? (tag === "a" || tag === "summary" ? "press" : tag === "input" || tag === "textarea" ? "text" : "other");
}

/** All elements of a page, shadow roots included, that might be one of this tag and role. */
export function alike(tag: string, role: string, root: Root): Element[] {
  const kind = kindOf(tag, role);
  const selector = kind === "other" ? `${CSS.escape(tag)},${SELECTORS.press}` : SELECTORS[kind];
  const found: Element[] = [];
  eachRoot(root, (r) => found.push(...r.querySelectorAll(selector)));
  return found;
}

/** Whether an element can stand for one of this tag and role. */
export function isAlike(el: Element, tag: string, role: string): boolean {
  const [was, is] = [kindOf(tag, role), kindOf(el.localName, roleOf(el))];
  return is === was || (was === "other" && (is === "press" || el.localName === tag));
}
