// Facts about elements that everything else uses: where they are, whether they can be
// seen and used, what is above them through shadow roots and frames, and what kind of
// field they are. First of all: lookups that are remembered while one question is
// answered.

let isAnswering = false;
const remembered: Map<unknown, unknown>[] = [];

/** Answers a question, which must not change the document, not even by a focus: what is looked up many times is looked up once. */
export function inOnePass<T>(answer: () => T): T {
  if (isAnswering) return answer();
  isAnswering = true;
  try {
    return answer();
  } finally {
    isAnswering = false;
    for (const known of remembered) known.clear();
  }
}

/** A lookup whose results are remembered until the pass under way ends: no other script runs meanwhile. Outside of one it is made every time. */
export function perPass<K, V>(): (key: K, findOut: () => V) => V {
  const known = new Map<K, V>();
  remembered.push(known);
  return (key, findOut) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = findOut();
    if (isAnswering) known.set(key, found);
    return found;
  };
}

/** The roots that selectors are looked up in. */
export type Root = Document | ShadowRoot;

/** Collapses white space as a person reads it. */
export function normalize(text: string | null | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

/** A pattern that matches a text as it is, also where it counts in code points. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

export function rootOf(el: Element): Root {
  const root = el.getRootNode();
  return root instanceof ShadowRoot ? root : el.ownerDocument;
}

// A form answers with its controls to what any other element answers with its own properties:
// where one has a control called "id", form.id is that control. These ask the element itself.

export function idOf(el: Element): string {
  return el.getAttribute("id") ?? "";
}

export function elementsIn(node: Element | Document | ShadowRoot | DocumentFragment, most = Infinity): Element[] {
  return firstOf(node instanceof Element ? (ownChildren.call(node) as HTMLCollection) : node.children, most);
}

/** The first of what a page may have thousands of: the rest is not even counted. */
export function firstOf(all: HTMLCollection, most: number): Element[] {
  const first: Element[] = [];
  for (let el = all.item(0); el && first.length < most; el = all.item(first.length)) first.push(el);
  return first;
}

export function attributesOf(el: Element): NamedNodeMap {
  return ownAttributes.call(el) as NamedNodeMap;
}

const getter = (name: "children" | "attributes") => Object.getOwnPropertyDescriptor(Element.prototype, name)?.get as (this: Element) => unknown;
const ownChildren = getter("children");
const ownAttributes = getter("attributes");

/** Closed shadow roots that were handed over, by host. */
const closed = new WeakMap<Element, ShadowRoot>();
let anyClosed = false;

export function keepRoot(host: Element, root: ShadowRoot): void {
  closed.set(host, root);
  anyClosed = true;
}

/** The shadow root of an element: an open one, or a closed one that is known. */
export function shadowOf(host: Element): ShadowRoot | null {
  return host.shadowRoot ?? (anyClosed ? closed.get(host) ?? null : null);
}

/** Which of its siblings of the same tag an element is, from 1; 0 where it is the only one. */
export function placeAmongAlike(el: Element): number {
  let place = 1;
  for (let at = el.previousElementSibling; at; at = at.previousElementSibling) if (at.localName === el.localName) place++;
  if (place > 1) return place;
  for (let at = el.nextElementSibling; at; at = at.nextElementSibling) if (at.localName === el.localName) return place;
  return 0;
}

/** The parent in the flat tree: slots and shadow hosts included. */
export function composedParent(el: Element): Element | null {
  if (el.assignedSlot) return el.assignedSlot;
  if (el.parentElement) return el.parentElement;
  const root = el.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Whether inner is outer or lies below it in the flat tree. */
export function composedContains(outer: Element, inner: Element | null): boolean {
  for (let el = inner; el; el = composedParent(el)) {
    if (el === outer) return true;
  }
  return false;
}

/** Rendered, not hidden by CSS, of some size, and not inert. */
export function isVisible(el: Element): boolean {
  if (!isShown(el)) return false;
  for (const rect of boxesOf(el)) {
    if (rect.width > 0 && rect.height > 0) return true;
  }
  return (isContents(el) && elementsIn(el).some(isVisible)) || hasEditContext(el); // of a slot; what is typed there is drawn elsewhere
}

/** Whether the page shows the element, with a box or without: its boxes cost ten times as much where there are thousands. */
export function isShown(el: Element): boolean {
  return isDrawn(el, { visibilityProperty: true, contentVisibilityAuto: true }) && !isInert(el);
}

/** As checkVisibility, which takes an element without a box of its own (display: contents, a slot) for one that is not drawn. */
export function isDrawn(el: Element, options: CheckVisibilityOptions = { visibilityProperty: true }): boolean {
  if (el.checkVisibility(options)) return true;
  const parent = composedParent(el);
  return parent !== null && isContents(el) && getComputedStyle(el).visibility === "visible" && isDrawn(parent, options);
}

function isContents(el: Element): boolean {
  return getComputedStyle(el).display === "contents";
}

/** Where an element stands; one without a box of its own stands where what is in it does. */
export function boxOf(el: Element): DOMRect {
  const own = el.getBoundingClientRect();
  return own.width > 0 || own.height > 0 || !isContents(el) ? own : around(el);
}

/** The boxes of an element: one of each line that it is written on. */
export function boxesOf(el: Element): DOMRect[] {
  const own = [...el.getClientRects()];
  return own.length > 0 || !isContents(el) ? own : [around(el)];
}

function around(el: Element): DOMRect {
  const contents = document.createRange();
  contents.selectNodeContents(el);
  return contents.getBoundingClientRect();
}

/** Brings an element into view. */
export function bringIntoView(el: Element, block: ScrollLogicalPosition, inline: ScrollLogicalPosition = block): void {
  const boxed = isContents(el) ? (elementsIn(el).find(isVisible) ?? el) : el;
  boxed.scrollIntoView({ block, inline, behavior: "instant" });
}

/** Whether the page has put the element out of use, as it does with what a slide or a banner leaves in the document. */
function isInert(el: Element): boolean {
  if (el.closest("[inert]")) return true;
  const root = el.getRootNode();
  return root instanceof ShadowRoot && isInert(root.host);
}

/** The element under a point of the viewport, through the shadow roots that are known. */
export function deepElementFromPoint(x: number, y: number): Element | null {
  let root: DocumentOrShadowRoot = document;
  let found: Element | null = null;
  for (;;) {
    const hit: Element | null = root.elementFromPoint(x, y);
    if (!hit || hit === found) return found;
    found = hit;
    const shadow = shadowOf(hit);
    if (!shadow) return hit;
    root = shadow;
  }
}

/** The focused element, through the shadow roots that are known. */
export function deepActiveElement(): Element | null {
  let active = document.activeElement;
  for (;;) {
    const inner: Element | null | undefined = active && shadowOf(active)?.activeElement;
    if (!inner) return active;
    active = inner;
  }
}

/** The labels that stand for a control; none for other elements. */
export function labelsOf(el: Element): HTMLLabelElement[] {
  const labels = el instanceof HTMLFormElement ? null : (el as HTMLInputElement).labels; // of a form it may be a control of that name
  if (!(labels instanceof NodeList)) return [];
  return isAnswering && el.isConnected ? labelledIn(el.getRootNode() as Root).get(el) ?? [] : [...labels];
}

const labelsByRoot = perPass<Root, Map<Element, HTMLLabelElement[]>>();

/** The controls of a root that have labels, with those: asking each of many controls reads the whole root each time. */
export function labelledIn(root: Root): Map<Element, HTMLLabelElement[]> {
  return labelsByRoot(root, () => {
    const labels = new Map<Element, HTMLLabelElement[]>();
    for (const label of root instanceof Document ? root.getElementsByTagName("label") : root.querySelectorAll("label")) {
      if (label.control) labels.set(label.control, [...(labels.get(label.control) ?? []), label]);
    }
    return labels;
  });
}

/** Whether a press on hit works for el: it is inside it, or el is labelled by it, or is a field that lets presses through to the box of a drawn list. */
export function reaches(hit: Element | null, el: Element): boolean {
  const isBox = hit !== null && hit !== el && el.matches("input") && hit.contains(el) && !hit.closest("a,button,label,[role=button],[role=link]");
  return composedContains(el, hit) || (isBox && getComputedStyle(el).pointerEvents === "none") || labelsOf(el).some((label) => composedContains(label, hit));
}

/** How an element is called in a message to a person: div#overlay.big */
export function brief(el: Element): string {
  const id = idOf(el) ? `#${idOf(el)}` : "";
  const first = el.classList.item(0);
  return `${el.localName}${id}${!id && first ? `.${first}` : ""}`.slice(0, 80);
}

const rootsByRoot = perPass<Root, Root[]>();

/** Calls visit for root and for every shadow root below it that is known. */
export function eachRoot(root: Root, visit: (root: Root) => void): void {
  for (const one of rootsByRoot(root, () => rootsIn(root))) visit(one);
}

function rootsIn(root: Root): Root[] {
  const found = [root];
  for (const host of hostsIn(root)) found.push(...rootsIn(shadowOf(host) as ShadowRoot));
  return found;
}

/** The shadow hosts of a root, in its order. To touch every element is most of what a look at a large page costs. */
function hostsIn(root: Root): Element[] {
  const hosts: Element[] = [];
  const tags = root instanceof Document && customTags ? [...HOSTS, ...customTags] : ["*"];
  for (const tag of tags) {
    const all = root instanceof Document ? root.getElementsByTagName(tag) : root.querySelectorAll(tag); // the first is the quicker
    for (let i = 0, length = all.length; i < length; i++) if (shadowOf(all[i] as Element)) hosts.push(all[i] as Element);
  }
  return tags.length > 1 ? hosts.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)) : hosts;
}

