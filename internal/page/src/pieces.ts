// Pieces of secrets in texts: keyed hashes of six characters in a row, looked for with
// rolling hashes in one pass over a text. The engine has the same scan, and more forms
// (internal/redact): hashes travel from one document to the next where no secret may.

export type Key = [number, number];

/** A way to read a text: its letters and digits alone, or all but its white space; both in lower case. */
export type View = "folded" | "joined";

/** The hashes of pieces, by their length. */
export interface Hashes {
  key: Key;
  folded?: Record<string, number[]>;
  joined?: Record<string, number[]>;
}

/** The length of a piece. A shorter secret is found only whole, and one of less than the second not at all. */
export const PIECE = 6;
export const SHORTEST = 3;

export function newKey(): Key {
  const [a = 1, b = 1] = crypto.getRandomValues(new Uint32Array(2));
  return [(a | 1) >>> 0, (b | 1) >>> 0];
}

/** A text as its characters in a view. */
export function read(text: string, view: View): number[] {
  const points: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code < 0x80) {
      if (code >= 65 && code <= 90) points.push(code + 32);
      else if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (view === "joined" && code > 32 && code !== 127)) points.push(code);
      continue;
    }
    for (const plain of char.normalize("NFKC").toLowerCase()) {
      if ((view === "folded" ? LETTER : SHOWN).test(plain)) points.push(plain.codePointAt(0) as number);
    }
  }
  return points;
}

const LETTER = /[\p{L}\p{Nd}]/u;
const SHOWN = /[^\s\p{Cc}\p{Cf}\p{Mn}]/u;

/** Pieces of secrets, under one key. */
export class Index {
  private readonly sets: Record<View, Map<number, Set<number>>> = { folded: new Map(), joined: new Map() };

  constructor(readonly key: Key) {}

  get isEmpty(): boolean {
    return this.sets.folded.size === 0 && this.sets.joined.size === 0;
  }

  /** Adds hashes of the same key. */
  add(hashes: Hashes): void {
    for (const view of VIEWS) {
      for (const [length, all] of Object.entries(hashes[view] ?? {})) for (const one of all) this.put(view, Number(length), one);
    }
  }

  /** Adds the pieces of a secret: as it is, and as addresses and selectors have it. Those of a short one are found whole. */
  addSecret(secret: string): void {
    for (const [view, text] of formsOf(secret)) {
      const points = read(text, view);
      this.roll(points, PIECE, (hash) => (this.put(view, PIECE, hash), false));
    }
  }

  private put(view: View, length: number, hash: number): void {
    const sets = this.sets[view];
    const set = sets.get(length) ?? new Set();
    sets.set(length, set.add(hash));
  }

  /** Whether a text has a piece. */
  in(text: string): boolean {
    return VIEWS.some((view) => this.sets[view].size > 0 && this.find(view, read(text, view), () => true));
  }

  /** Calls found with where each piece begins and how long it is, until it says that this is enough. */
  find(view: View, points: readonly number[], found: (at: number, length: number) => boolean): boolean {
    for (const [length, set] of this.sets[view]) {
      if (this.roll(points, length, (hash, at) => set.has(hash) && found(at, length))) return true;
    }
    return false;
  }

  /** Two polynomial hashes of each window, of which 53 bits are kept. */
  private roll(points: readonly number[], length: number, window: (hash: number, at: number) => boolean): boolean {
    const [baseA, baseB] = this.key;
    let [a, b, leadA, leadB] = [0, 0, 1, 1];
    for (let i = 0; i < length; i++) [leadA, leadB] = [Math.imul(leadA, baseA), Math.imul(leadB, baseB)];
    for (let i = 0; i < points.length; i++) {
      const code = (points[i] as number) + 1;
      a = (Math.imul(a, baseA) + code) | 0;
      b = (Math.imul(b, baseB) + code) | 0;
      if (i >= length) {
        const left = (points[i - length] as number) + 1;
        a = (a - Math.imul(left, leadA)) | 0;
        b = (b - Math.imul(left, leadB)) | 0;
      }
      if (i >= length - 1 && window((a >>> 0) * 0x200000 + (b >>> 11), i - length + 1)) return true;
    }
    return false;
  }

  /** All hashes of this index. */
  hashes(): Hashes {
    const list = (view: View) => Object.fromEntries([...this.sets[view]].map(([length, set]) => [length, [...set].sort((a, b) => a - b)]));
    return { key: this.key, folded: list("folded"), joined: list("joined") };
  }
}

export const VIEWS: readonly View[] = ["folded", "joined"];

function formsOf(secret: string): [View, string][] {
  return [["joined", secret], ["folded", secret], ["folded", encodeComponent(secret)], ["folded", CSS.escape(secret)]];
}

function encodeComponent(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // half of a character
  }
}
