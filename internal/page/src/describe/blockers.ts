// What may block an automation and needs the user: a check that there is a human, a
// sign-in, a question for consent. These are the rules, all of them; they are asked
// when a step has failed, for the reason, and while one waits for its element. Consent banners are also marked while recording:
// one is there on a first visit and gone on the next, so a step in it must be optional.

import { autocompleteOf, composedParent, deepElementFromPoint, eachRoot, idOf, isVisible, normalize } from "../dom/elements";
import { nameOf } from "../dom/names";

interface Blocker {
  kind: "human_check" | "sign_in" | "one_time_code" | "consent" | "idle" | "denied";
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
  const puzzle = drawnCheck();
  if (puzzle && (!mayCome || isThereFor(puzzle))) return { kind: "human_check" };
  const fields = typedFields().filter(isVisible);
  const code = fields.find((field) => autocompleteOf(field).includes("one-time-code")) ?? askedForCode(fields);
  if (code && (!mayCome || isThereFor(code))) return { kind: "one_time_code" };
  const name = askedForName(fields);
  const passwords = fields.filter((field) => field.type === "password");
  const signIn = passwords[0] ?? name;
  // Two passwords, or a new one, are for an account that is being made or changed.
  const isOther = passwords.length > 1 || passwords.some((field) => autocompleteOf(field).includes("new-password"));
  if (signIn && (!mayCome || (!isOther && isThereFor(signIn)))) return { kind: "sign_in" };
  if (isAskedForConsent()) return { kind: "consent" };
  return spoken(fields.length === 0);
}

// What pages say when they want someone. The words count only where a field, a dialog or a page that says little
// else goes with them: a text about them is none.
const SIGN_IN = /\b(sign|log)[ -]?(in|on)\b|anmelde|einlogg|connexion|se connecter|identifiez|inicia\w* sesi[oó]n|\baccedi\b|\bentrar\b|inloggen|logga in|log ind|logg inn|zaloguj|kirjaudu|přihl[aá]|войти|вход|увійти|giriş yap|oturum aç|登录|登入|ログイン|로그인|تسجيل الدخول/i;
const ACCOUNT = /user|login|account|e-?mail|kennung|benutzer|identifiant|usuario|utente|correo|courriel|gebruiker|konto|логин|почт|用户|账号|アカウント|아이디/i;
const CODE = /\botp\b|totp|\b(2|m)fa\b|one[-_ ]?time|(verification|verify|authenticat\w+|security|login|sms|confirmation|access)[-_ ]?(code|pin)\b|c[oó]digo de (verificaci[oó]n|seguridad|confirmaci[oó]n)|code de (v[eé]rification|s[eé]curit[eé]|confirmation)|(best[aä]tigungs|sicherheits|einmal)-?(code|kennwort|passwort)|codice di (verifica|sicurezza)|c[oó]digo de (verifica[cç][aã]o|segurança)|код (подтверждения|из)|驗證碼|验证码|認証コード|確認コード|인증 ?(번호|코드)/i;
const PUSH = /(approve|confirm|accept) (the|this|your) (sign|log)[ -]?in|authenticator app|check your (phone|device)|(anmeldung|anfrage) .*best[aä]tigen|approuve\w* (la|cette) (demande|connexion)/i;
const CONSENT = /cookie|consent|your privacy|gdpr|datenschutz|vie priv[eé]e|privacidad|privacy|\b(over|at least|older than|[uü]ber) (16|18|21)\b|\b(16|18|21) (or (older|over)|years)|verify your age|файлы? cookie/i;
const IDLE = /(are you|still) there\b|session (is about to|will|has) (expire|end|time)|continue (your )?session|still (working|watching)|sitzung .*(l[aä]uft|abgelaufen)|session .*expir/i;
const DENIED = /too many requests|rate.?limit|access (to this page )?(is |has been )?denied|temporarily (blocked|unavailable)|unusual (traffic|activity)|you have been blocked|zugriff verweigert|acc[eè]s refus[eé]|acceso denegado/i;

/** The words by which a field is known: its label, its names and its hint. */
function wordsOf(field: HTMLInputElement): string {
  return [nameOf(field), field.name, idOf(field), field.placeholder].join(" ").replace(/[_-]/g, " ");
}

