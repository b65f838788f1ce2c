// Chance that is the same on every run: a seed decides all of it.

export class Random {
  private state: number;

  constructor(seed: string) {
    this.state = spread(seed);
  }

  /** A number from 0 up to 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 up to below. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }

  shuffled<T>(of: readonly T[]): T[] {
    const all = [...of];
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [all[i], all[j]] = [all[j] as T, all[i] as T];
    }
    return all;
  }

  /** Letters and digits as a build makes them. */
  token(length: number, letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789"): string {
    let made = "";
    while (made.length < length) made += letters[this.below(letters.length)];
    return made;
  }
}

/** FNV-1a over the text, then mixed: neighbouring texts give seeds that are far apart. */
export function spread(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  return h ^ (h >>> 13);
}
