// Describing an element: selectors that name it alone among what is visible in its root,
// the evidence by which it is found again, and what else a recording reports of it.

import { isPassing } from "../dom/calm";
import { isWritten } from "../dom/caret";
import { dateByMonth, dateIn, isDay, monthsAround } from "../dom/calendar";
import { autocompleteOf, fieldOf, idOf, inOnePass, isTextEntry, isVisible, kindOf, labelsOf, normalize, placeAmongAlike, type Root, rootOf, textBefore } from "../dom/elements";
import { nameOf, roleOf, saysExactly, textHolders, textStart } from "../dom/names";
import { refOf } from "../dom/wire";
import { fingerprint, type Fingerprint } from "../locate/fingerprint";
import { isGenerated, isGeneratedClass, isStateClass } from "../locate/generated";
import { isNumbered } from "../locate/numbered";
import { attribute, eachByAria, format, isKnownTestId, parse, queryAll, testIdOf, withTestId } from "../locate/selector";
import { isSensitive, quote, repeatsSecret } from "../secret/secrets";
import { inConsent, isHumanCheck } from "./blockers";
import { CHOICES, hasRival, isBoxOfSeveral, isItem, isListed, LONGEST_ITEM, namesRecord, onlyPressed, type Opener, type Pressed, textOf } from "./item";
import { nextToText, rowOf, rowOfHost } from "./row";
import { calledIn, FIELDS, type Row } from "./texts";
import { fromTitle, titleOf } from "./title";
import { onlyField } from "./used";

export interface Description {
  candidates: string[][]; // paths, unordered: the order is the reader's choice
  fingerprint: Fingerprint;
  place: string[]; // a path of numbers alone, for where no candidate is left
}

/** Longest name or text that is stored as a selector: longer ones are prose. */
const LONGEST_NAME = 80;

/** How much of an element's text is looked at to see whether it is that short without its white space. */
const LONGEST_TEXT = 50 * LONGEST_NAME;

/**
 * Describes an element; the key is that of the hashes, and the attribute one that
 * the user's own tests go by. Nothing that repeats a secret is stored, not even as a hash.
 */
export function describe(el: Element, key: string, testIdAttribute = ""): Description {
  const own = testIdAttribute ? { testIdAttribute } : {};
  return withTestId(testIdAttribute, () => inOnePass(() => ({ candidates: paths(el), fingerprint: { ...fingerprint(el, key), ...own }, place: placePath(el) })));
}

/** Describes the element of a frame: also by what tells which frame it is, and not only where it stands. */
export function describeFrame(el: Element, key: string, testIdAttribute = ""): Description & { telling: string[][] } {
  return { ...describe(el, key, testIdAttribute), telling: withTestId(testIdAttribute, () => inOnePass(() => telling(el))) };
}

function telling(el: Element): string[][] {
  const root = rootOf(el);
  const host = root instanceof ShadowRoot ? hostPath(root.host) : [];
  const visible = isVisible(el);
  const tag = el.localName;
  const title = el.getAttribute("title");
  const all = [
    testId(el), idSelector(el), nameAttribute(el),
    title && title.length <= LONGEST_NAME ? tag + attribute("title", title) : null,
    sourceOf(el),
    el.hasAttribute("srcdoc") ? `${tag}[srcdoc]` : el.getAttribute("src") ? null : `${tag}:not([src],[srcdoc])`,
  ];
  return all.filter((selector) => selector !== null && quotable(selector) && isUnique(selector, el, root, visible)).map((selector) => [...host, selector as string]);
}

