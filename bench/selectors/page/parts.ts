// Parts of Reprise side by side: fewer selectors, none, none but one kind, and
// selectors without evidence. The order and the number of selectors rest on it.

import type { Wanted } from "../../../internal/page/src/locate/locate";
import { parse } from "../../../internal/page/src/locate/selector";
import type { Contestant } from "./contestant";
import { reprise } from "./reprise";
import { serve } from "./serve";

/** What a selector relies on, as far as its text shows. */
function sourceOf(path: string[]): string {
  const { kind, body } = parse(path.at(-1) ?? "");
  if (kind !== "css") return kind;
  if (/^\[placeholder=/.test(body)) return "placeholder";
  if (/^#[^ >]+$/.test(body)) return "id";
  return /^\w+\[name="[^"]*"\](\[value="[^"]*"\])?$/.test(body) ? "name" : "css";
}

function part(name: string, cut: (wanted: Wanted) => Wanted): Contestant {
  return { ...reprise, name: `Reprise ${name}`, locate: (described) => reprise.locate(cut(described as Wanted)) };
}

const several = (count: number) => part(`${count} selectors`, (wanted) => ({ ...wanted, paths: wanted.paths.slice(0, count) }));
const alone = (source: string) => part(`${source} alone`, ({ paths }) => ({ paths: paths.filter((path) => sourceOf(path) === source) }));

serve([
  reprise, several(5), several(3), several(1), several(0), part("without evidence", ({ paths }) => ({ paths })),
  ...["testid", "aria", "placeholder", "name", "id", "text", "css", "xpath"].map(alone),
]);
