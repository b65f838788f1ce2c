// Every number that decides whether and how an element is found again, on one screen.
// The odds were set on the tuning pages of the selector benchmark (docs/selectors_benchmark.md);
// figures are reported on other pages. Weights and thresholds are natural logarithms of odds.

/** What an element shows of itself. */
export type OwnFeature = "testid" | "id" | "name" | "href" | "placeholder" | "label" | "text" | "options" | "type" | "tag" | "class" | "inner" | "other";
/** What is around it. */
export type AroundFeature = "row" | "heading" | "before" | "after" | "landmark" | "above" | "place";
export type Feature = OwnFeature | AroundFeature;

/** How a feature changes: with the page's words, its ids, its styles, or independently of them. */
export type Change = "words" | "ids" | "classes" | "none";

export interface Trait {
  m: number; // how often it stays over a release where its kind of change is not page-wide
  u: number; // how often two elements of a kind share it, on any page
  change: Change;
}

/**
 * The first column follows the stability of attributes over real releases
 * (arXiv 2505.16424: tag .99, type .96, text .95, name .95, id .87, class .80,
 * neighbours .53); both were then adjusted on the benchmark's pages for tuning.
 */
export const TRAITS: Record<Feature, Trait> = {
  testid: { m: 0.95, u: 0.00001, change: "ids" },
  id: { m: 0.87, u: 0.001, change: "ids" },
  name: { m: 0.95, u: 0.01, change: "none" },
  href: { m: 0.9, u: 0.01, change: "none" },
  placeholder: { m: 0.93, u: 0.01, change: "words" },
  label: { m: 0.95, u: 0.01, change: "words" },
  text: { m: 0.95, u: 0.01, change: "words" },
  options: { m: 0.85, u: 0.02, change: "words" },
  type: { m: 0.97, u: 0.4, change: "none" },
  tag: { m: 0.95, u: 0.5, change: "none" },
  class: { m: 0.85, u: 0.2, change: "classes" },
  inner: { m: 0.85, u: 0.1, change: "classes" },
  other: { m: 0.85, u: 0.1, change: "none" },
  row: { m: 0.85, u: 0.05, change: "words" },
  heading: { m: 0.85, u: 0.2, change: "words" },
  before: { m: 0.7, u: 0.05, change: "words" },
  after: { m: 0.7, u: 0.05, change: "words" },
  landmark: { m: 0.9, u: 0.3, change: "none" },
  above: { m: 0.85, u: 0.2, change: "classes" },
  place: { m: 0.6, u: 0.15, change: "none" },
};

// Weighing one feature

/** How much the page's own frequencies count against those of any page: as much as this many elements. */
export const PRIOR = 20;
/** Numbers in a text change where its words stay. */
export const NUMBER_WEIGHT = 0.3;
/** A value that is gone tells less than another in its place. */
export const ABSENT = 0.5;
/** What is around an element is all of one piece: together it counts no more, and no less, than this. */
export const MOST_AROUND = 6;
export const LEAST_AROUND = -2.5;
/** What is around tells rivals apart less surely than what they show of themselves. */
export const AROUND_RIVALS = 0.6;
/** Even a feature that most elements share tells a little by differing. */
export const MOST_SHARED = 0.9;
/** Even on a page that has changed everywhere some values stay. */
export const LEAST_SURVIVING = 0.05;
/** Even a word that every element shows tells a little. */
export const LEAST_RARITY = 0.1;
/** Added to the counts behind a word's rarity, so that one seen never or everywhere has a finite weight. */
export const SMOOTH_COMPARED = 2;
export const SMOOTH_FREQUENCY = 0.5;

// Accepting a candidate

/** In all. */
export const ACCEPT = 3;
/** Of itself: its place alone never makes an element the wanted one. */
export const ACCEPT_OWN = 1;
/** Or, where it had twins and something tells it from them: this part of what it showed of itself, however common that is. */
export const ACCEPT_AGREED = 0.75;
/** What weighs less than this, as a tag alone, must be told from its twins by words to agree in full. */
export const LITTLE = 1;
/** As ACCEPT_OWN, where the recorded element repeated a secret: its own evidence was not stored. */
export const ACCEPT_WITHHELD = 0;
/** Ahead of the next candidate; with less the match is ambiguous. */
export const MARGIN = 2;
/** Ahead of what was next to it when it was recorded. */
export const RIVAL_MARGIN = 1;
/** Added to the smallest of the three margins for the confidence: at the threshold it is .88. */
export const CONFIDENCE_AT_THRESHOLD = 2;
/** Above this a rejected candidate was probably the wanted element: it is "changed", not "gone". */
export const LIKELY = 0;
/** An element that no structural selector names counts this much less; one that they name, this much more. */
export const ELSEWHERE = -0.5;
export const PLACED = 2;

