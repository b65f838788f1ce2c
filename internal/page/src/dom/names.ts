// What an element is called and what it says.
//
// Roles and names are those that assistive technology gets: the implicit roles of HTML
// (https://www.w3.org/TR/html-aam-1.0/) and the computation of accessible names
// (https://www.w3.org/TR/accname-1.2/), with two exceptions: what the user typed or chose
// is in no name, and neither is text that only CSS makes, which is mostly icons that have
// no words and change with the next release of their font.
//
// Texts are read without reading more of the document than is needed: the text of a long
// page's ancestors is the page, again and again.

import { elementsIn, isDrawn, labelsOf, literal, normalize, perPass, type Root } from "./elements";

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
  search: "search", summary: "button", table: "table", tbody: "rowgroup", td: "cell", textarea: "textbox", tfoot: "rowgroup",
  th: "columnheader", thead: "rowgroup", tr: "row", ul: "list",
};

/** Selectors, each of one tag, that together hold every element whose implicit role is the key. */
const ROLE_SELECTORS: Record<string, Set<string>> = {
  button: new Set(["input[type=button]", "input[type=image]", "input[type=reset]", "input[type=submit]"]),
  checkbox: new Set(["input[type=checkbox]"]),
  combobox: new Set(["select", "input[list]"]),
  gridcell: new Set(["td"]),
  img: new Set(["img", "svg"]),
  link: new Set(["a[href]", "area[href]"]),
  listbox: new Set(["select"]),
  radio: new Set(["input[type=radio]"]),
  region: new Set(["section"]),
  rowheader: new Set(["th"]),
  searchbox: new Set(["input[type=search]"]),
  slider: new Set(["input[type=range]"]),
  spinbutton: new Set(["input[type=number]"]),
  textbox: new Set(["input"]),
};
for (const [tag, role] of Object.entries(TAG_ROLES)) (ROLE_SELECTORS[role] ??= new Set()).add(tag);

/** The roles that there are (https://www.w3.org/TR/wai-aria-1.2/#role_definitions); others are passed over. */
const ROLES = new Set([
  ...("alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment complementary contentinfo " +
    "definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading image img insertion link list listbox " +
    "listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation " +
    "progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript " +
    "suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem").split(" "),
]);

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

/** Role and name, as a selector by them finds an element. */
export function accessible(el: Element): { role: string; name: string } {
  return { role: roleOf(el), name: nameOf(el) };
}

/** Roles of what is used as one thing, wherever it is pressed. */
export const INTERACTIVE = new Set([
  "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
]);

export function roleOf(el: Element): string {
  const given = el.getAttribute("role");
  const explicit = given && given.toLowerCase().split(/\s+/).find((role) => ROLES.has(role));
  if (!explicit) return implicitRole(el);
  if (explicit !== "none" && explicit !== "presentation") return isOption(el, explicit) ? "option" : explicit;
  return keepsRole(el) ? implicitRole(el) : "";
}

/** Roles that an element of a list of options may have, and keeps. */
const OF_LISTBOXES = new Set([...INTERACTIVE, "group", "separator"]);

/** Whether an element among options is one by its place: some have the role of an alert while the mouse is on them. */
function isOption(el: Element, explicit: string): boolean {
  const list = OF_LISTBOXES.has(explicit) ? null : el.parentElement;
  return list?.getAttribute("role") === "listbox" && list.querySelector(':scope > [role="option"]') !== null;
}

/** What can be used or is named is reported, whatever its role is (https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none). */
function keepsRole(el: Element): boolean {
  return el.matches("button,input,select,textarea,summary,a[href],area[href],[tabindex],[contenteditable],[aria-label],[aria-labelledby]");
}

function implicitRole(el: Element): string {
  switch (el.localName) {
    case "a": case "area": return el.hasAttribute("href") ? "link" : "";
    case "img": return el.getAttribute("alt") === "" && !el.matches(NAMED) ? "" : "img";
    case "svg": return "img";
    case "input": return inputRole(el as HTMLInputElement);
    case "select": return (el as HTMLSelectElement).multiple || (el as HTMLSelectElement).size > 1 ? "listbox" : "combobox";
    case "section": return el.matches(NAMED) ? "region" : "";
    case "td": return isInGrid(el) ? "gridcell" : "cell";
    case "th": return /^row/i.test(el.getAttribute("scope") ?? "") ? "rowheader" : "columnheader";
    default: return TAG_ROLES[el.localName] ?? "";
  }
}

const NAMED = "[aria-label],[aria-labelledby],[title]";

function isInGrid(cell: Element): boolean {
  return cell.closest("table")?.matches("[role=grid],[role=treegrid]") ?? false;
}

function inputRole(el: HTMLInputElement): string {
  const role = INPUT_ROLES[el.type] ?? "";
  return el.list && (role === "textbox" || role === "searchbox") ? "combobox" : role;
}

