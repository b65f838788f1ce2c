// Messages to the engine outside, and the numbers by which they name elements. What
// cannot be sent yet waits: the binding is installed a moment after a document begins.

/** The function by which the engine hears this document; it exists in this world only. */
const BINDING = "__repriseSend";

type Outside = Record<string, unknown>;
const outside = globalThis as unknown as Outside;

type Way = (line: string) => void;
let way: Way | null = null;
let last: Way | null = null;
let expected = false;

/** Names the document, in what is told of it. */
export const documentId = crypto.getRandomValues(new Uint32Array(2)).join("-");
const waiting: string[] = [];
let sequence = 0;

/** Sends a message that is no part of a recording. */
export function send(message: object): void {
  put(JSON.stringify(message));
}

/** Sends an event of a recording: numbered, so that a lost one is noticed. */
export function sendEvent(event: object): void {
  put(JSON.stringify({ doc: documentId, seq: ++sequence, ...event }));
}

function put(line: string): void {
  waiting.push(line);
  drain();
}

function drain(): boolean {
  const binding = outside[BINDING];
  if (typeof binding !== "function") {
    expect();
    return false;
  }
  for (const line of waiting.splice(0)) (binding as Way)(line);
  return true;
}

/**
 * Sends what is waiting as soon as the binding is installed: what the user does first
 * may end the document at once, before the engine has asked. Each installation is
 * reported, also where nothing waits.
 */
function expect(): void {
  if (expected) return;
  expected = true;
  Object.defineProperty(outside, BINDING, {
    configurable: true,
    get: () => way,
    set: (laid: Way) => {
      way = last = laid;
      queueMicrotask(() => send({ type: "here" })); // the browser does not hear it yet
    },
  });
}

/**
 * The document is left. It may come back from the cache, and then what it tells is
 * not heard, although the binding looks as before, until it is installed again.
 */
export function leave(): void {
  last = outside[BINDING] as Way | null;
  way = null;
  expected = false;
  expect();
}

/** Sends what is waiting, and returns how many events there have been. The engine has installed the binding before, or found it installed. */
export function flush(): { doc: string; seq: number; url: string; drained: boolean } {
  way ??= last;
  return { doc: documentId, seq: sequence, url: location.href, drained: drain() };
}

const refs = new WeakMap<Element, number>();
let refCount = 0;

export function refOf(el: Element): number {
  let ref = refs.get(el);
  if (!ref) {
    refs.set(el, (ref = ++refCount));
    byRef.set(ref, new WeakRef(el));
    left.register(el, ref);
  }
  return ref;
}

const byRef = new Map<number, WeakRef<Element>>();

/** Numbers of elements that are no more are forgotten: some pages draw everything again with each key. */
const left = new FinalizationRegistry<number>((ref) => byRef.delete(ref));

/** The element of a number that was told, for the engine to look at. */
export function elementOf(ref: number): Element | null {
  return byRef.get(ref)?.deref() ?? null;
}