/** A frame by the path of its address, without what belongs to one visit: query, fragment, and parts that were generated. */
function sourceOf(el: Element): string | null {
  const source = (el.getAttribute("src") ?? "").replace(/[?#].*/s, "");
  if (!/^(?:https?:|\/|\.|[\w-])/.test(source) || /^(?:data|blob|about|javascript):/i.test(source)) return null;
  const runs = source.split("/").reduce<string[][]>((all, part) => (isGenerated(part) ? [...all, []] : [...all.slice(0, -1), [...(all.at(-1) ?? []), part]]), [[]]);
  const longest = runs.map((run) => run.join("/")).sort((a, b) => b.length - a.length)[0] ?? "";
  if (longest.replace(/\W/g, "").length < SHORTEST_SOURCE) return null;
  const how = runs.length > 1 ? "*=" : source === el.getAttribute("src") ? "=" : "^=";
  return `${el.localName}[src${how}"${longest.replace(/["\\]/g, "\\$&")}"]`;
}

/** A shorter path tells too little. */
const SHORTEST_SOURCE = 3;

const quotable = (text: string) => !repeatsSecret(text);

function paths(el: Element): string[][] {
  const root = rootOf(el);
  const host = root instanceof ShadowRoot ? hostPath(root.host) : [];
  const all = candidates(el, root).filter(quotable);
  const lasting = all.filter((selector) => !isByNumber(selector, el));
  const isKnown = roleOf(el) !== "radio" && lasting.some(isWorded); // a radio does not say what it is an answer to
  const caption = isKnown ? [] : captioned(el, host);
  return [...(isKnown || caption.length ? lasting : all).map((selector) => [...host, selector]), ...caption];
}

/** Whether a selector is by an id or a test id that the page numbers, or by such a name of the group of a radio button: what a form sends keeps its names. */
function isByNumber(selector: string, el: Element): boolean {
  const { kind, body } = parse(selector);
  const mark = testIdOf(el)?.attribute;
  if (kind === "css" && /^#[^ >]+$/.test(body)) return isNumbered(el, "id");
  if (kind === "testid" || mark && body.startsWith(`[${mark}=`)) return mark !== undefined && isNumbered(el, mark);
  return kind === "css" && roleOf(el) === "radio" && /^\w+\[name=[^ >]*$/.test(body) && isNumbered(el, "name");
}

/** The path to an element by the text next to it, as the only one of several or none. */
function captioned(el: Element, host: readonly string[], value = ""): string[][] {
  const next = nextToText(el, value);
  return next?.every(quotable) ? [[...host, ...next]] : [];
}

/** Whether a selector says what an element is, and not only where it stands. */
function isWorded(selector: string): boolean {
  const { kind, body } = parse(selector);
  return kind !== "xpath" && (kind !== "css" || !/[ >]|:nth/.test(body));
}

/** One path to a shadow host: the first candidate that names it, and not a part which says its words; that is its most telling. */
function hostPath(host: Element): string[] {
  const root = rootOf(host);
  const own = candidates(host, root).find((selector) => quotable(selector) && queryAll(selector, root)[0] === host) ?? placeIn(host, root);
  return [...(root instanceof ShadowRoot ? hostPath(root.host) : []), own];
}

function candidates(el: Element, root: Root): string[] {
  const visible = isVisible(el);
  const unique = (selector: string | null): selector is string => selector !== null && quotable(selector) && isUnique(selector, el, root, visible);
  const xpath = root instanceof Document ? [structuralXPath(el)] : [];
  const own = [testId(el), roleAndName(el), placeholder(el), idSelector(el), nameAttribute(el)].filter(unique);
  const words = text(el);
  const isNamed = own.some((selector) => parse(selector).kind === "aria");
  return own.concat(unique(words) || (words && !isNamed && quotable(words) && saysAlone(words, el, root, visible)) ? [words as string] : [], structuralCSS(el, root), xpath);
}

/** Whether an element is the only one that says its words, in one part of it. */
function saysAlone(selector: string, el: Element, root: Root, visible: boolean): boolean {
  let parts = 0;
  for (const found of named(selector, root)) {
    if (el.contains(found)) parts++;
    else if (!visible || isVisible(found)) return false;
  }
  return parts === 1;
}

function placePath(el: Element): string[] {
  const root = rootOf(el);
  return [...(root instanceof ShadowRoot ? placePath(root.host) : []), placeIn(el, root)];
}

/** Where an element stands, in numbers: no word of the page is in them. */
function placeIn(el: Element, root: Root): string {
  const steps: string[] = [];
  for (let at: Element | null = el; at; at = at.parentElement) {
    let place = 1;
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) place++;
    steps.unshift(at.parentElement || root instanceof ShadowRoot ? `:nth-child(${place})` : ":root");
  }
  return steps.join(" > ");
}

/** Whether a selector names the element and no other that is visible; the first such other ends the search. */
function isUnique(selector: string, el: Element, root: Root, visible: boolean): boolean {
  let itself = false;
  for (const found of named(selector, root)) {
    if (found === el) itself = true;
    else if (!visible || isVisible(found)) return false;
  }
  return itself;
}

/** What a selector names, one after the other where the search is long. */
function named(selector: string, root: Root): Iterable<Element> {
  const { kind, body } = parse(selector);
  switch (kind) {
    case "aria": return eachByAria(body, root);
    case "text": return eachSaying(body, root);
    default: return queryAll(selector, root);
  }
}

/** What a text names where one element, the described one, says it and nothing else. */
function* eachSaying(words: string, root: Root): Generator<Element> {
  for (const el of textHolders(words, root)) if (saysExactly(el, words)) yield el;
}

function testId(el: Element): string | null {
  const marked = testIdOf(el);
  if (!marked) return null;
  // One of the user's own is written in full: a replay does not know it.
  return isKnownTestId(marked.attribute) ? format("testid", marked.value) : attribute(marked.attribute, marked.value);
}

function roleAndName(el: Element): string | null {
  const role = roleOf(el);
  const name = nameOf(el);
  if (!name || name.length > LONGEST_NAME || !role && (fieldOf(el) || !(el.hasAttribute("aria-label") || (el.hasAttribute("title") && textOf(el) === "")))) return null;
  return format("aria", role ? `${name}[role="${role}"]` : name);
}

function placeholder(el: Element): string | null {
  const value = el.getAttribute("placeholder");
  return value && value.length <= LONGEST_NAME ? attribute("placeholder", value) : null;
}

function idSelector(el: Element): string | null {
  return idOf(el) && !isGenerated(idOf(el)) && quotable(idOf(el)) ? `#${CSS.escape(idOf(el))}` : null;
}

function nameAttribute(el: Element): string | null {
  const name = el.getAttribute("name");
  if (!name || isGenerated(name)) return null;
  const value = (el as HTMLInputElement).type === "radio" ? attribute("value", (el as HTMLInputElement).value) : "";
  return el.localName + attribute("name", name) + value;
}

function text(el: Element): string | null {
  if (roleOf(el) === "combobox") return null; // what is chosen in it
  if (isWritten(el) || el === document.body || el === document.documentElement) return null;
  const start = textStart(el, LONGEST_TEXT);
  const words = start.length < LONGEST_TEXT ? normalize(start) : "";
  return words && words.length <= LONGEST_NAME ? format("text", words) : null;
}

/** The shortest chain of telling steps, from the element up, that names it alone. */
function structuralCSS(el: Element, root: Root): string {
  let chain = "";
  for (let at: Element | null = el; at; at = at.parentElement) {
    const own = (at === el && isNumbered(el, "id") ? null : idSelector(at)) ?? step(at);
    const placed = own + nth(at);
    for (const selector of new Set([own, placed])) {
      const tried = chain ? `${selector} > ${chain}` : selector;
      if (namesAlone(tried, el, root)) return tried;
    }
    chain = chain ? `${placed} > ${chain}` : placed;
  }
  return chain;
}

function namesAlone(selector: string, el: Element, root: Root): boolean {
  return root.querySelector(selector) === el && root.querySelectorAll(selector).length === 1;
}

function step(el: Element): string {
  const marked = testIdOf(el);
  if (marked && !/\d/.test(marked.value) && !isGenerated(marked.value) && quotable(marked.value)) return attribute(marked.attribute, marked.value);
  const name = el.getAttribute("name");
  if (name && !isGenerated(name) && quotable(name)) return el.localName + attribute("name", name);
  const classes = [...el.classList].filter((c) => !isGeneratedClass(c) && !isStateClass(c) && !isPassing(el, c) && quotable(c)).slice(0, 2);
  return el.localName + classes.map((c) => `.${CSS.escape(c)}`).join("");
}

function nth(el: Element): string {
  const place = el.parentElement ? placeAmongAlike(el) : 0;
  return place ? `:nth-of-type(${place})` : "";
}

/** A path of tags and positions from the nearest ancestor with an id of its own. */
export function structuralXPath(el: Element): string {
  let path = "";
  for (let at: Element | null = el; at; at = at.parentElement) {
    if (idOf(at) && !(at === el && isNumbered(el, "id")) && !isGenerated(idOf(at)) && quotable(idOf(at)) && !idOf(at).includes('"') && namesAlone(`#${CSS.escape(idOf(at))}`, at, document)) {
      return format("xpath", `//*[@id="${idOf(at)}"]${path}`);
    }
    path = `/${xpathStep(at)}${path}`;
  }
  return format("xpath", path);
}

function xpathStep(el: Element): string {
  const test = el instanceof HTMLElement ? el.localName : `*[local-name()="${el.localName}"]`;
  const place = placeAmongAlike(el);
  return place ? `${test}[${place}]` : test;
}

/** An element as an event tells of it: once in full, then by its number. */
export interface Target extends Partial<Description> {
  ref: number;
  tag?: string;
  role?: string;
  visible?: boolean;
  label?: string; // for people and for the names of variables
  caption?: string; // the text next to a field without a label
  inputType?: string;
  autocomplete?: string[];
  field?: string[]; // name and id
  listed?: boolean; // one of several alike
  rival?: boolean; // another of these says what was typed, too
  list?: string; // what the list is called that it is in
  item?: boolean; // one of several that say different things, for people to choose from
  title?: string; // the part of its words that names it, of one to choose that says more
  words?: string; // that an item without a name says
  written?: boolean; // what it says was written there, as in an editor that draws its text
  date?: string; // of the day of a calendar whose name says it, as 2031-03-18
  day?: string; // of one whose name does not, by what is over its month
  months?: string[]; // that the calendar shows which it is in, as 2031-03
  record?: boolean; // it names one record of several
  leads?: string[]; // of a link, the parts of its address that its name says
  row?: Row; // where it is a control of each row of a list
  opener?: Opener; // of a choice, the control pressed before, where that shows what is chosen
  consent?: boolean; // a part of a consent banner
  humanCheck?: boolean; // of a document that checks whether there is a human
  secret?: boolean;
  editable?: boolean;
  locked?: boolean; // a field that is read-only
  boxed?: boolean; // a field that is drawn in a combobox, with its list
  limits?: Record<string, string>; // the page's constraints on the value
}


let key = "";

let userTestId = "";

/** Sets what elements are described with: the key of the fingerprints' hashes, and the attribute that the user's own tests go by. */
export function describeWith(hashKey: string, testIdAttribute: string): void {
  key = hashKey;
  userTestId = testIdAttribute;
}

/** Elements that were described to the engine as they still are. */
let described = new WeakSet<Element>();

/** Makes every element be described again: to another recording, which has heard of none. */
export function forgetTold(): void {
  described = new WeakSet();
}

export function tell(el: Element, again: boolean): Target {
  if (described.has(el) && !again) return { ref: refOf(el) };
  described.add(el);
  return describeNow(el);
}

/** Describes an element as it is now, for an event that may come later. */
export function describeNow(el: Element): Target {
  return { ref: refOf(el), ...describe(el, key, userTestId), ...particulars(el) };
}

/**
 * Describes what something is dropped on. What a box says that holds several things is said by these, which come and go:
 * it is known by what stands next to it.
 */
export function describePlace(el: Element): Target {
  const told = describeNow(el);
  if (!told.candidates) return told;
  const holdsThings = [...el.children].some((part) => /\p{L}/u.test(textOf(part)));
  const lasting = told.candidates.filter((path) => !holdsThings || parse(path.at(-1) ?? "").kind !== "text");
  const next = lasting.some(([selector = ""]) => isWorded(selector) && !OF_A_CLASS.test(selector)) ? undefined : fromTitle(el) ?? (holdsThings ? nextToText(el) : undefined);
  return { ...told, candidates: [...(next?.every(quotable) ? [next] : []), ...lasting] };
}

/** A selector of a kind of boxes, of which there may be more at another time. */
const OF_A_CLASS = /^[\w-]*\.[^#[]+$/;

/** The part of what is dragged that was pressed and says what that is, or is its handle; null where it is the whole. */
export function saysWhat(hit: Element, dragged: Element): Element | null {
  if (hit === dragged || !dragged.contains(hit) || hit instanceof SVGElement) return null;
  const text = textOf(hit);
  return /\p{L}/u.test(text) ? (text.length <= LONGEST_ITEM && text !== textOf(dragged) ? hit : null) : rowOf(hit) && !dragged.matches("[aria-label],[aria-labelledby]") ? hit : null;
}

/** Roles of what has no name, and may be a suggestion. */
const SAYS_LITTLE = new Set(["", "listitem", "paragraph"]);

function particulars(el: Element): Partial<Target> {
  const field = fieldOf(el);
  const [row, record] = [rowOf(el) ?? rowOfHost(el), namesRecord(el)];
  const written = !field && isWritten(el);
  const item = !written && (record || isItem(el)) || isBoxOfSeveral(el);
  const about = { tag: quote(el.localName), role: roleOf(el), label: quote(labelOf(el)), visible: isVisible(el), consent: inConsent(el), ...(isHumanCheck() ? { humanCheck: true } : {}), listed: isListed(el), ...(hasRival(el) ? { rival: true } : {}), list: quote(calledIn(el) || listName(el) || (record ? "item" : "")), item, ...(!written && textOf(el) !== nameOf(el) && (item || SAYS_LITTLE.has(roleOf(el))) ? { words: quote(textOf(el)) } : {}), ...(record && item ? { record } : {}), ...(written ? { written } : {}), ...dateOf(el), ...leadsTo(el), ...(item || CHOICES.has(roleOf(el)) || roleOf(el) === "gridcell" ? titled(el) : {}), ...(row ? { row } : {}) };
  const label = about.label || (field ? quote(labelsOf(field).map((l) => l.textContent).join(" ") || hostNameOf(field) || looseLabelOf(field)) : "");
  const asks = field !== null || roleOf(el) === "combobox";
  const inner = !asks && !about.label ? onlyField(el) : null;
  const caption = inner ? quote(nameOf(inner)) : !(asks || (!idOf(el) && el.querySelector('[role="combobox"]'))) || /[\p{L}\p{N}]/u.test(label) ? "" : quote(textBefore(el) || calledIn(el) || parse(nextToText(el)?.[0] ?? "").body);
  const called = { ...about, label, ...(caption ? { caption } : {}) };
  if (!field) return called;
  return {
    ...called,
    inputType: kindOf(field),
    autocomplete: autocompleteOf(field).filter((token) => !repeatsSecret(token)),
    field: [field.getAttribute("name") ?? "", idOf(field)].map((name) => (repeatsSecret(name) ? "" : name)),
    secret: isSensitive(field),
    editable: isTextEntry(field),
    ...((field as HTMLInputElement).readOnly ? { locked: true } : {}),
    ...(field.parentElement?.closest("[role=combobox]") ? { boxed: true } : {}),
    limits: limitsOf(field),
  };
}

/** What the component is called that draws a field in its shadow root, also by a label that is a component. */
function hostNameOf(field: Element): string {
  for (let root = rootOf(field); root instanceof ShadowRoot; root = rootOf(root.host)) {
    const label = idOf(root.host) ? rootOf(root.host).querySelector(`[for="${CSS.escape(idOf(root.host))}"]`) : null;
    const name = nameOf(root.host) || normalize(label?.textContent);
    if (name) return name;
  }
  return "";
}

/** What an element is called, without what its pictures are called: another item of its list may have another one, or none. */
function shownName(el: Element): string {
  const [name, text] = [nameOf(el), textOf(el)];
  const isCalled = el.matches("[aria-label],[aria-labelledby]") && !(roleOf(el) === "option" && /\p{L}{2}/u.test(text)); // as "Lunch, not selected"
  return text && tight(name).split(tight(text)).length === 2 && !isCalled ? text : name;
}

/** A text without its spaces: a name has more of them where the letters that were searched for are marked in boxes of their own. */
function tight(text: string): string {
  return text.replace(/\s/g, "");
}

/** What the name of a link says of its page: the parts of the address that are in it. */
function leadsTo(el: Element): Pick<Target, "leads"> {
  if (!(el instanceof HTMLAnchorElement)) return {};
  const name = nameOf(el).toLowerCase();
  const parts = [...new URLSearchParams(el.search).values(), ...(el.pathname + el.hash).split(/[/#]/)];
  const leads = parts.filter((part) => part.length > 1 && name.includes(part.toLowerCase()) && !repeatsSecret(part));
  return leads.length ? { leads } : {};
}

/** What may turn out to have opened a list and to say what is chosen in that; undefined for what has an address, takes a value or was chosen. */
export function mayOpen(element: Element, hit: Element): Pressed | undefined {
  const words = textOf(hit) || textOf(element);
  if (words === "" || words.length > LONGEST_ITEM || CHOICES.has(roleOf(element)) || fieldOf(element) || (element.localName === "a" && !onlyPressed(element))) return undefined;
  const root = rootOf(element);
  return { element, ref: refOf(element), words, captioned: captioned(element, root instanceof ShadowRoot ? hostPath(root.host) : [], words) };
}

const LISTS = 'fieldset,[role="listbox"],[role="menu"],[role="grid"],[role="tree"],[role="radiogroup"],[role="group"]';

/** What the list around an element is called, or the control that opened it; "" where that is not said. */
function listName(el: Element): string {
  const root = el.getRootNode() as Root;
  const list = el.closest(LISTS);
  if (!list) return roleOf(el) === "radio" ? labelAround(el, root) : roleOf(el) === "button" ? headOf(el.parentElement) : "";
  const opener = idOf(list) ? root.querySelector(`[aria-controls~="${CSS.escape(idOf(list))}"],[aria-owns~="${CSS.escape(idOf(list))}"]`) : null;
  return nameOf(list) || (opener ? nameOf(opener) : "");
}

/** What stands right before a box of buttons, and is no control: what they ask for. */
function headOf(box: Element | null): string {
  const head = box?.previousElementSibling;
  return head && !head.matches("button,input,select,textarea,a") && !head.querySelector("button,input,select,textarea,a") ? textOf(head) : "";
}

/** How far above a radio button the box of its group is. */
const GROUP_HEIGHT = 6;

/** What an element is called; one without a role what it says, whatever its title says under the mouse. */
function labelOf(el: Element): string {
  if (CHOICES.has(roleOf(el))) return shownName(el);
  return (roleOf(el) === "" && el.matches("[title]:not([aria-label],[aria-labelledby])") && textOf(el)) || nameOf(el);
}

/** The title of what is chosen, where that is a part of what it says. */
function titled(el: Element): Pick<Target, "title"> {
  const title = roleOf(el) === "treeitem" || el.matches("[aria-label],[aria-labelledby]") ? "" : titleOf(el);
  return title ? { title: quote(title) } : {};
}

function dateOf(el: Element): Pick<Target, "date" | "day" | "months"> {
  const date = isDay(textOf(el)) ? dateIn(nameOf(el)) : "";
  const months = monthsAround(el);
  const day = date ? "" : dateByMonth(el, months, textOf);
  return { ...(date ? { date } : {}), ...(day ? { day } : {}), ...(months.length ? { months } : {}) };
}

/** How far above a field the box may be that it has with its label. */
const LABELLED_HEIGHT = 4;

/** The label that stands in a box with a field alone, and is bound to none. */
function looseLabelOf(field: Element): string {
  if (!field.matches(FIELDS)) return "";
  for (let box = field.parentElement, height = 0; box && height < LABELLED_HEIGHT && box.querySelectorAll(FIELDS).length === 1; box = box.parentElement, height++) {
    const [label, other] = [...box.querySelectorAll("label")].filter((one) => !one.control);
    if (label) return other ? "" : (label.textContent ?? "");
  }
  return "";
}

/** The label of a box around an element, which browsers give to fields alone. */
function labelAround(el: Element, root: Root): string {
  for (let at = el.parentElement, height = 0; at && height < GROUP_HEIGHT; at = at.parentElement, height++) {
    const label = idOf(at) && root.querySelector(`label[for="${CSS.escape(idOf(at))}"]`);
    if (label) return normalize(label.textContent);
  }
  return "";
}

function limitsOf(field: HTMLElement): Record<string, string> {
  const limits: Record<string, string> = {};
  for (const name of ["maxlength", "minlength", "pattern", "min", "max"]) {
    const value = field.getAttribute(name);
    if (value && !repeatsSecret(value)) limits[name] = value;
  }
  return limits;
}