/** Elements that may have a shadow root, besides those of a page's own making (https://dom.spec.whatwg.org/#valid-shadow-host-name). */
export const HOSTS = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);

/** The tags of custom elements that have been seen, while all that is added is looked at; otherwise null. */
let customTags: Set<string> | null = null;

/** Starts or stops collecting the tags of custom elements, which are then all reported by noteCustom. */
export function watchCustoms(on: boolean): void {
  customTags = on ? new Set() : null;
}

export function noteCustom(el: Element): void {
  customTags?.add(el.localName);
}

export function isInView(el: Element): boolean {
  const rect = boxOf(el);
  return rect.top >= 0 && rect.left >= 0 && rect.bottom <= innerHeight && rect.right <= innerWidth;
}

/**
 * Carries a point of this frame up to the page's viewport, as far as the parents are
 * of this origin. Blindly it does not matter what lies there.
 */
export function throughParents(x: number, y: number, blindly = false): Point | string {
  let view: Window = window;
  for (let depth = 0; view !== view.parent; depth++) {
    const owner = frameElementOf(view);
    if (!owner) return { x, y, crossed: true, depth };
    const point = outOf(owner, x, y, blindly);
    if (typeof point === "string") return point;
    ({ x, y } = point);
    view = view.parent;
  }
  return { x, y };
}

