// Changes of what things say, and of their attributes.

import { make, type Change } from "./change";
import { renameIds } from "./rename";
import type { Random } from "./random";
import { isSeen } from "./targets";
import { attributeSlot, otherContext, slotsOf, textNodes, textSlot, translated, withOtherNumber, withOtherWord, withWord } from "./words";

function edit(c: Change, how: (text: string, random: Random) => string | null): boolean {
  for (const slot of slotsOf(c.truth)) {
    const before = slot.read();
    const edited = before.length <= 200 ? how(before, c.random) : null;
    if (edited === null || edited === before) continue;
    slot.write(edited);
    return true;
  }
  return false;
}

export const wordAdded = (c: Change): boolean => edit(c, withWord);
export const wordReplaced = (c: Change): boolean => edit(c, withOtherWord);
/** A count next to the words, another or a first one: "Inbox (3)". */
export function countChanged(c: Change): boolean {
  if (!isNumbered(c.truth) && edit(c, withOtherNumber)) return true;
  if (/^(input|select|textarea)$/.test(c.truth.localName)) return false;
  const [longest] = textNodes(c.truth).map(textSlot).filter((slot) => /\p{L}{3}/u.test(slot.read())).sort((a, b) => b.read().length - a.read().length);
  longest?.write(`${longest.read()} (${1 + c.random.below(40)})`);
  return longest !== undefined;
}

/** Whether its number tells it from others, as of pages, steps or rows; or is all that it says. */
function isNumbered(el: Element): boolean {
  const bare = (of: Element) => slotsOf(of).map((slot) => slot.read()).join(" ").replace(/\d+/g, "0");
  const own = bare(el);
  return !/\p{L}{3}/u.test(own) || [...document.querySelectorAll(el.localName)].some((other) => other !== el && bare(other) === own);
}

/** The heading above, and some texts around; nothing of the element's own. */
export function contextEdited(c: Change): boolean {
  const own = new Set<Node>([...textNodes(c.truth), ...[...((c.truth as HTMLInputElement).labels ?? [])].flatMap(textNodes)]);
  let edited = 0;
  const change = (node: Text) => {
    if (own.has(node)) return;
    textSlot(node).write(c.random.chance(0.5) ? otherContext(c.random) : withWord(textSlot(node).read(), c.random));
    edited++;
  };
  const headings = [...document.querySelectorAll("h1,h2,h3,h4,h5,h6,legend,caption,th")].filter((h) => h.compareDocumentPosition(c.truth) & Node.DOCUMENT_POSITION_FOLLOWING && !h.contains(c.truth));
  const heading = headings.at(-1);
  if (heading) textNodes(heading).forEach(change);
  let around: Element | null = c.truth;
  for (let depth = 0; around?.parentElement && depth < 3 && edited < 2; depth++) {
    around = around.parentElement;
    for (const node of c.random.shuffled(textNodes(around)).slice(0, 3)) change(node);
  }
  return edited > 0;
}

const TRANSLATED = ["placeholder", "aria-label", "title", "alt", "aria-description", "aria-placeholder"];

/** Every word of the page in another language. */
export function translatePage(random: Random): void {
  const language = random.token(4);
  for (const node of textNodes(document.body)) textSlot(node).write(translated(textSlot(node).read(), language));
  for (const name of TRANSLATED) {
    for (const el of document.querySelectorAll(`[${name}]`)) {
      const slot = attributeSlot(el, name);
      if (/\p{L}/u.test(slot.read())) slot.write(translated(slot.read(), language));
    }
  }
  for (const el of document.querySelectorAll("input[type=submit],input[type=button],input[type=reset]")) {
    const slot = attributeSlot(el, "value");
    if (slot.read()) slot.write(translated(slot.read(), language));
  }
  document.documentElement.setAttribute("lang", language);
}

/** The element's id is gone or another; where it has none, that of the nearest ancestor. */
export function idChanged(c: Change): boolean {
  const el = c.truth.id ? c.truth : c.truth.closest("[id]:not(body):not(html)");
  if (!el?.id) return false;
  const before = el.id;
  if (c.random.chance(0.4) && !document.querySelector(`[for="${CSS.escape(before)}"]`)) el.removeAttribute("id");
  else renameIds(c.journal, new Map([[before, c.random.one([`${before}-2`, `new-${before}`, `field-${c.random.below(900)}`, `${before}Control`, `main-${before.split(/[-_]/)[0]}`])]]));
  return el.id !== before;
}

