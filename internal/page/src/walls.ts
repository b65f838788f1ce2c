// What may stand in the way of an automation and wants a person: a check that
// somebody is human, a sign-in, a question for consent. These are the rules, all of
// them. They are asked only when a step has failed, to say why.

import { inConsent } from "./consent";
import { deepElementFromPoint, eachRoot, isVisible } from "./dom";
import { autocompleteOf } from "./sensitive";

export interface Wall {
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

/** Types of fields that nobody types into. */
const NOT_TYPED = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

/** What is in the way, if any of this is; frames are the addresses of all frames of the tab. */
export function wall(frames: string[]): Wall | null {
  const check = challenge() ?? widget(frames);
  if (check) return { kind: "human_check", by: check };
  const fields = visibleFields();
  if (fields.some((field) => autocompleteOf(field).includes("one-time-code"))) return { kind: "one_time_code" };
  if (fields.some((field) => field.type === "password") || isAskedForName(fields)) return { kind: "sign_in" };
  return isAskedForConsent() ? { kind: "consent" } : null;
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

function visibleFields(): HTMLInputElement[] {
  const fields: HTMLInputElement[] = [];
  eachRoot(document, (root) => fields.push(...root.querySelectorAll("input")));
  return fields.filter((field) => field.type !== "hidden" && isVisible(field));
}

/** Whether the page wants nothing but the name of an account: many ask for the password after that. */
function isAskedForName(fields: HTMLInputElement[]): boolean {
  const typed = fields.filter((field) => !NOT_TYPED.has(field.type));
  return typed.length === 1 && autocompleteOf(typed[0]!).includes("username");
}

/** Whether a question for consent lies over the middle of the page. */
function isAskedForConsent(): boolean {
  const middle = deepElementFromPoint(innerWidth / 2, innerHeight / 2);
  return middle !== null && inConsent(middle);
}
