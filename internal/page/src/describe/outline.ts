// What a page shows, for a caller that cannot see it: an outline by roles and names, with
// the numbers by which its elements are used. No field that holds a secret reveals what is
// in it, and no text that repeats one is quoted.

import { autocompleteOf, disabledWhy, fieldOf, idOf, inOnePass, isVisible, kindOf, normalize, shadowOf, stateOf, valueOf } from "../dom/elements";
import { nameOf, roleOf } from "../dom/names";
import { loaded, until } from "../dom/wait";
import { elementOf, refOf } from "../dom/wire";
import { Finder } from "../locate/locate";
import { isSensitive, repeatsSecret } from "../secret/secrets";
import type { Hashes } from "../secret/pieces";
import { HIDDEN, repeats, repeatsAny } from "../secret/repeats";
import { guardSecrets } from "../secret/withhold";
import { describe, type Description } from "./describe";

/** A line of the outline. */
interface Line {
  depth: number;
  role: string; // "text" where it is only words
  name?: string;
  ref?: number; // of what can be used
  value?: string; // of a field, or what is chosen
  options?: string[]; // of a list
  states?: string[];
}

/** What is pressed, filled or chosen from. */
const USED = new Set(
  ("button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem").split(" "),
);
/** What tells how the page is made. */
const SHAPING = new Set("alert alertdialog article banner complementary contentinfo dialog form main navigation region row search status table tablist".split(" "));
/** Roles that are worth a line by their name alone. */
const NAMED = new Set(["heading", "img", "progressbar", "meter"]);

/** Longest text of one line, and how many options of a list are told. */
const LONGEST = 200;
const MOST_OPTIONS = 30;

/** The outline of this document, of at most so many characters; the secrets are such as it may show. */
export async function outline(secrets: Hashes | null, most: number): Promise<{ title: string; lines: Line[]; more: boolean }> {
  guardSecrets(secrets);
  await loaded();
  return inOnePass(() => {
    const walk = new Outline(most);
    walk.into(document.body ?? document.documentElement, 0, true);
    return { title: words(document.title), lines: walk.lines, more: walk.size > most };
  });
}

class Outline {
  readonly lines: Line[] = [];
  size = 0;

  constructor(private readonly most: number) {}

  /** Adds a line, unless there are enough. */
  private add(line: Line): void {
    this.size += JSON.stringify(line).length;
    if (this.size <= this.most) this.lines.push(line);
  }

  /** Adds the lines of what is in an element, in the order in which it is seen. */
  into(el: Element, depth: number, texts: boolean): void {
    let said = "";
    const say = () => {
      const text = words(said);
      if (texts && text) this.add({ depth, role: "text", name: text });
      said = "";
    };
    for (const node of childrenOf(el)) {
      if (this.size > this.most) return;
      if (node instanceof Text) said += repeats().texts.has(node) ? ` ${HIDDEN} ` : node.data;
      else if (node instanceof Element && isInline(node)) said += repeats().within(node) ? ` ${HIDDEN} ` : node.textContent;
      else if (node instanceof Element) {
        say();
        this.one(node, depth, texts);
      }
    }
    say();
  }

  private one(el: Element, depth: number, texts: boolean): void {
    if (NOT_SHOWN.has(el.localName) || el.getAttribute("aria-hidden") === "true" || !isShown(el)) return;
    const role = roleOf(el);
    if (isUsed(el, role)) {
      this.add(used(el, role, depth));
      if (role === "gridcell" || role === "treeitem") this.into(el, depth + 1, false);
      return;
    }
    if (NAMED.has(role)) {
      const name = named(el, nameOf(el));
      if (name) this.add({ depth, role, name });
      this.into(el, depth + 1, false);
      return;
    }
    if (SHAPING.has(role) || el.localName === "iframe") {
      const before = this.lines.length;
      const line: Line = { depth, role: role || "frame" };
      const name = repeats().by(el) ? HIDDEN : words(nameOf(el));
      this.add(name ? { ...line, name } : line);
      this.into(el, depth + 1, texts);
      if (this.lines.length === before + 1 && !name && el.localName !== "iframe") this.lines.pop(); // nothing is in it
      return;
    }
    this.into(el, depth, texts && !(el instanceof HTMLLabelElement && el.control));
  }
}

const NOT_SHOWN = new Set(["script", "style", "noscript", "template", "head", "svg", "datalist", "option", "optgroup"]);
const INLINE = new Set(["b", "strong", "i", "em", "span", "small", "code", "abbr", "sub", "sup", "mark", "u", "s", "time", "br", "wbr", "bdi", "q", "cite"]);

/** Whether an element is only a way to write words: nothing in it can be used, and all of it is shown. */
function isInline(el: Element): boolean {
  return INLINE.has(el.localName) && !el.firstElementChild && !shadowOf(el) && !el.hasAttribute("role") && !isUsed(el, "") && isShown(el);
}

