// What the peers' packages offer, as far as it is used: their own declarations
// need more of their worlds than is installed.

declare module "playwright-injected" {
  const source: string;
  export default source;
}
declare module "@medv/finder" {
  export function finder(el: Element): string;
}
declare module "css-selector-generator" {
  export function getCssSelector(el: Element): string;
}
declare module "*/Logger.js" {
  export class Logger {
    constructor(level?: "silent" | "debug");
  }
}
declare module "*/SelectorComputer.js" {
  export class SelectorComputer {
    constructor(bindings: object, logger: object);
    getSelectors(node: Node): (string | string[])[];
  }
}
declare module "*/CSSSelector.js" {
  export function queryCSSSelectorAll(parts: string[]): Element[];
}
declare module "*/PierceSelector.js" {
  export function queryPierceSelectorAll(parts: string[]): Element[];
}
declare module "*/TextQuerySelector.js" {
  export function textQuerySelectorAll(root: Node, text: string): Iterable<Element>;
}
