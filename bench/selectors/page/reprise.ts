// Reprise as it is used: what describe gives goes out, is ranked there, and comes
// back as what a document keeps.

import { describe } from "../../../internal/page/src/describe/describe";
import { locate, type Wanted } from "../../../internal/page/src/locate/locate";
import type { Contestant } from "./contestant";

/** Any key will do: it hashes the texts of this page alone. */
const KEY = "6b657920666f7220612062656e63686d";

export const reprise: Contestant = {
  name: "Reprise",
  describe: (el) => describe(el, KEY),
  locate(described) {
    const { element, ...says } = locate(described as Wanted);
    return { element: element ?? null, says };
  },
};
