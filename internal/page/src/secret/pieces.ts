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
    for (const letter of char.normalize("NFKC").toLowerCase()) {
      const plain = LOOK_ALIKES.get(letter) ?? letter;
      if ((view === "folded" ? LETTER : SHOWN).test(plain)) points.push(plain.codePointAt(0) as number);
    }
  }
  return points;
}

/** Letters of other scripts that look like Latin ones: as in internal/redact. */
const LOOK_ALIKES = new Map(
  "аaвbсcԁdеeһhіiјjкkмmнhоoрpѕsтtуyхxαaεeιiκkνvοoρpτtυuχx".match(/../gu)?.map((pair) => [pair[0] as string, pair[1] as string]),
);

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

  /** Adds the pieces of a secret as programs write it: backwards, in base64 and in hexadecimal digits. */
  addEncoded(secret: string): void {
    for (const [view, text, length] of encodedForms(secret)) this.roll(read(text, view), length, (hash) => (this.put(view, length, hash), false));
  }

  /** Adds a secret that is too short for pieces: it is found whole. */
  addShort(secret: string): void {
    const points = read(secret, "joined");
    if (points.length >= SHORTEST && points.length < PIECE) this.roll(points, points.length, (hash) => (this.put("joined", points.length, hash), false));
  }

  /** All hashes of this index among random ones, so that their number tells nothing of how long a secret is. */
  padded(): Hashes {
    const fill = (view: View) => Object.fromEntries(LENGTHS[view].map((length) => [length, padded(this.sets[view].get(length) ?? new Set())]));
    return { key: this.key, folded: fill("folded"), joined: fill("joined") };
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

  /** Two polynomial hashes of each window, of which 53 bits are stored. */
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

/** The lengths of pieces here, as in the engine: six bytes are eight characters of base64, and twelve hexadecimal digits. */
const LENGTHS: Record<View, number[]> = { folded: [PIECE, 8, 12], joined: [3, 4, 5, PIECE] };

const BLOCK = 64;

function padded(hashes: Set<number>): number[] {
  const all = new Set(hashes);
  while (all.size === 0 || all.size % BLOCK !== 0) {
    const [a = 0, b = 0] = crypto.getRandomValues(new Uint32Array(2));
    all.add(a * 0x200000 + (b >>> 11));
  }
  return [...all].sort((a, b) => a - b);
}

/** A hash of all of a text, which is the same for the same text. */
export function wholeOf([baseA, baseB]: Key, text: string): number {
  let [a, b] = [1, 1];
  for (const char of text) {
    const code = (char.codePointAt(0) as number) + 1;
    a = (Math.imul(a, baseA) + code) | 0;
    b = (Math.imul(b, baseB) + code) | 0;
  }
  return (a >>> 0) * 0x200000 + (b >>> 11);
}

function encodedForms(secret: string): [View, string, number][] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
  const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  // After 0, 1 or 2 bytes of another text, without what those or what follows have a part in.
  const phases = [0, 1, 2].map((before) => btoa("x".repeat(before) + bytes).slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3)));
  return [["joined", [...secret].reverse().join(""), PIECE], ["folded", hex, 12], ...phases.map((text): [View, string, number] => ["folded", text, 8])];
}

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