const names = perPass<Element, string>();

/** The accessible name, "" where there is none. */
export function nameOf(el: Element): string {
  return names(el, () => normalize(compute(el, { visited: new Set(), fromContent: false, hidden: false, followed: false })));
}

/** What a hidden element is called once it is shown. */
export function hiddenNameOf(el: Element): string {
  return normalize(compute(el, { visited: new Set(), fromContent: false, hidden: true, followed: false }));
}

interface Walk {
  visited: Set<Element>;
  fromContent: boolean; // inside a subtree that names an element
  hidden: boolean; // in what aria-labelledby names though it be hidden: then all of it counts
  followed: boolean; // within that; aria-labelledby is not followed again
}

function compute(el: Element, walk: Walk): string {
  if (walk.visited.has(el)) return "";
  walk.visited.add(el);
  if (walk.hidden ? NO_WORDS.has(el.localName) : isHidden(el)) return "";
  return (
    byReference(el, walk) ||
    normalize(el.getAttribute("aria-label")) ||
    native(el, walk) ||
    (allowsContent(el, walk) && content(el, walk)) ||
    normalize(el.getAttribute("title")) ||
    normalize(el.getAttribute("placeholder")) ||
    normalize(el.getAttribute("aria-placeholder"))
  );
}

/** What is never shown, also where what is around it is only hidden for now. */
const NO_WORDS = new Set(["script", "style", "noscript", "template"]);

function isHidden(el: Element): boolean {
  return (el.getAttribute("aria-hidden") === "true" || !isDrawn(el)) && !isDrawnByLabel(el);
}

/** Whether what can be seen of a box is its label, which holds or draws it. */
function isDrawnByLabel(el: Element): boolean {
  return el instanceof HTMLInputElement && /^(?:radio|checkbox)$/.test(el.type) && [...(el.labels ?? [])].some((label) => isDrawn(label));
}

/** Whether an element shows what is chosen in a list that the page draws: that is called what it asks for, and not what it holds. */
export function isValueOf(part: Element, list: Element): boolean {
  return list.contains(part) && (list.getAttribute("aria-haspopup") === "listbox" || roleOf(list) === "combobox");
}

function byReference(el: Element, walk: Walk): string {
  const ids = el.getAttribute("aria-labelledby");
  if (!ids || walk.followed) return "";
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.trim().split(/\s+/)
    .map((id) => root.getElementById(id))
    .filter((ref): ref is HTMLElement => ref !== null && !isValueOf(ref, el))
    .map((ref) => compute(ref, { visited: new Set(), fromContent: true, hidden: isHidden(ref), followed: true }))
    .join(" ").trim();
}

/**
 * A control inside a label says its value by the rules. Not here: a value is
 * what a person typed, and a name that is stored must not hold it.
 */
function isControl(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement;
}

function native(el: Element, walk: Walk): string {
  switch (el.localName) {
    case "input": return inputName(el as HTMLInputElement, walk);
    case "button": case "meter": case "output": case "progress": case "select": case "textarea": return byLabels(el, walk);
    case "area": case "img": return normalize(el.getAttribute("alt"));
    case "optgroup": case "option": return normalize(el.getAttribute("label"));
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
      return normalize(el.value) || (el.type === "button" || el.hasAttribute("value") ? "" : el.type === "submit" ? "Submit" : "Reset");
    case "image": return normalize(el.alt) || normalize(el.value) || normalize(el.title) || "Submit";
    default: return "";
  }
}

/** By its labels; one of several to choose from by the label around it, where another one is of them all. */
function byLabels(el: Element, walk: Walk): string {
  const all = labelsOf(el);
  const around = el.matches("[type=radio],[type=checkbox]") ? all.filter((label) => label.contains(el)) : [];
  return (around.length ? around : all).map((label) => compute(label, { ...walk, visited: new Set(walk.visited), fromContent: true })).join(" ").trim();
}

function byChild(el: Element, tag: string, walk: Walk): string {
  const child = elementsIn(el).find((c) => c.localName === tag);
  if (!child) return "";
  return tag === "title" ? normalize(child.textContent) : compute(child, { ...walk, fromContent: true });
}

function allowsContent(el: Element, walk: Walk): boolean {
  return (walk.fromContent && !isControl(el)) || NAMED_BY_CONTENT.has(roleOf(el));
}

