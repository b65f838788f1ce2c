// Playwright's own generator, as its recorder uses it, and its own locators.
// They are strict: what names several elements names none.

import source from "playwright-injected"; // the build takes it out of the package
import type { Contestant } from "../contestant";
import { isSeen } from "../targets";

interface Injected {
  generateSelectorSimple(el: Element, options: object): string;
  parseSelector(selector: string): unknown;
  querySelectorAll(selector: unknown, root: Node): Element[];
}

const OPTIONS = {
  isUnderTest: false, sdkLanguage: "javascript", frameSeq: 0, testIdAttributeName: "data-testid", stableRafCount: 1,
  browserName: "chromium", shouldPrependErrorPrefix: false, isUtilityWorld: true, customEngines: [],
};

const holder: { exports?: { InjectedScript(): new (global: object, options: object) => Injected } } = {};
new Function("module", source)(holder);
const Script = holder.exports?.InjectedScript();
if (!Script) throw new Error("Playwright's script is not what it was");
const injected = new Script(globalThis, OPTIONS);

export const playwright: Contestant = {
  name: "Playwright",
  describe: (el) => injected.generateSelectorSimple(el, { testIdAttributeName: "data-testid" }),
  locate(described) {
    const all = injected.querySelectorAll(injected.parseSelector(described as string), document);
    const [only] = all;
    return { element: all.length === 1 && only && isSeen(only) ? only : null, says: { selector: described, count: all.length } };
  },
};