// Contradictions: what would make it another element to the user

/** This many are refused, whatever else agrees. */
export const CONTRADICTED = 2;
/** Features that show what an element is for: another value contradicts, the same one speaks against a contradiction. */
export const IDENTIFYING: Feature[] = ["testid", "id", "name", "href"];
/** What tells the user what an element is for; where it has no words, its choices do, else its picture, else what scripts read of it. */
export const SPEAKING: Feature[] = ["label", "placeholder", "options", "inner", "other"];
/** A text with less than this in common is another. */
export const OTHER_WORDS = 0.34;
/** The part of the page's values that must have stayed for a change here to be one of this element only. */
export const STAYED = 0.6;
/** And of its words no more than this, if it is in another language. */
export const TRANSLATED = 0.1;
/** Another value counts this much; what the element is called, or what told it from its twins, that much. */
export const CONTRADICTION = 1;
export const STRONG_CONTRADICTION = 2;

// Telling twins apart

/** Words around an element by which the user tells it from others that look the same, most telling first. */
export const TELLING_TWINS: Feature[] = ["row", "before", "after", "heading"];
/** What their boxes say of themselves (ids, classes, labels), where no words tell them apart. */
export const BOX: Feature = "above";
/** What must not change between the look and the press. How an element looks may change under the pointer, and does. */
export const MUST_STAY: Feature[] = ["testid", "name", "href", "placeholder", "label", "row"];

// Trusting the first selector, and drift

/** What the first selector names is unchanged while at least this part of what is around it is. */
export const UNCHANGED_AROUND = 0.5;
/** All evidence is weighed only when nothing has changed for this long, */
export const SETTLED_MS = 150;
/** or when the page was given this much time: one that never rests must not stop a run. */
export const FALLBACK_AFTER_MS = 1500;
/** How long before the end of a wait the last thorough look is made, besides what it costs. */
export const LAST_MS = 300;
/** A report is of a thorough look before it where another would cost more than this. */
export const REPORT_MS = 50;
/** What lost selectors, changed evidence of the element itself, and of what is around it count in its drift: together 1. */
export const DRIFT_SELECTORS = 0.6;
export const DRIFT_OWN = 0.25;
export const DRIFT_AROUND = 0.15;

// What is compared and stored: bounds on the work, and on what a document discloses of a page

/** How many candidates are looked at closely. */
export const CLOSE = 200;
/** How many look-alikes are stored, the two next to it in the document among them. */
export const MOST_RIVALS = 8;
/** Of how many candidates next to it the evidence is read; of others only their text. */
export const NEAR = 25;
/** How many of the most similar look-alikes are compared by what is around them, too. */
export const LOOKED_AT = 24;
/** How many look-alikes' own evidence is read. */
export const MOST_READ = 150;
/** How many values of each sort a sample of the page has: 20 tell a page-wide change from a local one. */
export const SAMPLE = 20;
/** How many elements are looked at in each place for one sample value: large pages are not read for a sample. */
export const SAMPLE_WINDOW = 30;
/** Longest text in a sample: longer ones are content, which changes anyway. */
export const LONGEST_SAMPLED = 60;
/** What part of a page is thought to stay where nothing is known, and how many values that counts for. */
export const STAYS = 0.95;
export const STAYS_PRIOR = 2;

// How much of an element is read

/** Longest text that is read as a label: longer ones are prose. */
export const LONGEST_LABEL = 200;
/** How many of a list's choices are read. */
export const MOST_OPTIONS = 8;
/** How many words of a text are hashed. */
export const MOST_WORDS = 16;
/** How far up what is around an element is looked for, and the longest text of it: a row is near, and short. */
export const HIGHEST_AROUND = 10;
export const LONGEST_AROUND = 120;
/** How many levels up, and how many nodes away, a neighbour's words are looked for; and how many characters of them are read. */
export const NEIGHBOUR_LEVELS = 3;
export const NEIGHBOUR_STEPS = 6;
export const NEIGHBOUR_LENGTH = 60;
/** How many classes, pictures and other attributes of an element are read, and the longest value of one. */
export const MOST_CLASSES = 12;
export const MOST_PICTURES = 8;
export const MOST_ATTRIBUTES = 8;
export const LONGEST_VALUE = 200;
/** How many landmarks an element stands in are read. */
export const MOST_LANDMARKS = 3;
/** How far up ids and classes are read, how many classes of each ancestor, and how many in all: a wrapper more or less does not change much. */
export const HIGHEST_ABOVE = 8;
export const CLASSES_ABOVE = 3;
export const MOST_ABOVE = 16;
