// Telling names that a person gave from names that a build or a framework made:
// the latter change with the next release, or with the next visit. The same is in
// selectors/generated.go, and a test holds the two to the same answers.

/** A longer one is no name that an author maintains. */
const LONGEST = 64;
/** Characters from which a run of letters and digits can be a hash. */
const HASH_LENGTH = 5;
/** Changes of class that no word of that length has: "tab4a" and "objC1" have two. */
const LEAST_TURNS = 3;
/** Characters for each change of class in a hash: "a8Kd3", not "iPhone15Pro". */
const HASH_TURNS = 2.5;
/** The same of a long run, which no author writes: "ojg3keil6shokkhzlb9htc8x". */
const LONG_LENGTH = 20;
const LONG_TURNS = 3.4;
/** From so many hexadecimal digits on, a run with a number in it is one. */
const HEX_LENGTH = 8;
/** Characters from which a token of small and capital letters and digits can be random as a whole: nanoid, base64. */
const RANDOM_LENGTH = 14;
/** Characters for each change of class in one. */
const RANDOM_TURNS = 4;

const GENERATED = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i, // GUID
  /[0-9]{5,}/, // counters, times, database keys; years have four
  /:[rR][0-9a-zH]+:|«[rR][0-9a-zH]+»|(^|[^0-9A-Za-z_])_[rR]_[0-9a-zH]+_/, // React's useId
  /^(css|svelte|emotion|tss|astro)-[0-9a-z]*[0-9][0-9a-z]*(-|$)/, // styles in scripts
  /^sc-[a-z]*[A-Z][A-Za-z]*$|^jss[0-9]+$/, // the same
  /^select2-.+-(result|choice)-[0-9a-z]{4}-/, // drawn for each list that is opened
  /^mantine-[0-9a-z]{9}(-|$)/,
  /^((radix|reka-[a-z-]+)-)?v-[0-9]+(-[0-9]+)*$/, // Vue's useId
  /^_ng(content|host)-|^data-v-[0-9a-f]+$/, // scoped styles of Angular and Vue
  // Counters of frameworks: the number depends on what else is on the page.
  /(^|-)(ember|ext-gen|ext-comp-|gwt-uid-|yui_|isc_|dijit_|ui-id-|bits-c|cdk-|mat-[a-z-]+-|radix-|headlessui-[a-z-]+-|react-aria|react-select-|mantine-|rc_select_|pr_id_|pv_id_|__BVID__|el-id-|mui-|bs-select-|downshift-|tippy-|vaadin-[a-z-]+-|pf-[a-z-]+-)[0-9]/,
];

/** Whether an id or an attribute value looks made by a machine. */
export function isGenerated(token: string): boolean {
  return isGeneratedClass(token) || isRandom(token.split(/[^A-Za-z0-9]+/).join(""));
}

/** Whether a class does. What looks random as a whole was drawn by a build, and stays until the next. */
export function isGeneratedClass(name: string): boolean {
  return name.length > LONGEST || GENERATED.some((pattern) => pattern.test(name)) || name.split(/[^A-Za-z0-9]+/).some(isHash);
}

/** Whether a class comes and goes while a page is used. */
export function isStateClass(name: string): boolean {
  return STATES.test(name);
}

const STATES = /^(is-|has-|ng-|.*--)?(active|focus(ed)?|hover(ed)?|open(ed)?|show(n)?|shown|selected|checked|disabled|loading|loaded|collapsed|expanded|current|visited|invalid|valid|pending|dirty|pristine|touched|untouched)$/i;

/** Looks at a token as a whole, as the dashes within it may be a part of what was drawn. */
function isRandom(word: string): boolean {
  return word.length >= RANDOM_LENGTH && turns(word) * RANDOM_TURNS >= word.length && /[a-z]/.test(word) && /[A-Z]/.test(word) && /[0-9]/.test(word);
}

function isHash(word: string): boolean {
  if (word.length < HASH_LENGTH) return false;
  if (word.length >= HEX_LENGTH && /^[0-9a-f]+$/.test(word) && /[0-9]/.test(word)) return true;
  const changes = turns(word);
  return changes >= LEAST_TURNS && changes * (word.length >= LONG_LENGTH ? LONG_TURNS : HASH_TURNS) >= word.length;
}

/** Counts the changes between letters and digits, and from lower to upper case. The step down after a capital is not one: words begin that way. */
function turns(word: string): number {
  let changes = 0;
  let last = "";
  for (const char of word) {
    const kind = char >= "a" ? "a" : char >= "A" ? "A" : "0";
    if (last && kind !== last && !(last === "A" && kind === "a")) changes++;
    last = kind;
  }
  return changes;
}
