// What is known of secrets here goes to the engine as keyed hashes, and from there to
// every other document of the recording: none of them quotes what repeats them. How
// often it goes tells nothing of a secret: not with each key, but when a field is left
// or its page is, before what may lead there, and when somebody stops to type.

import { forgetTold, refOf } from "./told";
import { type Hashes, Index, PIECE, read, SHORTEST, wholeOf } from "./pieces";
import { keyOfSecrets, rememberPieces, secretFields } from "./sensitive";
import { documentId, send } from "./wire";

/** What was told of each field: its value, and whether as all of it. */
let told = new WeakMap<Element, string>();

/** How long nothing is typed before what there is is told, in ms. */
const PAUSE = 250;

/** How much of a secret is told of: more is a file that was pasted, and its beginning is enough to know it. */
const MOST = 4096;

let pause: ReturnType<typeof setTimeout> | undefined;

/** Tells of what is being typed when it has come to a rest. */
export function spreadSoon(): void {
  clearTimeout(pause);
  pause = setTimeout(() => spread(false), PAUSE);
}

/** Tells what secrets there are that were not told; whole says that nobody is in the middle of typing one. */
export function spread(whole = true): void {
  pieces(whole, false).forEach(send);
}

/** What there is to tell; again as well, to an engine that asks as somebody acts in another document already: what was told may be on its way. */
export function pieces(whole = true, again = true): object[] {
  const key = keyOfSecrets();
  const all: object[] = [];
  for (const [field, value] of secretFields()) {
    const isShort = read(value, "joined").length < PIECE;
    if (value.length < SHORTEST || (isShort && !whole)) continue;
    const last = told.get(field);
    if (!again && last === `whole ${value}`) continue;
    if (!whole && last !== undefined && last.endsWith(` ${value}`)) continue;
    told.set(field, `${whole ? "whole" : "part"} ${value}`);
    const index = new Index(key);
    if (isShort) index.addShort(value);
    else {
      index.addSecret(value.slice(0, MOST));
      index.addEncoded(value.slice(0, MOST));
    }
    rememberPieces(index.hashes());
    const element = field.ownerDocument === document ? `${documentId}#${refOf(field)}` : "";
    all.push({ type: "pieces", hashes: index.padded(), ...(whole ? { element, whole: wholeOf(key, value) } : {}) });
  }
  return all;
}

/** The browser goes elsewhere, or the page writes another address. */
export function onNavigate(event: Event): void {
  const { destination } = event as Event & { destination?: { sameDocument?: boolean } };
  spread(!destination?.sameDocument);
}

/** Takes what other documents know of secrets. What was told of elements may repeat them. */
export function learn(hashes: Hashes): void {
  rememberPieces(hashes);
  forgetTold();
}

/** Forgets what was told: another recording has not heard of it. */
export function forgetSpread(): void {
  clearTimeout(pause);
  told = new WeakMap();
}
