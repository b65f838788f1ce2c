// Words: where a page has them, and others to put in their place.

import { Random, spread } from "./random";

/** What stands on buttons and links of real products. */
const ACTIONS = [
  "Save changes", "Delete account", "Download report", "Print invoice", "Archive", "Add to basket", "Remove item", "Export as CSV", "Invite members", "Start free trial",
  "Upgrade plan", "Cancel subscription", "Reset filters", "Contact sales", "Track shipment", "Book a demo", "Share link", "Duplicate", "Mark as paid", "Send reminder",
  "View statement", "Close ticket", "Assign reviewer", "Publish draft", "Restore backup", "Manage roles", "Open calendar", "Change address", "Compare products", "Write a review",
  "Privacy notice", "Careers", "Release notes", "Partners", "Imprint", "Opening hours", "Warranty", "Gift cards", "Newsletter", "Sitemap",
];
/** What stands next to fields. */
const FIELDS = [
  "Company", "Street and number", "Postcode", "VAT number", "Date of birth", "Delivery note", "Promo code", "Department", "Job title", "Reference",
  "Quantity", "Budget", "Start date", "Country", "Preferred language", "Phone", "Website", "Account holder", "Time zone", "Comment",
];
/** Words that are added to a text or take the place of one. */
const PLAIN = [
  "new", "all", "your", "daily", "team", "online", "quick", "more", "account", "project", "order", "customer", "summary", "weekly", "details", "service", "options", "now",
  "overview", "secure", "global", "basic", "group", "status", "region", "latest", "profile", "custom", "report", "today",
];
/** Headings and remarks around what is acted on. */
const CONTEXT = [
  "What is new this week", "Your team at a glance", "Recent activity", "Planned maintenance on Sunday", "Everything in one place", "Figures for the third quarter",
  "Choose what suits you", "Frequently bought together", "Getting started", "Needs your attention", "Updated a moment ago", "Terms apply",
];

export const otherAction = (random: Random): string => random.one(ACTIONS);
export const otherField = (random: Random): string => random.one(FIELDS);
export const otherContext = (random: Random): string => random.one(CONTEXT);

/** A place of the page that holds words. */
export interface Slot {
  read(): string;
  write(text: string): void;
}

const SKIPPED = "script,style,noscript,template,title";

export function textSlot(node: Text): Slot {
  return {
    read: () => node.data.trim(),
    write: (text) => { node.data = (/^\s*/.exec(node.data)?.[0] ?? "") + text + (/\s*$/.exec(node.data)?.[0] ?? ""); },
  };
}

export function attributeSlot(el: Element, name: string): Slot {
  return { read: () => (el.getAttribute(name) ?? "").trim(), write: (text) => el.setAttribute(name, text) };
}

/** Text nodes that hold words, in the order of the page. */
export function textNodes(within: Node): Text[] {
  const found: Text[] = [];
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    if (/\S/.test(node.data) && !node.parentElement?.closest(SKIPPED)) found.push(node);
  }
  return found;
}

const isField = (el: Element): boolean => /^(input|select|textarea)$/.test(el.localName);
const labelsBeside = (el: Element): Element[] => [...((el as HTMLInputElement).labels ?? [])];

/** Where the words are by which a person knows an element: its own, or those of its label. The most telling first. */
export function slotsOf(el: Element): Slot[] {
  const own = isField(el)
    ? labelsBeside(el).flatMap(textNodes).filter((node) => !el.contains(node))
    : textNodes(el);
  const slots = own.sort((a, b) => b.data.trim().length - a.data.trim().length).map(textSlot);
  if (el.matches("input[type=submit],input[type=button],input[type=reset]")) slots.push(attributeSlot(el, "value"));
  slots.push(...["placeholder", "aria-label", "title", "alt"].map((name) => attributeSlot(el, name)));
  if (!isField(el)) slots.push(...[...el.querySelectorAll("[alt],[title],[aria-label]")].flatMap((inner) => ["alt", "title", "aria-label"].map((name) => attributeSlot(inner, name))));
  return slots.filter((slot) => /\p{L}|\d/u.test(slot.read()));
}

/** A word more, at either end or between. */
export function withWord(text: string, random: Random): string {
  const words = text.split(/\s+/);
  words.splice(random.below(words.length + 1), 0, random.one(PLAIN));
  return words.join(" ");
}

/** Another word in the place of one; null where there is only one, as nothing of it would be left. */
export function withOtherWord(text: string, random: Random): string | null {
  const words = text.split(/\s+/);
  const places = words.map((word, i) => (/\p{L}{2}/u.test(word) ? i : -1)).filter((i) => i >= 0);
  if (words.length < 2 || places.length === 0) return null;
  words[random.one(places)] = random.one(PLAIN);
  const edited = words.join(" ");
  return edited === text ? null : edited;
}

/** Other digits; null where there are none. */
export function withOtherNumber(text: string, random: Random): string | null {
  if (!/\d/.test(text)) return null;
  const edited = text.replace(/\d+/, (digits) => String(Number(digits) + 1 + random.below(9)));
  return edited === text ? null : edited;
}

const SYLLABLES = ["ba", "cor", "de", "fin", "gau", "hel", "ir", "jo", "kem", "lu", "mar", "no", "pel", "qui", "ros", "sta", "tir", "un", "vel", "wa", "xen", "yor", "zel", "ße", "ño", "å"];

/** The same word of another language each time, as long as a translation would be. */
export function translated(text: string, language: string): string {
  return text.replace(/\p{L}+/gu, (word) => {
    const random = new Random(`${language}|${spread(word.toLowerCase())}`);
    let made = "";
    while (made.length < Math.max(2, word.length * 0.9)) made += random.one(SYLLABLES);
    const capital = word[0] !== word[0]?.toLowerCase();
    return capital ? made.charAt(0).toUpperCase() + made.slice(1) : made;
  });
}