const reworded = (value: string, random: Random): string | null => (random.chance(0.5) ? withWord(value, random) : withOtherWord(value, random));
const snake = (value: string): string => value.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();

/** How each attribute is changed by people who tidy up. */
const ATTRIBUTES: Record<string, (value: string, random: Random) => string | null> = {
  name: (value, random) => random.one([`user[${value}]`, `${snake(value)}_field`, `form.${value}`, snake(value) === value ? `${value}2` : snake(value)]),
  placeholder: reworded,
  "aria-label": reworded,
  title: reworded,
  alt: reworded,
  "data-testid": (value) => `${value}-v2`,
  "data-test": (value) => `${value}-v2`,
  "data-id": (value) => `${value}1`,
  href: (value, random) => (value === "#" || value.startsWith("javascript") ? null : random.one([`/app/${value.replace(/^[./]+/, "")}`, value.replace(/(\.html?)?([?#].*)?$/, ""), `${value}${value.includes("?") ? "&" : "?"}utm_source=menu`, `/${random.token(5, "abcdehiklmnorstu")}`])),
  value: (value, random) => withWord(value, random).replace(/ /g, "_"),
  autocomplete: (value) => (value === "off" ? "on" : "off"),
};

export function attributeChanged(c: Change): boolean {
  for (const name of c.random.shuffled(Object.keys(ATTRIBUTES))) {
    const before = c.truth.getAttribute(name);
    if (!before || (name === "value" && !c.truth.matches("[type=checkbox],[type=radio]"))) continue;
    const after = ATTRIBUTES[name]?.(before, c.random) ?? null;
    if (after === null || after === before) continue;
    c.truth.setAttribute(name, after);
    return true;
  }
  return false;
}

/** A label comes where there was only text, or goes where there is. */
export function labelChanged(c: Change): boolean {
  if (/^(input|select|textarea)$/.test(c.truth.localName) || !textNodes(c.truth).length || c.truth.hasAttribute("aria-labelledby")) return false;
  if (c.truth.hasAttribute("aria-label")) c.truth.removeAttribute("aria-label");
  else c.truth.setAttribute("aria-label", otherContext(c.random));
  return true;
}

/** A class more, as a new look brings. */
export function classAdded(c: Change): boolean {
  const before = c.truth.getAttribute("class") ?? "";
  c.truth.setAttribute("class", `${before} ${c.random.one(["rounded-new", "is-primary", "elevated", "theme-2", "compact"])}`.trim());
  return true;
}

/** Some headings and paragraphs of the whole page. */
export function pageReworded(random: Random): void {
  for (const el of document.querySelectorAll("h1,h2,h3,h4,p,legend,small")) {
    if (el.querySelector("a,button,input,label") || !isSeen(el) || !random.chance(0.3)) continue;
    for (const node of textNodes(el)) textSlot(node).write(random.chance(0.5) ? otherContext(random) : withWord(textSlot(node).read(), random));
  }
}

/** The same thing with another tag: a link that looks like a button becomes one. */
export function tagSwapped(c: Change): boolean {
  const el = c.truth;
  if (!el.matches("a,button,input[type=submit],input[type=button],[role=button],[role=link],summary") || el.matches("summary")) return false;
  const options = ["a", "button", "div"].filter((tag) => tag !== el.localName);
  const tag = c.random.one(options);
  const copied: Record<string, string> = {};
  for (const { name, value } of el.attributes) if (!/^(type|value|href|role|target)$/.test(name)) copied[name] = value;
  if (tag === "button") copied.type = "button";
  if (tag === "a") Object.assign(copied, { href: el.getAttribute("href") ?? "#" }, el.hasAttribute("role") || c.random.chance(0.5) ? { role: el.getAttribute("role") ?? "button" } : {});
  if (tag === "div") Object.assign(copied, { role: el.getAttribute("role") ?? (el.localName === "a" && c.random.chance(0.5) ? "link" : "button"), tabindex: "0" });
  const swapped = make(tag, copied);
  if (el.localName === "input") swapped.append(el.getAttribute("value") ?? "");
  else swapped.append(...el.childNodes);
  el.replaceWith(swapped);
  c.truth = swapped;
  return true;
}