function content(el: Element, walk: Walk): string {
  const within = { ...walk, fromContent: true };
  const parts: string[] = [];
  for (const node of childNodes(el)) {
    if (node instanceof Text) parts.push(node.data);
    else if (node instanceof Element) parts.push(standsApart(node) ? ` ${compute(node, within)} ` : compute(node, within));
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

/** Whether the words of an element are none with those next to it. */
function standsApart(el: Element): boolean {
  if (el.localName === "br") return true;
  const { display } = getComputedStyle(el);
  return display !== "inline" && display !== "contents";
}

/** The first characters of textContent. */
export function textStart(node: Node, most: number): string {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_CDATA_SECTION);
  let text = "";
  while (text.length < most && walker.nextNode()) text += (walker.currentNode as Text).data;
  return text.slice(0, most);
}

const NO_TEXT = "script,style,noscript,template,head";
const BUTTONS = new Set(["submit", "button", "reset"]);

/** What a person can read in an element, as far as the document's own text goes. */
function readable(el: Element): string {
  if (el instanceof HTMLInputElement) return BUTTONS.has(el.type) ? el.value : "";
  if (!el.querySelector(NO_TEXT)) return el.textContent;
  return [...el.childNodes].map((node) => (node instanceof Text ? node.data : node instanceof Element && !node.matches(NO_TEXT) ? readable(node) : "")).join("");
}

function patternOf(wanted: string): RegExp {
  return new RegExp(wanted.split(" ").map(literal).join("\\s+"));
}

function buttonsSaying(pattern: RegExp, root: ParentNode): Element[] {
  return [...root.querySelectorAll("input")].filter((el) => pattern.test(readable(el)));
}

/** The deepest elements that hold a text, buttons that are inputs last; white space counts as normalize has it. */
export function* textHolders(wanted: string, within: Root | Element): Generator<Element> {
  const pattern = patternOf(wanted);
  const word = wanted.split(" ").reduce((a, b) => (b.length > a.length || DIGIT.test(b) ? b : a));
  for (const el of within instanceof Element ? [within] : elementsIn(within)) yield* holdersIn(el, pattern, word);
  yield* buttonsSaying(pattern, within);
}

/** A number tells the rows of a table apart. */
const DIGIT = /\d/;

/** The word is one of the pattern's, and quickly seen to be missing. */
function* holdersIn(el: Element, pattern: RegExp, word: string): Generator<Element, boolean> {
  const text = el.textContent;
  if (!text.includes(word) || !pattern.test(text) || el.matches(NO_TEXT)) return false;
  let deeper = false;
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    deeper = (yield* holdersIn(child, pattern, word)) || deeper;
  }
  if (deeper) return true;
  if (!pattern.test(readable(el))) return false;
  yield el;
  return true;
}

/** Whether a text is all of the element's text. */
export function saysExactly(el: Element, wanted: string): boolean {
  return normalize(readable(el)) === wanted;
}

const NOT_SHOWN = new Set(["script", "style", "noscript", "template", "head", "textarea", "select", "datalist", "svg"]);

/** The first characters of an element's text, without what the user typed or chose in it, and without one part. */
export function shownText(el: Element, most: number, without?: Element): string {
  if (el.localName === "input") return BUTTONS.has((el as HTMLInputElement).type) ? (el as HTMLInputElement).value : "";
  const first = el.firstChild;
  if (first?.nodeType === Node.TEXT_NODE && !first.nextSibling) return (first as Text).data.slice(0, most); // as most do that are pressed
  let text = "";
  for (let node: Node | null = first; node && text.length < most; node = node.nextSibling) {
    if (node.nodeType === Node.TEXT_NODE) text += (node as Text).data;
    else if (node instanceof Element && node !== without && !NOT_SHOWN.has(node.localName) && !node.hasAttribute("contenteditable")) {
      text += ` ${shownText(node, most - text.length, without)} `;
    }
  }
  return text.slice(0, most);
}

/** Attributes that an element may be named by, instead of by its text. */
export const NAMING = ["[aria-label]", "[aria-labelledby]", "[title]", "[placeholder]", "[aria-placeholder]", "[label]"];

const specialByRoot = perPass<Root, Map<string, Set<Element | null>>>();

/** Those of a selector's elements that hold others, or have an attribute that may name them. */
export function notPlain(selector: string, root: Root): Set<Element | null> {
  const known = specialByRoot(root, () => new Map<string, Set<Element | null>>());
  const before = known.get(selector);
  if (before) return before;
  const special = new Set<Element | null>();
  for (const inner of root.querySelectorAll(`${selector}>*`)) special.add(inner.parentElement);
  for (const el of root.querySelectorAll(`${selector}:is(${NAMING})`)) special.add(el);
  known.set(selector, special);
  return special;
}

/** A test whether a text is the name, but for its white space; quick with texts that are not. */
export function saying(name: string): (text: string) => boolean {
  const first = name.split(" ", 1)[0] ?? "";
  const last = name.slice(name.lastIndexOf(" ") + 1);
  return (text) => {
    if (text.length <= name.length) return text === name || (text.length === name.length && normalize(text) === name);
    const trimmed = text.trim();
    return trimmed.startsWith(first) && trimmed.endsWith(last) && normalize(trimmed) === name;
  };
}
