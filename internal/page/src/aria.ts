// Roles and names as assistive technology gets them: the implicit roles of HTML
// (https://www.w3.org/TR/html-aam-1.0/) and the computation of accessible names
// (https://www.w3.org/TR/accname-1.2/), without text that only CSS makes.

import { labelsOf, normalize } from "./dom";
import { pass } from "./pass";

const INPUT_ROLES: Record<string, string> = {
  button: "button", image: "button", reset: "button", submit: "button",
  checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
  email: "textbox", password: "textbox", tel: "textbox", text: "textbox", url: "textbox",
};

const TAG_ROLES: Record<string, string> = {
  article: "article", aside: "complementary", button: "button", datalist: "listbox", dd: "definition",
  details: "group", dialog: "dialog", dt: "term", fieldset: "group", figure: "figure", form: "form",
  h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", hr: "separator",
  li: "listitem", main: "main", math: "math", menu: "list", meter: "meter", nav: "navigation", ol: "list",
  optgroup: "group", option: "option", output: "status", p: "paragraph", progress: "progressbar",
  summary: "button", table: "table", tbody: "rowgroup", td: "cell", textarea: "textbox", tfoot: "rowgroup",
  th: "columnheader", thead: "rowgroup", tr: "row", ul: "list",
};

/** Selectors, each of one tag, that together hold every element whose implicit role is the key. */
const ROLE_SELECTORS: Record<string, Set<string>> = {
  button: new Set(["input[type=button]", "input[type=image]", "input[type=reset]", "input[type=submit]"]),
  checkbox: new Set(["input[type=checkbox]"]),
  combobox: new Set(["select", "input[list]"]),
  img: new Set(["img", "svg"]),
  link: new Set(["a[href]", "area[href]"]),
  listbox: new Set(["select"]),
  radio: new Set(["input[type=radio]"]),
  searchbox: new Set(["input[type=search]"]),
  slider: new Set(["input[type=range]"]),
  spinbutton: new Set(["input[type=number]"]),
  textbox: new Set(["input"]),
};
for (const [tag, role] of Object.entries(TAG_ROLES)) (ROLE_SELECTORS[role] ??= new Set()).add(tag);

/** Roles whose name may come from what they contain. */
const NAMED_BY_CONTENT = new Set([
  "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip", "treeitem",
]);

/** CSS selectors, each of one tag, of every element that may have the role by its tag. */
export function implicitRoles(role: string): Iterable<string> {
  return ROLE_SELECTORS[role] ?? [];
}

/** CSS selectors, each of one tag, of every element whose name may come from what it contains, by its tag. */
export function namedByContent(): Set<string> {
  return new Set([...NAMED_BY_CONTENT].flatMap((role) => [...implicitRoles(role)]));
}

/** The CSS selector of every element that was given the role. */
export function explicitRole(role: string): string {
  return `[role~="${CSS.escape(role)}" i]`;
}

export function roleOf(el: Element): string {
  const explicit = el.getAttribute("role")?.trim().split(/\s+/)[0];
  if (explicit && explicit !== "none" && explicit !== "presentation") return explicit.toLowerCase();
  return implicitRole(el);
}

function implicitRole(el: Element): string {
  switch (el.localName) {
    case "a": case "area": return el.hasAttribute("href") ? "link" : "";
    case "img": return el.getAttribute("alt") === "" ? "" : "img";
    case "svg": return "img";
    case "input": return inputRole(el as HTMLInputElement);
    case "select": return (el as HTMLSelectElement).multiple || (el as HTMLSelectElement).size > 1 ? "listbox" : "combobox";
    case "section": return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ? "region" : "";
    default: return TAG_ROLES[el.localName] ?? "";
  }
}

function inputRole(el: HTMLInputElement): string {
  const role = INPUT_ROLES[el.type] ?? "";
  return el.list && (role === "textbox" || role === "searchbox") ? "combobox" : role;
}