export interface Point {
  x: number;
  y: number;
  crossed?: boolean;
  depth?: number;
}

/** A point of a frame's viewport in that of the document that holds the frame's element. */
export function outOf(owner: Element, x: number, y: number, blindly = false): { x: number; y: number } | string {
  if (!blindly && !isInView(owner)) owner.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rect = owner.getBoundingClientRect();
  const box = owner as HTMLElement;
  const scale = box.offsetWidth ? rect.width / box.offsetWidth : 1;
  const style = getComputedStyle(owner);
  const px = rect.x + (owner.clientLeft + parseFloat(style.paddingLeft) + x) * scale;
  const py = rect.y + (owner.clientTop + parseFloat(style.paddingTop) + y) * scale;
  if (blindly) return { x: px, y: py };
  const hit = hitIn(owner, px, py);
  return hit === owner ? { x: px, y: py } : `the frame ${brief(owner)} is ${hit ? `covered by ${brief(hit)}` : "out of view"}`;
}

function hitIn(owner: Element, x: number, y: number): Element | null {
  return (owner.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
}

function frameElementOf(view: Window): Element | null {
  try {
    return view.frameElement;
  } catch {
    return null;
  }
}

export function isField(el: Element): boolean {
  return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable || hasEditContext(el);
}

/** Whether the page draws itself what is typed into an element (https://w3c.github.io/edit-context/). */
export function hasEditContext(el: Element): boolean {
  return !!(el as { editContext?: object | null }).editContext;
}

export function fieldOf(el: Element): HTMLElement | null {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement || hasEditContext(el)) return el as HTMLElement;
  return (el as HTMLElement).isContentEditable ? (editingHost(el) as HTMLElement) : null;
}

