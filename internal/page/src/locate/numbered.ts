// Names that a page numbers, as input-0 and input-1: where something stands in front of what was recorded, the number is another's.

import { perPass, type Root, rootOf } from "../dom/elements";

const known = perPass<Root, Map<string, Map<string, Set<string>>>>();

/** Whether the value of an attribute of an element is that of another element but for its numbers. */
export function isNumbered(el: Element, attribute: string, value = el.getAttribute(attribute) ?? ""): boolean {
  if (!/\d/.test(value)) return false;
  const root = rootOf(el);
  const ofRoot = known(root, () => new Map());
  let stems = ofRoot.get(attribute);
  if (!stems) {
    stems = new Map<string, Set<string>>();
    for (const one of root.querySelectorAll(`[${attribute}]`)) {
      const its = one.getAttribute(attribute) ?? "";
      if (/\d/.test(its)) stems.set(stem(its), (stems.get(stem(its)) ?? new Set()).add(its));
    }
    ofRoot.set(attribute, stems);
  }
  return (stems.get(stem(value))?.size ?? 0) > 1;
}

function stem(value: string): string {
  return value.replace(/\d+/g, "0");
}
