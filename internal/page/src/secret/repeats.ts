// Where a document repeats a secret: which of its texts, attributes and fields have a
// piece of one, also where each letter stands in an element of its own.

import { attributesOf, inOnePass, isDrawn, perPass, shadowOf } from "../dom/elements";
import { indexes, isSensitive, knowsSecrets, repeatsSecret } from "./secrets";
import { Index, read, type View, VIEWS } from "./pieces";

/** The parts of a document that repeat a secret. */
export class Repeats {
  readonly texts = new Set<Text>();
  readonly attributes = new Map<Element, Set<string>>(); // "" is what a field holds
  private readonly around = new Set<Element>(); // what holds such a text

  get any(): boolean {
    return this.texts.size > 0 || this.attributes.size > 0;
  }

  addText(text: Text): void {
    this.texts.add(text);
    for (let at = parentOf(text); at && !this.around.has(at); at = parentOf(at)) this.around.add(at);
  }

  addAttribute(el: Element, name: string): void {
    this.attributes.set(el, (this.attributes.get(el) ?? new Set()).add(name));
  }

  /** Whether a text within the element repeats a secret. */
  within(el: Element): boolean {
    return this.around.has(el);
  }

  /** Adds texts that stand in a row on the screen, whatever their order in the document. */
  addShown(texts: readonly Text[]): void {
    const placed: { text: Text; top: number; left: number }[] = [];
    for (const text of texts) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const { top, left, height } = range.getBoundingClientRect();
      if (height > 0) placed.push({ text, top: Math.round((top + height / 2) / LINE), left });
    }
    placed.sort((a, b) => a.top - b.top || a.left - b.left);
    const stream = new Stream<Text>();
    for (const { text } of placed) stream.add(text.data, text);
    for (const index of indexes()) stream.owners(index, (text) => this.addText(text));
  }

  /** Whether the element repeats one by an attribute, by any where none is named. */
  by(el: Element, name?: string): boolean {
    const names = this.attributes.get(el);
    return names !== undefined && (name === undefined || names.has(name));
  }
}

/** How far apart, in CSS pixels, the middles of texts of one line may be. */
const LINE = 8;

const NOTHING = new Repeats();

const repeatsInPass = perPass<"all", Repeats>();

/** What of this document repeats a secret. */
export function repeats(): Repeats {
  return knowsSecrets() ? repeatsInPass("all", find) : NOTHING;
}

/** Whether the document repeats a secret anywhere. */
export function repeatsAny(): boolean {
  return knowsSecrets() && inOnePass(() => repeats().any || repeatsSecret(document.title));
}

/** A parent, out of shadow roots as well. */
function parentOf(node: Node): Element | null {
  const parent = node.parentNode;
  return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
}

/** Attributes that hold no words, and may be long. */
const NO_WORDS = new Set(["style", "d", "points", "transform", "viewBox"]);

/** Reads the whole document once: all texts in a row, those that are shown, and each attribute's values in a row. */
function find(): Repeats {
  const found = new Repeats();
  const all = new Stream<Text>();
  const shown = new Stream<Text>();
  const attributes = new Map<string, Stream<Element>>();
  const add = (name: string, el: Element, value: string) => {
    if (repeatsSecret(value)) found.addAttribute(el, name);
    const stream = attributes.get(name) ?? new Stream<Element>();
    attributes.set(name, stream);
    stream.add(value, el);
  };
  walk(document, (node) => {
    if (node instanceof Text) {
      if (!/\S/.test(node.data)) return;
      if (repeatsSecret(node.data)) found.addText(node);
      all.add(node.data, node);
      const parent = parentOf(node);
      if (parent && isDrawn(parent, {})) shown.add(node.data, node);
      return;
    }
    for (const { name, value } of attributesOf(node)) if (value && !NO_WORDS.has(name)) add(name, node, value);
    if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) {
      if (isSensitive(node)) return; // it is hidden as a field
      add("", node, node.value);
    }
  });
  for (const index of indexes()) {
    for (const stream of [all, shown]) stream.owners(index, (text) => found.addText(text));
    for (const [name, stream] of attributes) stream.owners(index, (el) => found.addAttribute(el, name));
  }
  return found;
}

/** Visits elements and texts as they stand, through the shadow roots that are known. */
function walk(node: Node, visit: (node: Element | Text) => void): void {
  if (node instanceof Text) return visit(node);
  if (node instanceof Element) {
    visit(node);
    if (NOT_READ.has(node.localName)) return;
    const shadow = shadowOf(node);
    if (shadow) walk(shadow, visit);
  }
  for (let child = node.firstChild; child; child = child.nextSibling) walk(child, visit);
}

const NOT_READ = new Set(["script", "style", "noscript", "template"]);

/** Texts in a row, each of an owner. */
export class Stream<T> {
  private readonly points: Record<View, number[]> = { folded: [], joined: [] };
  private readonly ends: Record<View, number[]> = { folded: [], joined: [] }; // of each part
  private readonly parts: T[] = [];

  add(text: string, owner: T): void {
    this.parts.push(owner);
    for (const view of VIEWS) {
      for (const point of read(text, view)) this.points[view].push(point);
      this.ends[view].push(this.points[view].length);
    }
  }

  /** Calls own with the owner of every part that has a share in a piece. */
  owners(index: Index, own: (owner: T) => void): void {
    for (const view of VIEWS) {
      index.find(view, this.points[view], (at, length) => {
        for (let part = this.partAt(view, at); part < this.parts.length && ((this.ends[view][part - 1] as number) ?? 0) < at + length; part++) own(this.parts[part] as T);
        return false;
      });
    }
  }

  /** The part that a place lies in. */
  private partAt(view: View, at: number): number {
    let low = 0;
    for (let high = this.parts.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.ends[view][middle] as number) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** What stands where an element repeats a secret. */
export const HIDDEN = "[hidden: it repeats a secret]";
