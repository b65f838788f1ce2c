// Contestants by which the tests look into the arena: they know what no
// contestant knows, or answer what none would.

import type { Contestant } from "./contestant";
import { serve } from "./serve";

const held: Element[] = [];

/** Keeps hold of the element itself: right wherever it is still there, and blind where another took its place. */
const holder: Contestant = {
  name: "holder",
  describe: (el) => held.push(el) - 1,
  locate: (at) => {
    const element = held[at as number];
    return { element: element?.checkVisibility({ visibilityProperty: true }) ? element : null };
  },
};

/** Always finds something, and never the element. */
const wrong: Contestant = { name: "wrong", describe: () => null, locate: () => ({ element: document.documentElement }) };

/** Finds nothing, and tells what the page looks like after the change. */
const watcher: Contestant = { name: "watcher", describe: () => document.documentElement.outerHTML, locate: () => ({ says: document.documentElement.outerHTML }) };

/** The one element that says the words of the first link, whatever became of its tag. */
const reader: Contestant = {
  name: "reader",
  describe: (el) => el.textContent,
  locate: (words) => ({ element: [...document.querySelectorAll("a,button,[role]")].find((el) => el.textContent === words) ?? null }),
};

/** Finds nothing, and tells how everything that can be seen is drawn. */
const onlooker: Contestant = {
  name: "onlooker",
  describe: () => null,
  locate: () => ({ says: [...document.body.querySelectorAll("*")].map((el) => [el.checkVisibility(), getComputedStyle(el).color, el.getBoundingClientRect().y].join()) }),
};

/** Fails. */
const failing: Contestant = { name: "failing", describe: () => null, locate: () => { throw new Error("it fell over"); } };

serve([holder, wrong, watcher, reader, onlooker, failing]);
