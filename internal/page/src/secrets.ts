// What the engine tells a document of its secrets, and what follows from that.

import { watchCarrying } from "./carry";
import type { Hashes } from "./pieces";
import { rememberPieces } from "./sensitive";

/** Notes pieces of secrets that this document may show; null where there are none. */
export function guardSecrets(secrets: Hashes | null): void {
  if (!secrets) return;
  rememberPieces(secrets);
  watchCarrying();
}
