// Generators of one CSS selector, and the absolute XPath. All are used as their
// readers would: the first element that it names is it, if it can be seen.

import { finder } from "@medv/finder";
import { getCssSelector } from "css-selector-generator";
import type { Answer, Contestant } from "../contestant";
import { isSeen } from "../targets";

function first(selector: string): Answer {
  const element = document.querySelector(selector);
  return { element: element && isSeen(element) ? element : null, says: { selector } };
}

export const medv: Contestant = { name: "@medv/finder", describe: (el) => finder(el), locate: (described) => first(described as string) };

export const generator: Contestant = { name: "css-selector-generator", describe: (el) => getCssSelector(el), locate: (described) => first(described as string) };

export const absolute: Contestant = {
  name: "absolute XPath",
  describe(el) {
    let path = "";
    for (let at: Element | null = el; at; at = at.parentElement) {
      const name = at.localName;
      const alike = [...(at.parentElement?.children ?? [at])].filter((other) => other.localName === name);
      const test = at instanceof HTMLElement ? name : `*[local-name()="${name}"]`;
      path = `/${test}${alike.length > 1 ? `[${alike.indexOf(at) + 1}]` : ""}${path}`;
    }
    return path;
  },
  locate(described) {
    const node = document.evaluate(described as string, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
    return { element: node instanceof Element && isSeen(node) ? node : null, says: { selector: described } };
  },
};