/** The accessible name, "" where there is none. */
export function nameOf(el: Element): string {
  const known = pass()?.names;
  const before = known?.get(el);
  if (before !== undefined) return before;
  const name = normalize(compute(el, { visited: new Set(), fromContent: false, labelledBy: false, followed: false }));
  known?.set(el, name);
  return name;
}

interface Walk {
  visited: Set<Element>;
  fromContent: boolean; // inside a subtree that names an element
  labelledBy: boolean; // at what aria-labelledby names, which counts though it be hidden
  followed: boolean; // within that; aria-labelledby is not followed again
}

function compute(el: Element, walk: Walk): string {
  if (walk.visited.has(el)) return "";
  walk.visited.add(el);
  if (!walk.labelledBy && isHidden(el)) return "";
  return (
    byReference(el, walk) ||
    normalize(el.getAttribute("aria-label")) ||
    native(el, walk) ||
    (allowsContent(el, walk) && content(el, walk)) ||
    normalize(el.getAttribute("title")) ||
    normalize(el.getAttribute("placeholder"))
  );
}

function isHidden(el: Element): boolean {
  return el.getAttribute("aria-hidden") === "true" || !el.checkVisibility({ visibilityProperty: true });
}

function byReference(el: Element, walk: Walk): string {
  const ids = el.getAttribute("aria-labelledby");
  if (!ids || walk.followed) return "";
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.trim().split(/\s+/)
    .map((id) => root.getElementById(id))
    .filter((ref) => ref !== null)
    .map((ref) => compute(ref, { visited: new Set([el]), fromContent: true, labelledBy: true, followed: true }))
    .join(" ").trim();
}

/**
 * A control inside a label says its value by the rules. Not here: a value is
 * what a person typed, and a name that is kept must not hold it.
 */
function isControl(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement;
}

function native(el: Element, walk: Walk): string {
  switch (el.localName) {
    case "input": return inputName(el as HTMLInputElement, walk);
    case "button": case "meter": case "output": case "progress": case "select": case "textarea": return byLabels(el, walk);
    case "area": case "img": return normalize(el.getAttribute("alt"));
    case "fieldset": return byChild(el, "legend", walk);
    case "figure": return byChild(el, "figcaption", walk);
    case "svg": return byChild(el, "title", walk);
    case "table": return byChild(el, "caption", walk);
    default: return "";
  }
}

function inputName(el: HTMLInputElement, walk: Walk): string {
  const labelled = byLabels(el, walk);
  if (labelled) return labelled;
  switch (el.type) {
    case "button": case "reset": case "submit":
      return normalize(el.value) || (el.type === "button" ? "" : el.type === "submit" ? "Submit" : "Reset");
    case "image": return normalize(el.alt) || normalize(el.value);
    default: return "";
  }
}

function byLabels(el: Element, walk: Walk): string {
  return labelsOf(el).map((label) => compute(label, { ...walk, visited: new Set(walk.visited), fromContent: true })).join(" ").trim();
}

function byChild(el: Element, tag: string, walk: Walk): string {
  const child = [...el.children].find((c) => c.localName === tag);
  if (!child) return "";
  return tag === "title" ? normalize(child.textContent) : compute(child, { ...walk, fromContent: true });
}

function allowsContent(el: Element, walk: Walk): boolean {
  return (walk.fromContent && !isControl(el)) || NAMED_BY_CONTENT.has(roleOf(el));
}

function content(el: Element, walk: Walk): string {
  const within = { ...walk, fromContent: true, labelledBy: false };
  const parts: string[] = [];
  for (const node of childNodes(el)) {
    if (node instanceof Text) parts.push(node.data);
    else if (node instanceof Element) parts.push(isBlock(node) ? ` ${compute(node, within)} ` : compute(node, within));
  }
  return normalize(parts.join(""));
}

function childNodes(el: Element): Iterable<Node> {
  if (el instanceof HTMLSlotElement) {
    const assigned = el.assignedNodes();
    if (assigned.length) return assigned;
  }
  return el.shadowRoot ? el.shadowRoot.childNodes : el.childNodes;
}

function isBlock(el: Element): boolean {
  return el.localName === "br" || !getComputedStyle(el).display.startsWith("inline");
}
