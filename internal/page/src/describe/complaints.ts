// What a page says that went wrong: where it marks a message as the common frameworks mark it, by a class or an attribute
// in the language of programmers, whatever the language of its users.

import { eachRoot, idOf, isVisible, normalize } from "../dom/elements";
import { nameOf } from "../dom/names";
import { quote } from "../secret/secrets";

/** Attributes by which a message says of what kind it is, as a toast does. */
const KINDS = ["data-type", "data-status", "data-variant", "data-severity"];

const MAYBE = [...["error", "danger", "invalid", "fail"].flatMap((word) => [`[class*=${word} i]`, `[id*=${word} i]`]), ...KINDS.map((name) => `[${name}]`), "[aria-invalid=true]"].join();

/** A word of a class or an identifier; they are joined by dashes, underscores or capitals. */
const WRONG = /^(?:errors?|errorlist|danger|destructive|invalid|fail|failed|failure)$/;
const JOINT = /[-_]+|(?<=[a-z])(?=[A-Z])/;

/** What is pressed may be red as well. */
const PRESSED = "a,button,summary,[role=button],[role=link],[role=menuitem],input[type=submit],input[type=button]";

const FIELDS = "input,select,textarea,[role=textbox],[role=combobox]";

/** So many are told, and no longer ones, in characters: what holds much of the page is no message. */
const MOST = 20;
const LONGEST = 300;

/** Lists what the page says that went wrong; of a field it is what the field is called. */
export function complaints(): string[] {
  const all = new Set<string>();
  eachRoot(document, (root) => {
    for (const el of root.querySelectorAll<HTMLElement>(MAYBE)) {
      if (all.size < MOST && isWrong(el) && !el.closest(PRESSED) && isVisible(el)) all.add(quote(messageOf(el)));
    }
  });
  return [...all].filter((said) => said !== "");
}

function isWrong(el: HTMLElement): boolean {
  if (el.getAttribute("aria-invalid") === "true") return true;
  return [...el.classList, idOf(el), ...KINDS.map((name) => el.getAttribute(name) ?? "")].some((name) => name.split(JOINT).some((word) => WRONG.test(word.toLowerCase())));
}

function messageOf(el: HTMLElement): string {
  const fields = el.matches(FIELDS) ? [el] : [...el.querySelectorAll(FIELDS)];
  const said = fields.length === 0 ? normalize(el.textContent) : fields.length === 1 ? nameOf(fields[0] as Element) : "";
  return /\p{L}{2}/u.test(said) && said.length <= LONGEST ? said : "";
}
