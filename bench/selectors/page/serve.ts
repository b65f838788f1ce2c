import { Arena } from "./arena";
import type { Contestant } from "./contestant";
import { KINDS } from "./kinds";

/** Puts the arena where the harness outside finds it. */
export function serve(contestants: Contestant[]): void {
  const make = (seed: string, names: string[]) => new Arena(contestants.filter((c) => !names.length || names.includes(c.name.toLowerCase())), seed);
  const kinds = () => KINDS.map(({ name, gone, before }) => ({ name, gone: gone ?? false, before: before !== undefined }));
  (globalThis as unknown as { selbench: unknown }).selbench = { make, kinds, settled };
}

/** How long a page must have rested to be measured on, and how long it may take to: some never do. */
const RESTED_MS = 400;
const LONGEST_MS = 4000;

/** Waits until the page has loaded and changes no more. */
function settled(): Promise<boolean> {
  return new Promise((resolve) => {
    let since = performance.now();
    const started = since;
    const observer = new MutationObserver(() => { since = performance.now(); });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    const timer = setInterval(() => {
      const now = performance.now();
      const rests = document.readyState === "complete" && now - since > RESTED_MS;
      if (!rests && now - started < LONGEST_MS) return;
      clearInterval(timer);
      observer.disconnect();
      resolve(rests);
    }, 50);
  });
}