function isShown(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) || getComputedStyle(el).display === "contents";
}

function isUsed(el: Element, role: string): boolean {
  if (fieldOf(el) === el && (el as HTMLInputElement).type !== "hidden") return true;
  if (USED.has(role)) return true;
  return el.localName === "label" ? false : el.matches("[onclick],summary,[tabindex]:not([tabindex^='-'])") && isVisible(el) && !el.matches("body,main,form,[role=region]");
}

function used(el: Element, role: string, depth: number): Line {
  const line: Line = { depth, role: role || "generic", ref: refOf(el) };
  const name = named(el, nameOf(el) || (fieldOf(el) ? "" : el.textContent));
  if (name) line.name = name;
  const states = statesOf(el, role);
  if (states.length) line.states = states;
  const field = fieldOf(el);
  if (field === el && !isSensitive(el)) hold(line, el as HTMLElement);
  return line;
}

function statesOf(el: Element, role: string): string[] {
  const states: string[] = [];
  if (fieldOf(el) === el && isSensitive(el)) states.push("secret");
  if (disabledWhy(el)) states.push("disabled");
  if ((role === "checkbox" || role === "radio" || role === "switch") && stateOf(el)) states.push("checked");
  if (el === document.activeElement) states.push("focused");
  for (const state of ["expanded", "selected", "pressed", "current", "required", ...(states.includes("secret") ? [] : ["invalid"])]) {
    const said = el.getAttribute(`aria-${state}`);
    if (said && said !== "false") states.push(state);
  }
  if ((el as HTMLInputElement).required === true && !states.includes("required")) states.push("required");
  if ((el as HTMLInputElement).readOnly === true) states.push("readonly");
  return states;
}

/** What a field holds, where that is no secret. */
function hold(line: Line, field: HTMLElement): void {
  if (field instanceof HTMLSelectElement) {
    line.value = words([...field.selectedOptions].map((o) => o.label).join(", "));
    line.options = [...field.options].slice(0, MOST_OPTIONS).map((o) => words(o.label));
    if (field.options.length > MOST_OPTIONS) line.options.push(`and ${field.options.length - MOST_OPTIONS} more`);
    return;
  }
  const kind = kindOf(field);
  if (["checkbox", "radio", "submit", "button", "reset", "image"].includes(kind)) return;
  if (kind === "file") {
    line.states = [...(line.states ?? []), "file"];
    return;
  }
  const value = repeats().by(field, "") ? HIDDEN : words(valueOf(field));
  if (value) line.value = value;
}

/** What an element is called by what it contains and its attributes. */
function named(el: Element, name: string | null): string {
  if (name && (repeats().within(el) || repeats().by(el))) return HIDDEN;
  return words(name);
}

function words(text: string | null | undefined): string {
  if (!text) return "";
  const plain = text.replaceAll(HIDDEN, "");
  if (repeatsSecret(plain)) return HIDDEN;
  const all = normalize(text).replaceAll(TWICE, HIDDEN);
  return all.length > LONGEST ? `${all.slice(0, LONGEST)}…` : all;
}

const TWICE = new RegExp(`(?:\\${HIDDEN.slice(0, -1)}\\] ?)+`, "g");

function childrenOf(el: Element): Iterable<Node> {
  if (el instanceof HTMLSlotElement) {
    const assigned = el.assignedNodes();
    if (assigned.length) return assigned;
  }
  return (shadowOf(el) ?? el).childNodes;
}

/** An element that is about to be used, as a recording describes it. */
interface About extends Description {
  secret: boolean;
  label: string;
  kind: string;
  words: string[]; // by which its authors call it: autocomplete, name, id
}

/** Describes the element of a number of the outline, or the one that selectors name, when it comes; null where it does not. */
export async function about(ref: number, paths: string[][], key: string, timeout: number): Promise<About | null> {
  if (ref) {
    const el = elementOf(ref);
    return el?.isConnected ? aboutOne(el, key) : null;
  }
  if (repeatsAny()) return null; // using the element reports this to the caller
  const finder = new Finder({ paths, hidden: true });
  const found = await until(timeout, () => finder.look());
  finder.stop();
  return found ? aboutOne(found.element, key) : null;
}

function aboutOne(el: Element, key: string): About {
  const field = (el instanceof HTMLLabelElement ? el.control && fieldOf(el.control) : fieldOf(el)) ?? null;
  const called = field ? [...autocompleteOf(field), field.getAttribute("name") ?? "", idOf(field)] : [];
  return {
    ...describe(el, key), secret: field !== null && isSensitive(field), label: words(nameOf(el)), kind: field ? kindOf(field) : "",
    words: called.filter((word) => word && !repeatsSecret(word)),
  };
}