/** What a page says it is: its title, its headings, and what presses a form. */
function headings(form: Element | null): string {
  const all = [...document.querySelectorAll("h1,h2,[role=heading]"), ...(form?.querySelectorAll("button,input[type=submit]") ?? [])];
  return [document.title, ...all.filter(isVisible).slice(0, 20).map((el) => (el instanceof HTMLInputElement ? el.value : normalize(el.textContent).slice(0, 200)))].join(" \n ");
}

/** The field for a code where the page wants nothing else: by its words, or a box for each digit. */
function askedForCode(fields: HTMLInputElement[]): HTMLInputElement | undefined {
  const [first] = fields;
  if (!first) return undefined;
  if (fields.length >= 4 && fields.length <= 10 && fields.every((field) => field.maxLength === 1)) return first;
  return fields.length === 1 && first.type !== "password" && (CODE.test(wordsOf(first)) || (first.maxLength >= 4 && first.maxLength <= 8 && CODE.test(headings(null)))) ? first : undefined;
}

/** A check that a page draws itself: a picture to be typed, or the place of a widget that has not come yet. */
function drawnCheck(): Element | undefined {
  for (const el of document.querySelectorAll(".g-recaptcha,.h-captcha,.cf-turnstile")) {
    const { width, height } = el.getBoundingClientRect();
    if (isVisible(el) && width >= LEAST_WIDTH && height >= LEAST_HEIGHT && el.getAttribute("data-size") !== "invisible") return el;
  }
  const picture = [...document.querySelectorAll("img,canvas,svg")].find((el) => isVisible(el) && /captcha/i.test([el.getAttribute("alt"), el.getAttribute("src")?.slice(0, 300), idOf(el), el.getAttribute("class"), el.getAttribute("aria-label")].join(" ")));
  return picture?.closest("form,[role=dialog],div,main,body")?.querySelector("input") ? picture : undefined;
}

/** The dialog over the middle of the page. */
function dialogOver(): Element | null {
  return deepElementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(DIALOG) ?? null;
}

/** The blocker that the page names in words: in the dialog over it, or as all that it says. */
function spoken(noFields: boolean): Blocker | null {
  const dialog = dialogOver();
  if (dialog) {
    const text = ((dialog as HTMLElement).innerText ?? "").slice(0, 3 * LITTLE_TEXT);
    if (dialog.querySelector("button,[role=button],a") && CONSENT.test(text)) return { kind: "consent" };
    if (IDLE.test(text)) return { kind: "idle" };
  }
  const said = document.body?.innerText ?? "";
  if (said.length >= LITTLE_TEXT || !noFields) return null;
  if (PUSH.test(said)) return { kind: "one_time_code" };
  if (DENIED.test(headings(null))) return { kind: "denied" };
  return IDLE.test(headings(null)) ? { kind: "idle" } : null;
}

/** Whether the page is there for a frame: what blocks that blocks the page. One with fields of its own can be used without. */
export function isFrameThereFor(frame: Element): boolean {
  const { width, height } = frame.getBoundingClientRect();
  if (!isVisible(frame) || width < LEAST_WIDTH || height < LEAST_HEIGHT) return false;
  return isThereFor(frame) && (frame.closest(DIALOG) !== null || !typedFields().some(isVisible));
}

/** Dialogs, of the browser and drawn by the page. */
const DIALOG = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]";

/** As much text as a page has around what it is there for. */
const LITTLE_TEXT = 600;

/** Whether an element, with the form or dialog that it is in, is what the page is there for. */
function isThereFor(el: Element | undefined): boolean {
  if (!el) return false;
  const dialog = el.closest(DIALOG);
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
  const [field] = fields;
  if (fields.length !== 1 || !field) return undefined;
  const isNamed = autocompleteOf(field).includes("username");
  return isNamed || ((field.type === "email" || ACCOUNT.test(wordsOf(field))) && SIGN_IN.test(headings(field.form))) ? field : undefined;
}

/** Whether a question for consent lies over the middle of the page. */
function isAskedForConsent(): boolean {
  const middle = deepElementFromPoint(innerWidth / 2, innerHeight / 2);
  return middle !== null && inConsent(middle) && liesOver(middle);
}

/** Whether an element is in something that lies over the page, and is no part of its flow. */
function liesOver(el: Element): boolean {
  for (let at: Element | null = el; at && at !== document.body; at = composedParent(at)) {
    if (at.localName === "dialog" || /^(fixed|absolute|sticky)$/.test(getComputedStyle(at).position)) return true;
  }
  return false;
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
