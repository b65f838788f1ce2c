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

/** What is of a kind by its tag: a selector that is quickly matched, and the rest of the question. */
interface Tagged {
  tags: string;
  is: (el: Element) => boolean;
}

const PRESSED = new Set(["submit", "button", "reset", "image"]);
const CHECKED = new Set(["checkbox", "radio"]);
const NOT_TYPED_IN = new Set([...PRESSED, ...CHECKED, "hidden"]);

const TAGGED: Record<Exclude<Kind, "other">, Tagged> = {
  press: { tags: "a,button,summary,area,input", is: (el) => !(el instanceof HTMLInputElement) || PRESSED.has(el.type) },
  text: { tags: "input,textarea,[contenteditable]", is: (el) => !(el instanceof HTMLInputElement) || !NOT_TYPED_IN.has(el.type) },
  choice: { tags: "select", is: () => true },
  check: { tags: "input", is: (el) => el instanceof HTMLInputElement && CHECKED.has(el.type) },
};

function kindOf(tag: string, role: string): Kind {
  if (tag === "select") return "choice";
  return KINDS[role] ?? (tag === "a" || tag === "summary" ? "press" : tag === "input" || tag === "textarea" ? "text" : "other");
}

/** All elements of a page, shadow roots included, that might be one of this tag and role. */
export function alike(tag: string, role: string, root: Root): Element[] {
  const wanted = kindOf(tag, role);
  const kind = wanted === "other" ? "press" : wanted;
  const { tags, is } = TAGGED[kind];
  const found: Element[] = [];
  const collect = (el: Element) => {
    const given = el.getAttribute("role");
    const byRole = given !== null && KINDS[given] === kind;
    if (byRole || (wanted === "other" && el.localName === tag) || (el.matches(tags) && is(el))) found.push(el);
  };
  const selector = wanted === "other" ? `${tags},[role],${CSS.escape(tag)}` : `${tags},[role]`;
  eachRoot(root, (r) => r.querySelectorAll(selector).forEach(collect));
  return found;
}

/** Whether an element can stand for one of this tag and role. */
export function isAlike(el: Element, tag: string, role: string): boolean {
  const [was, is] = [kindOf(tag, role), kindOf(el.localName, roleOf(el))];
  return is === was || (was === "other" && (is === "press" || el.localName === tag));
}
