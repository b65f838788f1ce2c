// Changes of all classes or all ids of a page at once, as another build makes
// them. The page keeps its looks: its style sheets are renamed with it.

import type { Journal } from "./journal";
import type { Random } from "./random";

export type Names = Map<string, string>;

const classOf = (el: Element): string => el.getAttribute("class") ?? "";

function allClasses(): Set<string> {
  const names = new Set<string>();
  for (const el of document.querySelectorAll("[class]")) for (const name of classOf(el).split(/\s+/)) if (name) names.add(name);
  return names;
}

/** How tools that generate class names write them. */
const BUILDS: ((name: string, random: Random) => string)[] = [
  (name, random) => `${name.replace(/\W/g, "")}_${random.token(5)}`, // CSS modules
  (name, random) => `Page_${name.replace(/\W/g, "")}__${random.token(5)}`, // the same, of Next.js
  (_, random) => `css-${random.token(6, "abcdefghijklmnopqrstuvwxyz0123456789")}`, // emotion
  (_, random) => `sc-${random.token(6, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")}`, // styled-components
  (_, random) => `_${random.token(5, "abcdefghijklmnopqrstuvwxyz0123456789")}_${random.below(90) + 10}`, // Vite
];

/** The tool is the page's own; the hashes are those of one build. */
export function hashClasses(journal: Journal, tool: Random, build: Random): void {
  const made = tool.one(BUILDS);
  renameClasses(journal, new Map([...allClasses()].map((name) => [name, made(name, build)])));
}

const PREFIXES = ["ui-", "app-", "v2-", "ds-", "c-", "x-"];

/** Another naming by hand: readable, and all of it new. */
export function renameClassesByHand(journal: Journal, random: Random): void {
  const prefix = random.one(PREFIXES);
  const camel = random.chance(0.5);
  const renamed = (name: string) => prefix + (camel ? name.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase()) : name.replace(/-/g, "__"));
  renameClasses(journal, new Map([...allClasses()].map((name) => [name, renamed(name)])));
}

function renameClasses(journal: Journal, names: Names): void {
  restyle(journal, names, ".");
  for (const el of document.querySelectorAll("[class]")) {
    el.setAttribute("class", classOf(el).split(/\s+/).map((name) => names.get(name) ?? name).join(" "));
  }
}

/** How frameworks write ids that they generate. */
const GENERATORS: ((index: number, random: Random) => string)[] = [
  (index, random) => `:r${(index + random.below(40)).toString(36)}${random.token(1, "abcdefghijklmnopqrstuv")}:`,
  (index, random) => `ember${1000 + random.below(4000) + index * 5}`,
  (_, random) => `radix-${random.token(8, "0123456789abcdef")}`,
  (_, random) => `${random.token(8, "0123456789abcdef")}-${random.token(4, "0123456789abcdef")}-4${random.token(3, "0123456789abcdef")}-9${random.token(3, "0123456789abcdef")}-${random.token(12, "0123456789abcdef")}`,
  (index, random) => `mui-${10000 + random.below(80000) + index}`,
];

export function generateIds(journal: Journal, tool: Random, visit: Random): void {
  const made = tool.one(GENERATORS);
  const names: Names = new Map();
  [...document.querySelectorAll("[id]")].forEach((el, i) => {
    if (el.id && !names.has(el.id)) names.set(el.id, made(i, visit));
  });
  renameIds(journal, names);
}

const REFERENCES = ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "form", "headers"];
const HASHES = ["href", "data-target", "data-bs-target", "data-parent", "data-bs-parent", "xlink:href"];

