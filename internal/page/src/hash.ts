// Keyed hashes of the page's words: enough to know them again, too little to
// read. Sixteen bits are shared by many words and by a thousand and more of any
// eight digits, so that neither a list of words nor one of numbers gives them back.

import { normalize } from "./dom";

/** The length of one hash, in characters. */
const LENGTH = 4;
/** How many words of a text are kept. */
const MOST_WORDS = 16;

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over the key and the text, folded to 16 bits. */
export function hash(key: string, text: string): string {
  let h = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (((h >>> 16) ^ h) & 0xffff).toString(16).padStart(LENGTH, "0");
}

/** The hashes of a text's words. Numbers are marked: they change where words stay. */
export function hashWords(key: string, text: string): string[] {
  const words = normalize(text).toLowerCase().split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).slice(0, MOST_WORDS);
  return words.map((word) => (/\p{L}/u.test(word) ? hash(key, word) : asNumber(hash(key, word))));
}

/** The same digits in letters: from g for 0 to v for 15. */
function asNumber(hashed: string): string {
  return hashed.replace(/./g, (digit) => String.fromCharCode(FIRST + parseInt(digit, 16)));
}

const FIRST = "g".charCodeAt(0);

/** Whether a hash is of a number. */
export function isNumber(hashed: string): boolean {
  return hashed.charCodeAt(0) >= FIRST;
}

/** Hashes as a document keeps them, and back. */
export function pack(hashes: readonly string[]): string {
  return hashes.join("");
}

export function unpack(packed: string): string[] {
  return packed.match(/.{4}/g) ?? [];
}
