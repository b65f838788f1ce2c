// What may block an automation and needs the user: a check that there is a human, a
// sign-in, a question for consent. These are the rules, all of them; they are asked
// when a step has failed, for the reason, and while one waits for its element. Consent banners are also marked while recording:
// one is there on a first visit and gone on the next, so a step in it must be optional.

import { autocompleteOf, composedParent, deepElementFromPoint, eachRoot, idOf, isVisible } from "../dom/elements";

interface Blocker {
  kind: "human_check" | "sign_in" | "one_time_code" | "consent";
  by?: string; // whose check it is
}

/** Checks that take the place of the whole page. */
const CHALLENGES: { by: string; title?: RegExp; element?: string }[] = [
  { by: "Cloudflare", title: /^(just a moment|attention required)/i, element: "#challenge-form,#challenge-running,#challenge-stage,#cf-challenge-running,script[src*='/cdn-cgi/challenge-platform/']" },
  { by: "DataDome", element: "iframe[src*='captcha-delivery.com']" },
  { by: "HUMAN", element: "#px-captcha" },
  { by: "AWS WAF", element: "#captcha-container script[src*='awswaf'],#challenge-container script[src*='awswaf']" },
  { by: "Imperva", element: "iframe[src*='_Incapsula_Resource']" },
  { by: "Google", element: "form#captcha-form" },
];

/** Checks that stand within a page, by the address of their frame. */
const WIDGETS: { by: string; url: RegExp }[] = [
  { by: "Cloudflare Turnstile", url: /^https:\/\/challenges\.cloudflare\.com\// },
  { by: "hCaptcha", url: /^https:\/\/([a-z0-9-]+\.)*hcaptcha\.com\// },
  { by: "reCAPTCHA", url: /^https:\/\/(www\.)?(google\.com|recaptcha\.net)\/recaptcha\/(api2|enterprise)\/(anchor|bframe)(?!.*size=invisible)/ },
  { by: "Arkose", url: /^https:\/\/([a-z0-9-]+\.)*(arkoselabs|funcaptcha)\.com\// },
  { by: "GeeTest", url: /^https:\/\/([a-z0-9-]+\.)*geetest\.com\// },
];

/** The least that a check shows of itself, in CSS pixels: what is smaller is a badge. */
const LEAST_WIDTH = 200;
const LEAST_HEIGHT = 50;

/** Types of fields that take no typing. */
const NOT_TYPED = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"]);

/**
 * Returns what blocks the page, if any of this does; frames are the addresses of all frames of the tab.
 * Where the step may still come to what it waits for, only what the page is there for counts: many pages
 * have a sign-in at their top, or a check in a form at their end.
 */
export function blocker(frames: string[], mayCome: boolean): Blocker | null {
  const whole = challenge();
  const check = whole ?? widget(frames);
  if (check && (whole || !mayCome || isThereFor(widgetFrame()))) return { kind: "human_check", by: check };
  const fields = typedFields().filter(isVisible);
  const code = fields.find((field) => autocompleteOf(field).includes("one-time-code"));
  if (code && (!mayCome || isThereFor(code))) return { kind: "one_time_code" };
  const name = askedForName(fields);
  const passwords = fields.filter((field) => field.type === "password");
  const signIn = passwords[0] ?? name;
  // Two passwords, or a new one, are for an account that is being made or changed.
  const isOther = passwords.length > 1 || passwords.some((field) => autocompleteOf(field).includes("new-password"));
  if (signIn && (!mayCome || (!isOther && isThereFor(signIn)))) return { kind: "sign_in" };
  return isAskedForConsent() ? { kind: "consent" } : null;
}

/** As much text as a page has around what it is there for. */
const LITTLE_TEXT = 600;

/** Whether an element, with the form or dialog that it is in, is what the page is there for. */
function isThereFor(el: Element | undefined): boolean {
  if (!el) return false;
  const dialog = el.closest("dialog,[role=dialog],[role=alertdialog],[aria-modal=true]");
  const box = dialog ?? el.closest("form") ?? el.parentElement ?? el;
  const middle = deepElementFromPoint(innerWidth / 2, innerHeight / 2);
  if (dialog && middle && dialog.contains(middle)) return true;
  const around = textLength(document.body) - textLength(box);
  return around < LITTLE_TEXT;
}

/** How much text of an element can be seen, in characters. */
function textLength(el: Element): number {
  return (el as HTMLElement).innerText?.length ?? 0;
}

/** Whether this document is one that checks whether there is a human. */
export function isHumanCheck(): boolean {
  return WIDGETS.some(({ url }) => url.test(location.href)) || challenge() !== undefined;
}

/** The frame of a check that stands within the page, where it is seen from here. */
function widgetFrame(): Element | undefined {
  let found: Element | undefined;
  eachRoot(document, (root) => {
    for (const frame of root.querySelectorAll("iframe")) {
      if (WIDGETS.some(({ url }) => url.test(frame.src)) && isVisible(frame)) found = frame;
    }
  });
  return found;
}

function challenge(): string | undefined {
  return CHALLENGES.find(({ title, element }) => title?.test(document.title) || (element && [...document.querySelectorAll(element)].some((el) => el instanceof HTMLScriptElement || isVisible(el))))?.by;
}

function widget(frames: string[]): string | undefined {
  const seen = new Map<string, boolean>(); // address → whether it shows enough of itself
  eachRoot(document, (root) => {
    for (const frame of root.querySelectorAll("iframe")) {
      const { width, height } = frame.getBoundingClientRect();
      seen.set(frame.src, isVisible(frame) && width >= LEAST_WIDTH && height >= LEAST_HEIGHT);
    }
  });
  const known = [...seen.keys(), ...frames].filter((url) => seen.get(url) ?? true); // one that is not seen here is in a closed root
  return WIDGETS.find(({ url }) => known.some((address) => url.test(address)))?.by;
}

function typedFields(): HTMLInputElement[] {
  const fields: HTMLInputElement[] = [];
  eachRoot(document, (root) => fields.push(...root.querySelectorAll("input")));
  return fields.filter((field) => !NOT_TYPED.has(field.type));
}

/** The field for the name of an account where the page wants nothing else: many ask for the password after that. */
function askedForName(fields: HTMLInputElement[]): HTMLInputElement | undefined {
  const named = fields.find((field) => autocompleteOf(field).includes("username"));
  return fields.length === 1 ? named : undefined;
}

/** Whether a question for consent lies over the middle of the page. */
function isAskedForConsent(): boolean {
  const middle = deepElementFromPoint(innerWidth / 2, innerHeight / 2);
  return middle !== null && inConsent(middle);
}

/** Names that sites and the large consent managers give to their banners. */
const BANNER = /cookie|consent|gdpr|ccpa|onetrust|didomi|usercentrics|trustarc|cookiebot|quantcast|privacy-(banner|notice|manager)/i;
/** Banners are not nested deeper than this above their buttons. */
const BANNER_DEPTH = 12;

/** Whether an element is a part of a consent banner. */
export function inConsent(el: Element): boolean {
  let at: Element | null = el;
  for (let depth = 0; at && depth < BANNER_DEPTH; depth++, at = composedParent(at)) {
    if (at === document.body || at === document.documentElement) return false;
    const names = [idOf(at), at.getAttribute("class"), at.getAttribute("aria-label"), at.getAttribute("aria-labelledby"), at.localName];
    if (names.some((name) => name && BANNER.test(name))) return true;
  }
  return false;
}