export function editingHost(el: Element): Element {
  let host = el;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}

export function valueOf(field: HTMLElement): string {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.innerText.replace(/\n$/, "");
}

/** Kinds of control that are known by their change, not by what is typed. */
export const CHANGES = new Set(["checkbox", "radio", "select", "file"]);

/** Kinds of field with a picker of the browser's own: their keys move within it, and write differently in each language. */
export const PICKED = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);

export function kindOf(field: Element): string {
  return field instanceof HTMLSelectElement ? "select" : field instanceof HTMLInputElement ? field.type : "text";
}

export function isTextEntry(el: Element): boolean {
  if (el instanceof HTMLInputElement) return !CHANGES.has(el.type) && !["button", "image", "reset", "submit"].includes(el.type);
  return takesLines(el);
}

export function takesLines(el: Element): boolean {
  return el instanceof HTMLTextAreaElement || (el as HTMLElement).isContentEditable || hasEditContext(el);
}

/** The head of the column that an element is in, the lowest of several that says something; undefined for none. */
export function headOver(el: Element): Element | undefined {
  const heads = headsOver(el);
  return heads.findLast((head) => columnText(head) !== "") ?? heads[0];
}

/** The heads over the column that an element is in: that of a group of columns comes before that of the column. */
function headsOver(el: Element): Element[] {
  const row = el.closest("tr,[role=row]");
  const table = row?.closest("table:not([role=presentation],[role=none]),[role=grid],[role=treegrid],[role=table]");
  const cell = el.closest(CELL);
  const tables = [table, ...ownedBy(table)]; // its head may be drawn by one of its own
  const head = tables.map((one) => one?.querySelector(HEAD)).find((one) => one);
  const heads = head?.closest("tr,[role=row]");
  if (!row || !cell || !head || !heads || heads === row || !heads.closest("thead") && cellsOf(heads).some(isUnderNone)) return [];
  const column = cell.ariaColIndex;
  const numbered = column ? head.closest("table,[role=grid],[role=treegrid],[role=table]")?.querySelector(`:is(${HEAD})[aria-colindex="${CSS.escape(column)}"]`) : null;
  if (numbered) return [numbered];
  const cells = cellsOf(row);
  const at = cells.slice(0, cells.indexOf(cell)).reduce((sum, before) => sum + span(before), 0);
  const taken: number[] = []; // by a head of a row above, and for how many rows
  const over: Element[] = [];
  for (let one: Element | null = heads; one && one !== row && (one === heads || cellsOf(one).every((part) => part.matches(HEAD))); one = one.nextElementSibling) {
    let next = 0;
    for (const part of cellsOf(one)) {
      while (taken[next]) next++;
      if (at >= next && at < next + span(part) && part.matches(HEAD)) over.push(part);
      for (const end = next + span(part); next < end; next++) taken[next] = (part as HTMLTableCellElement).rowSpan || 1;
    }
    for (const [i, rows] of taken.entries()) taken[i] = Math.max(0, (rows ?? 0) - 1);
  }
  return over;
}

/** Over how many columns a cell stands. */
function span(cell: Element): number {
  return (cell as HTMLTableCellElement).colSpan || 1;
}