/** Other ids, with all that refers to them. */
export function renameIds(journal: Journal, names: Names): void {
  restyle(journal, names, "#");
  for (const el of document.querySelectorAll("[id]")) {
    const name = names.get(el.id);
    if (name) el.id = name;
  }
  for (const attribute of REFERENCES) {
    for (const el of document.querySelectorAll(`[${attribute}]`)) {
      const before = el.getAttribute(attribute) ?? "";
      const after = before.split(/\s+/).map((id) => names.get(id) ?? id).join(" ");
      if (after !== before.split(/\s+/).join(" ")) el.setAttribute(attribute, after);
    }
  }
  for (const attribute of HASHES) {
    for (const el of document.querySelectorAll(`[${CSS.escape(attribute)}^="#"]`)) {
      const name = names.get((el.getAttribute(attribute) ?? "").slice(1));
      if (name) el.setAttribute(attribute, `#${name}`);
    }
  }
}

/** One rule of the page's style sheets, with the conditions around it. */
interface Rule {
  around: string[];
  selector: string;
  body: string;
  tokens: Set<string>; // ".name" and "#name" in the selector
}

const TOKEN = /([.#])((?:\\.|[\w-]|[^\x00-\x7F])+)/g;
const unescaped = (name: string): string => name.replace(/\\(.)/g, "$1");
let rules: Rule[] | null = null;

/** All rules that speak of classes or ids; the sheets do not change between cases. */
function allRules(): Rule[] {
  if (rules) return rules;
  rules = [];
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    try {
      collect(sheet.cssRules, [], rules);
    } catch {
      // A sheet of another origin, or one that did not load.
    }
  }
  return rules;
}

function collect(from: CSSRuleList, around: string[], into: Rule[]): void {
  for (const rule of from) {
    if (rule instanceof CSSStyleRule) {
      const tokens = new Set([...rule.selectorText.matchAll(TOKEN)].map((m) => m[1] + unescaped(m[2] ?? "")));
      if (tokens.size) into.push({ around, selector: rule.selectorText, body: rule.style.cssText, tokens });
    } else if (rule instanceof CSSMediaRule) collect(rule.cssRules, [...around, `@media ${rule.conditionText}`], into);
    else if (rule instanceof CSSSupportsRule) collect(rule.cssRules, [...around, `@supports ${rule.conditionText}`], into);
    else if (rule instanceof CSSLayerBlockRule) collect(rule.cssRules, [...around, `@layer ${rule.name}`], into);
    else if (rule instanceof CSSImportRule && rule.styleSheet) collect(rule.styleSheet.cssRules, around, into);
  }
}

/** Adds the rules of old names under the new ones. What an earlier renaming added is renamed in turn. */
function restyle(journal: Journal, names: Names, mark: "." | "#"): void {
  const known = added.at(-1) ?? allRules();
  const touched = known.map((rule) => renamedRule(rule, names, mark));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(touched.filter((rule, i) => rule !== known[i] || added.length).map(text).join("\n"));
  const before = [...document.adoptedStyleSheets];
  // The sheet of an earlier renaming matches nothing any more, so it is replaced.
  document.adoptedStyleSheets = [...before.filter((other) => !ours.has(other)), sheet];
  ours.add(sheet);
  added.push(touched);
  journal.also(() => {
    document.adoptedStyleSheets = before;
    added.pop();
  });
}

const ours = new WeakSet<CSSStyleSheet>();
const added: Rule[][] = [];

function renamedRule(rule: Rule, names: Names, mark: "." | "#"): Rule {
  if (![...rule.tokens].some((token) => token[0] === mark && names.has(token.slice(1)))) return rule;
  const tokens = new Set<string>();
  const selector = rule.selector.replace(TOKEN, (whole, sign: string, name: string) => {
    const renamed = sign === mark ? names.get(unescaped(name)) : undefined;
    tokens.add(sign + (renamed ?? unescaped(name)));
    return renamed === undefined ? whole : sign + CSS.escape(renamed);
  });
  return { ...rule, selector, tokens };
}

function text(rule: Rule): string {
  return `${rule.around.map((condition) => `${condition}{`).join("")}${rule.selector}{${rule.body}}${"}".repeat(rule.around.length)}`;
}
