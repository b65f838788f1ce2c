// The kinds of change that a page goes through between two visits.

import type { Change, Local } from "./change";
import { deleted, hidden, replaced, rowDeleted } from "./gone";
import type { Journal } from "./journal";
import type { Random } from "./random";
import { generateIds, hashClasses, renameClassesByHand } from "./rename";
import { ancestorWrapped, boxesSwapped, hiddenCopy, hiddenCopyGone, hiddenTwin, labelBoxes, listGrown, moved, newFrame, noteBefore, reordered, siblingAfter, siblingBefore, siblingRemoved, unwrapped, visibleTwin, wrapped } from "./structure";
import { attributeChanged, classAdded, contextEdited, idChanged, countChanged, labelChanged, pageReworded, tagSwapped, translatePage, wordAdded, wordReplaced } from "./wording";

/** Chances for what is done to the whole page. */
export interface PageChance {
  journal: Journal;
  random: Random; // of this kind on this page
  tool: Random; // of the page alone: the same on both sides of a change
}

type Whole = (chance: PageChance) => void;

export interface Kind {
  name: string;
  gone?: boolean; // the element is not there any more: refusing is right
  before?: Whole; // done to the page before the element is described
  whole?: Whole; // done to the page after, once for all its elements
  local?: Local; // done after that, for one element at a time
}

const hashed: Whole = ({ journal, tool, random }) => hashClasses(journal, tool, random);
const generated: Whole = ({ journal, tool, random }) => generateIds(journal, tool, random);

const release: Whole = (chance) => {
  renameClassesByHand(chance.journal, chance.random);
  newFrame(chance.random);
  pageReworded(chance.random);
};

/** As many of them as wanted, in an order by chance; false where fewer than least apply. */
function several(changes: Local[], wanted: number, least: number): Local {
  return (c: Change) => {
    let made = 0;
    for (const change of c.random.shuffled(changes)) if (made < wanted && change(c)) made++;
    return made >= least;
  };
}

const sometimes = (share: number, change: Local): Local => (c) => c.random.chance(share) && change(c);

/** All of them, whichever apply. */
const each = (...changes: Local[]): Local => (c) => changes.map((change) => change(c)).length > 0;

const smallRelease = several([wrapped, ancestorWrapped, siblingBefore, siblingAfter, contextEdited, classAdded, listGrown, attributeChanged, wordAdded, reordered], 3, 2);
const bigRelease = each(
  sometimes(0.5, listGrown), sometimes(0.5, reordered), sometimes(0.5, siblingRemoved), ancestorWrapped, sometimes(0.5, idChanged),
  sometimes(0.4, wordAdded), sometimes(0.3, attributeChanged), sometimes(0.15, moved), sometimes(0.3, tagSwapped), contextEdited,
);
/** The same around what is not there any more. */
const bigReleaseWithout: Local = (c) => {
  several([listGrown, reordered, siblingRemoved, ancestorWrapped, contextEdited], 3, 0)(c);
  return deleted(c);
};

export const KINDS: Kind[] = [
  { name: "unchanged" },
  { name: "classes hashed on both sides", before: hashed, whole: hashed },
  { name: "ids generated on both sides", before: generated, whole: generated },
  { name: "classes and ids made on both sides", before: both(hashed, generated), whole: both(hashed, generated) },
  { name: "classes renamed", whole: ({ journal, random }) => renameClassesByHand(journal, random) },
  { name: "id removed or renamed", local: idChanged },
  { name: "wrapped", local: wrapped },
  { name: "ancestor wrapped", local: ancestorWrapped },
  { name: "wrapper removed", local: unwrapped },
  { name: "sibling inserted before", local: siblingBefore },
  { name: "sibling inserted after", local: siblingAfter },
  { name: "sibling removed", local: siblingRemoved },
  { name: "siblings reordered", local: reordered },
  { name: "list grown", local: listGrown },
  { name: "word added", local: wordAdded },
  { name: "word replaced", local: wordReplaced },
  { name: "count added or changed", local: countChanged },
  { name: "context edited", local: contextEdited },
  { name: "page translated", whole: ({ random }) => translatePage(random) },
  { name: "attribute changed", local: attributeChanged },
  { name: "tag swapped", local: tagSwapped },
  { name: "moved elsewhere", local: moved },
  { name: "hidden twin", local: hiddenTwin },
  { name: "visible twin", local: visibleTwin },
  { name: "hidden copy came", whole: hiddenCopy },
  { name: "hidden copy went", before: hiddenCopy, whole: hiddenCopyGone },
  { name: "boxes changed places", before: ({ random }) => labelBoxes(random), local: boxesSwapped },
  { name: "note before a box", local: noteBefore },
  { name: "label came or went", local: labelChanged },
  { name: "small release", local: smallRelease },
  { name: "big release", whole: release, local: bigRelease },
  { name: "deleted", gone: true, local: deleted },
  { name: "deleted, classes and ids made", gone: true, before: both(hashed, generated), whole: both(hashed, generated), local: deleted },
  { name: "row deleted", gone: true, local: rowDeleted },
  { name: "replaced", gone: true, local: replaced },
  { name: "hidden", gone: true, local: hidden },
  { name: "deleted, page translated", gone: true, whole: ({ random }) => translatePage(random), local: deleted },
  { name: "deleted in a big release", gone: true, whole: release, local: bigReleaseWithout },
];

function both(first: Whole, second: Whole): Whole {
  return (chance) => {
    first(chance);
    second(chance);
  };
}
