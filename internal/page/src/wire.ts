// Messages to the engine outside. What cannot be sent yet is kept: the way out
// is laid a moment after a document begins.

/** The function by which the engine hears this document; it exists in this world only. */
const BINDING = "__repriseSend";

type Outside = Record<string, unknown>;
const outside = globalThis as unknown as Outside;

const documentId = crypto.getRandomValues(new Uint32Array(2)).join("-");
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
  if (typeof binding !== "function") return false;
  for (const line of waiting.splice(0)) (binding as (line: string) => void)(line);
  return true;
}

/** Sends what is waiting, and says how many events there have been. */
export function flush(): { doc: string; seq: number; drained: boolean } {
  return { doc: documentId, seq: sequence, drained: drain() };
}
