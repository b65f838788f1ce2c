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

/** What is of a kind by its tag, and the rest of the question. */
interface Tagged {
  tags: Set<string>;
  is: (el: Element) => boolean;
}

const PRESSED = new Set(["submit", "button", "reset", "image"]);
const CHECKED = new Set(["checkbox", "radio"]);
const NOT_TYPED_IN = new Set([...PRESSED, ...CHECKED, "hidden"]);

const TAGGED: Record<Exclude<Kind, "other">, Tagged> = {
  press: { tags: new Set(["a", "button", "summary", "area", "input"]), is: (el) => el.localName !== "input" || PRESSED.has((el as HTMLInputElement).type) },
  text: { tags: new Set(["input", "textarea"]), is: (el) => el.localName !== "input" || !NOT_TYPED_IN.has((el as HTMLInputElement).type) },
  choice: { tags: new Set(["select"]), is: () => true },
  check: { tags: new Set(["input"]), is: (el) => CHECKED.has((el as HTMLInputElement).type) },
};

function kindOf(tag: string, role: string): Kind {
  if (tag === "select") return "choice";
  return KINDS[role] ?? (tag === "a" || tag === "summary" ? "press" : tag === "input" || tag === "textarea" ? "text" : "other");
}

/** All elements of a page, shadow roots included, that might be one of this tag and role. */
export function alike(tag: string, role: string, root: Root): Element[] {
  const wanted = kindOf(tag, role);
  const kind = wanted === "other" ? "press" : wanted;
  const selector = [...TAGGED[kind].tags, "[role]", ...(kind === "text" ? ["[contenteditable]"] : []), ...(wanted === "other" ? [CSS.escape(tag)] : [])].join();
  const found: Element[] = [];
  eachRoot(root, (r) => {
    const unsure = new Set<Element>(UNSURE.flatMap((s) => [...r.querySelectorAll(s)])); // of a large page's elements each costs that is looked at
    r.querySelectorAll(selector).forEach((el) => {
      if (!unsure.has(el) || isOfKind(el, kind) || (wanted === "other" && el.localName === tag)) found.push(el);
    });
  });
  return found;
}

/** What its tag alone does not make one of a kind. */
const UNSURE = ["input", "[role]", "[contenteditable]"];

function isOfKind(el: Element, kind: keyof typeof TAGGED): boolean {
  const { tags, is } = TAGGED[kind];
  if (tags.has(el.localName) && is(el)) return true;
  const given = el.getAttribute("role");
  return (given !== null && KINDS[given] === kind) || (kind === "text" && el.hasAttribute("contenteditable"));
}

/** Whether an element can stand for one of this tag and role. */
export function isAlike(el: Element, tag: string, role: string): boolean {
  const [was, is] = [kindOf(tag, role), kindOf(el.localName, roleOf(el))];
  return is === was || (was === "other" && (is === "press" || el.localName === tag));
}
