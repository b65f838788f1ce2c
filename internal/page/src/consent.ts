// Telling a consent banner: it is there on a first visit and gone on the next,
// so that a step in it must not be needed.

import { composedParent } from "./dom";

/** Names that sites and the large consent managers give to their banners. */
const BANNER = /cookie|consent|gdpr|ccpa|onetrust|didomi|usercentrics|trustarc|cookiebot|quantcast|privacy-(banner|notice|manager)/i;
/** Banners are not nested deeper than this above their buttons. */
const DEEPEST = 12;

/** Whether an element is a part of a consent banner. */
export function inConsent(el: Element): boolean {
  let at: Element | null = el;
  for (let depth = 0; at && depth < DEEPEST; depth++, at = composedParent(at)) {
    if (at === document.body || at === document.documentElement) return false;
    const names = [at.id, at.getAttribute("class"), at.getAttribute("aria-label"), at.getAttribute("aria-labelledby"), at.localName];
    if (names.some((name) => name && BANNER.test(name))) return true;
  }
  return false;
}
