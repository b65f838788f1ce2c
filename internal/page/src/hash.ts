// Keyed hashes of the page's words: enough to know them again, too little to read.

import { normalize } from "./dom";

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/), over the key and the normalized text. */
export function hash(key: string, text: string | null | undefined): string {
  const words = normalize(text).toLowerCase();
  if (!words) return "";
  let h = 0x811c9dc5;
  for (const unit of `${key}\n${words}`) {
    h ^= unit.codePointAt(0) ?? 0;
    h = Math.imul(h, 0x01000193);
  }
  return (h >>> 0).toString(16).padStart(8, "0");
}