/** A text without what is drawn next to it by signs, as the arrow of a list, or of what is sorted by. */
export function withoutSigns(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** What may be pressed or written. */
const CONTROL = "a,button,input:not([type=hidden]),select,textarea,[role],[tabindex],[contenteditable]";

/** What the heads say of the column in a cell of which an element is the only control, or which holds several; "" for none. */
export function columnOf(el: Element): string {
  const cell = el.closest(CELL);
  if (!cell) return "";
  const [control, other] = cell.querySelectorAll(CONTROL);
  return (other ? cell : control ?? drawnIn(cell) ?? cell) === el ? columnSaid(cell) : "";
}

/** What the heads say of a column, "Tue PM"; "" for none, and below a head that stands over several columns. */
export function columnSaid(cell: Element): string {
  const heads = headsOver(cell);
  const isOfSeveral = heads.length === 0 || span(heads.at(-1) as Element) > 1;
  return isOfSeveral ? "" : heads.map(columnText).filter((text) => text !== "").join(" ");
}

/** What is drawn in a cell that says nothing, as a switch. */
function drawnIn(cell: Element): Element | undefined {
  return cell.childElementCount === 1 && normalize(cell.textContent) === "" ? elementsIn(cell)[0] : undefined;
}

/** What the head of a column calls it; an arrow says how it is sorted. */
export function columnText(head: Element): string {
  return withoutSigns(normalize(head.textContent));
}

/** What an element owns that is not within it (https://www.w3.org/TR/wai-aria-1.2/#aria-owns). */
function ownedBy(el: Element | null | undefined): Element[] {
  const ids = el?.getAttribute("aria-owns")?.trim().split(/\s+/) ?? [];
  return ids.map((id) => rootOf(el as Element).getElementById(id)).filter((one) => one !== null);
}

const HEAD = "th,[role=columnheader],thead td";
/** The cells of a table, and its heads. */
export const CELL = `td,th,[role=columnheader],[role=cell],[role=gridcell],[role=rowheader]`;

/** The cells of a row; what a page puts between them, to be dragged, is none. */
function cellsOf(row: Element): Element[] {
  return elementsIn(row).filter((part) => part.matches(CELL));
}

/** Whether a cell has what stands next to the head of its own row: the heads before it are not those of columns. */
function isUnderNone(cell: Element): boolean {
  return !cell.matches(HEAD) && (normalize(cell.textContent) !== "" || cell.querySelector("input:not([type=checkbox],[type=radio]),select,textarea") !== null);
}

/** Longer texts before an element are prose. */
const LONGEST_BEFORE = 60;

/** The words that stand right before an element, in no element of their own; "" for none. */
export function textBefore(el: Element): string {
  const words = el.previousSibling instanceof Text ? normalize(el.previousSibling.data) : "";
  return /\p{L}{2}/u.test(words) && words.length <= LONGEST_BEFORE ? words : "";
}

/** The options of a list that have one of the values each, or else say it; none where several do that are different things. */
export function optionsNamed(list: HTMLSelectElement, values: readonly string[]): HTMLOptionElement[] {
  return values.map((value) => optionNamed([...list.options], value.trim())).filter((option) => option !== undefined);
}

function optionNamed(all: readonly HTMLOptionElement[], words: string): HTMLOptionElement | undefined {
  for (const says of [(option: HTMLOptionElement) => option.value.trim(), (option: HTMLOptionElement) => option.label.trim(), wordsInGroup]) {
    const [first, ...others] = all.filter((option) => says(option) === words);
    if (first) return others.every((other) => other.value === first.value && wordsInGroup(other) === wordsInGroup(first)) ? first : undefined;
  }
  return undefined;
}

/** What an option says, and the group that it is in, as others of the list may say the same. */
function wordsInGroup(option: HTMLOptionElement): string {
  const group = option.parentElement;
  return (group instanceof HTMLOptGroupElement ? `${group.label.trim()} / ` : "") + option.label.trim();
}

/** An option by what people read: its value may be a number of the site's own. Where others say the same, with its group, or else by its value. */
export function wordsOf(option: HTMLOptionElement, list: HTMLSelectElement): string {
  const isAlone = (words: string) => words !== "" && [...list.options].every((o) => o === option || (o.label.trim() !== words && o.value !== words && wordsInGroup(o) !== words));
  return [option.label.trim(), wordsInGroup(option)].find(isAlone) ?? option.value;
}

/** Whether a checkbox, radio or switch is on. */
export function stateOf(el: Element): boolean {
  return el instanceof HTMLInputElement ? el.checked : (el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed")) === "true";
}

export function disabledWhy(el: Element): string {
  if (el.matches(":disabled")) return `${brief(el)} is disabled`;
  if (isInert(el)) return `${brief(el)} is inert`;
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at.getAttribute("aria-disabled") === "true") return `${brief(el)} is disabled`;
  }
  return "";
}

export function autocompleteOf(el: Element): string[] {
  return (el.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

/** Where the words are a value and no text of the page. */
const FIELDS = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

/** Whether an element is a field, a part of one, or has one in it. */
export function holdsField(el: Element): boolean {
  return el.closest(FIELDS) !== null || (el as HTMLElement).isContentEditable || el.querySelector(FIELDS) !== null;
}
