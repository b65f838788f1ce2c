// The selectors of the recorder in Chrome's DevTools. It asks Chrome for names
// and roles; here Reprise's own are given to it. They are played as its player
// does: in order, until one names an element that can be seen.

import { Logger } from "chrome-devtools-frontend/front_end/panels/recorder/injected/Logger.js";
import { SelectorComputer } from "chrome-devtools-frontend/front_end/panels/recorder/injected/SelectorComputer.js";
import { queryCSSSelectorAll } from "chrome-devtools-frontend/front_end/panels/recorder/injected/selectors/CSSSelector.js";
import { queryPierceSelectorAll } from "chrome-devtools-frontend/front_end/panels/recorder/injected/selectors/PierceSelector.js";
import { textQuerySelectorAll } from "chrome-devtools-frontend/front_end/third_party/puppeteer/package/lib/puppeteer/injected/TextQuerySelector.js";
import { nameOf, roleOf } from "../../../../internal/page/src/dom/names";
import { inOnePass } from "../../../../internal/page/src/dom/elements";
import { queryAll } from "../../../../internal/page/src/locate/selector";
import type { Contestant } from "../contestant";
import { isSeen } from "../targets";

const bindings = {
  getAccessibleName: (node: Node) => (node instanceof Element ? nameOf(node) : ""),
  getAccessibleRole: (node: Node) => (node instanceof Element ? roleOf(node) : ""),
};
const computer = new SelectorComputer(bindings, new Logger("silent"));

export const recorder: Contestant = {
  name: "Chrome's recorder",
  describe: (el) => inOnePass(() => computer.getSelectors(el)),
  locate(described) {
    const tried = described as (string | string[])[];
    for (const selector of tried) {
      const element = inOnePass(() => named(typeof selector === "string" ? [selector] : selector).find(isSeen));
      if (element) return { element, says: { selector, all: tried } };
    }
    return { element: null, says: { all: tried } };
  },
};

const KIND = /^(aria|xpath|pierce|text)\//;

function named(chain: string[]): Element[] {
  const kind = KIND.exec(chain[0] ?? "")?.[1] ?? "css";
  const parts = chain.map((part) => part.replace(KIND, ""));
  switch (kind) {
    case "aria": return byAria(parts);
    case "xpath": return byXPath(parts.at(-1) ?? "");
    case "pierce": return queryPierceSelectorAll(parts);
    case "text": return [...textQuerySelectorAll(document, parts.at(-1) ?? "")];
    default: return queryCSSSelectorAll(parts);
  }
}

/** Each part is looked for below what the part before it named. */
function byAria(parts: string[]): Element[] {
  let below: Element[] = [document.documentElement];
  for (const part of parts) {
    const all = queryAll(`aria/${part}`, document);
    below = all.filter((el) => below.some((root) => root !== el && root.contains(el)));
  }
  return below;
}

function byXPath(path: string): Element[] {
  const node = document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
  return node instanceof Element ? [node] : [];
}
