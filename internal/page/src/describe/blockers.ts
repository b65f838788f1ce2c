// What may block an automation and needs the user: a check that there is a human, a
// sign-in, a question for consent. These are the rules, all of them; they are asked
// when a step has failed, for the reason, and while one waits for its element. Consent banners are also marked while recording:
// one is there on a first visit and gone on the next, so a step in it must be optional.

import { autocompleteOf, composedContains, composedParent, deepElementFromPoint, eachRoot, elementsIn, idOf, inOnePass, isVisible, normalize, perPass, shadowOf } from "../dom/elements";
import { nameOf } from "../dom/names";

interface Blocker {
  kind: "human_check" | "sign_in" | "one_time_code" | "consent" | "covered" | "denied" | "dead_end";
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
  { by: "", url: /^https:\/\/[^?#]*captcha(?!.*size=invisible)/i },
];

/** The least that a check shows of itself, in CSS pixels: what is smaller is a badge. */
const LEAST_WIDTH = 200;
const LEAST_HEIGHT = 50;

/** The most characters that a field for a code takes. */
const MOST_OF_CODE = 8;

/** The sizes of a picture of letters to be typed, which is wider than it is high, in CSS pixels: what is smaller is an icon. */
const PICTURE = { minWidth: 50, maxWidth: 320, minHeight: 20, maxHeight: 120, minRatio: 1.5 };

/** The most links of a page that one cannot go on from: home, help, back. */
const MOST_LINKS = 3;

/** The most elements that are looked at for whether a layer lies over them. */
const MOST_BENEATH = 60;

/** As many rows make a table that is read, and is no layout of a form. */
const LEAST_ROWS = 3;

/** Answers of a server that refuses a page. One that is not found is no matter for a person, and some sites serve their pages as such. */
const isRefusal = (status: number): boolean => status >= 400 && status !== 404 && status !== 410;

/** Types of fields that take no typing, or type what no one is asked for by a blocker. */
const NOT_TYPED = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "search", "submit"]);

/**
 * Returns what blocks the page, if any of this does. Frames are the addresses of all frames of the tab, and there
 * those of the frames that the page is there for. Where the step may still come to what it waits for, only what the page is there for
 * counts: many pages have a sign-in at their top, or a check in a form at their end. Where the page has stood for long without
 * what the step waits for, its structure is enough, whatever it says in whatever language.
 */
export function blocker(frames: string[], there: string[], mayCome: boolean, stands: boolean): Blocker | null {
  return inOnePass(() => {
    const check = challenge() ?? (mayCome ? widgetOf(there) : widget(frames));
    if (check !== undefined) return { kind: "human_check", by: check };
    const over = overlay();
    const fields = typedFields().filter(isVisible);
    const counts = (el: Element | undefined) => el !== undefined && (!mayCome || isThereFor(el, over));
    if (counts(askedForPicture(fields)) || counts(drawnCheck(mayCome && !over && fields.length > 0))) return { kind: "human_check" };
    if (counts(askedForCode(fields, over, stands))) return { kind: "one_time_code" };
    if (counts(askedToSignIn(fields, over, mayCome))) return { kind: "sign_in" };
    return spoken(fields, over) ?? (stands ? standing(fields, over) : null);
  });
}

// What pages say when they want someone, in the languages that most sites have. The words count only where a field, a dialog or a
// page that says little else goes with them: a text about them is none.

/** What a sign-in is called, at its head or on what sends it. */
const SIGN_IN = /\b(sign|log)[ -]?(in|on)\b|anmelde|einlogg|connexion|connecte[rz]|identifiez|inicia\S* sesi[oó]n|\baccedi\b|\bentrar\b|acess\S+ sua conta|inloggen|logga in|log ind|logg inn|zaloguj|kirjaudu|přihl[aá]|войти|войдите|вход|увійти|giriş yap|oturum aç|登录|登入|ログイン|로그인|تسجيل الدخول/i;
/** The same as all that a heading says, where there is no field: as a noun, or in the middle, it is of something else. */
const SIGN_IN_ALONE = /^(please )?(sign|log) ?(in|on)\b(?!-)|^choose an account|^(bitte )?(anmelden|einloggen)|\banmelden$|^connexion|^(se )?connecte[rz]|^identifiez|^inicia\S* sesi[oó]n|^acess\S+ sua conta|^войти|^войдите|^вход|登录$|^登录|^登入|ログイン$|^ログイン|로그인$|تسجيل الدخول$/i;
const REGISTER = /\b(sign|join)[ -]?up\b|\bregist|(create|open|set up) .{0,20}account|konto (erstellen|anlegen|eröffnen)|inscri|cr[eé]er .{0,20}compte|cre?ar .{0,20}c(ue|o)nta|cadastr|регистр|注册|註冊|登録|가입|حساب جديد|إنشاء حساب/i;
const ACCOUNT = /user|login|account|e-?mail|phone|kennung|benutzer|telefon|identifiant|usuario|usu[aá]rio|utente|correo|courriel|gebruiker|konto|логин|почт|телефон|用户|账号|手机|アカウント|아이디|هاتف|البريد/i;
const CODE = /\botp\b|totp|\b(2|m)fa\b|one[-_ ]?time|\b(m|sms|push)?tan\b|(verification|verify|authenticat\w+|login|sms) ?(code|pin)\b|\d[- ]?(digit|stellig\S+|chiffres) code|c[oó]digo de (verificaci[oó]n|seguridad|confirmaci[oó]n|verifica[cç][aã]o|seguran[cç]a)|code de (v[eé]rification|s[eé]curit[eé]|confirmation)|(best[aä]tigungs|sicherheits|einmal)-?(code|kennwort|passwort)|codice di (verifica|sicurezza)|код (подтверждения|из)|驗證碼|验证码|認証コード|確認コード|인증 ?(번호|코드)|رمز (التحقق|التأكيد)/i;
/** A part of an address or of a number, as pages say to where they have sent a code. */
const MASKED = /[*•·x]{2,}[^\p{L}\s]{0,2}(@|\d{2,4}(?!\d))|\w[*•·]{2,}\w?@/iu;
/** An address by which an account is known. */
const ADDRESS = /[^\s@]@[^\s@]+\.[^\s@]/;
/** That the user is to allow something on another device, and that it was told so. */
const PUSH = /(sent|send) .{0,40}(notification|prompt|push|link)|approv(e|ing) (the|this|your|it)\b|\b(app|smartphone|handy|mobiltelefon|gerät).{0,80}(bestätigen|freigeben|genehmigen|geben sie .{0,40}frei)|(approuvez|confirmez|validez) .{0,60}(application|t[eé]l[eé]phone|appareil|mobile)|(application|t[eé]l[eé]phone|appareil|mobile).{0,60}(approuvez|confirmez|validez)|(aprueb\S+|aprov[ea]\S*|confirm[ae]) .{0,60}(tel[eé]fono|aplicaci[oó]n|m[oó]vil|celular|aplicativo)|подтвердите .{0,60}(телефон|приложени|устройств)|(手机|手機).{0,30}(确认|批准|允许)|(スマートフォン|アプリ).{0,30}(承認|確認)|وافق .{0,40}هاتفك/i;
const PASSKEY = /(use|insert|touch|with) (a|your) (passkey|security key)|(passkey|sicherheitsschlüssel|clé (d'accès|de sécurité)|llave de (acceso|seguridad)|パスキー|通行密钥) .{0,40}(verwenden|utiliser|usar|使)/i;
const CONSENT = /cookie|consent|gdpr|privacy|datenschutz|privatsph[aä]re|zustimmung|vie priv[eé]e|privacida|конфиденц|隐私|隱私|プライバシー|الخصوصية|(^|\W)(16|18|21)\W{1,2}(years|or (older|over)|jahre|ans\b|a[nñ]os|anni|лет)|(over|least|older than|mindestens|über|plus de|mayor de|maior de|старше) (16|18|21)\b|满 ?(16|18)|(16|18|20) ?(岁|歳)|verify your age/i;
/** What is to be agreed to before anything else. */
const TERMS = /\bterms\b|agreement|nutzungsbedingungen|\bagb\b|conditions|condiciones|t[eé]rminos|termos|услови|соглашени|条款|協議|协议|規約|الشروط|authori[sz]e|(wants|would like|möchte|souhaite|quiere|deseja) .{0,60}(access|zugreifen|acc[eé]de|acessa)/i;
/** What says yes to that. */
const YES = /^(i |yes|ja\b|oui|s[ií]\b|sim\b|да(?!\p{L})|はい|是|نعم|ok\b|okay|got it|accept|agree|allow|consent|continue|enter|authori[sz]e|alles? akzept|akzept|zustimm|einverstanden|annehmen|tout accepter|accepte|j'accepte|continuer|acept|aceit|permit|concord|принять|соглас|разреш|同意|接受|允许|許可|すべて|承|موافق|قبول|accett|akceptuj|godk)/iu;
const ROBOT = /(not|aren't) an? (ro)?bot|(are|am|you're) (a )?human|kein robo|ein mensch|pas un robot|(eres|soy|um) (humano|un robot|robô)|не робот|ロボットでは|不是机器人|真人|لست روبوت/i;

/** The words by which a field is known: its label, its names and its hint. */
function wordsOf(field: HTMLInputElement): string {
  return [nameOf(field), field.name, idOf(field), field.placeholder].join(" ").replace(/[_-]/g, " ");
}

/** All of a page, or of a part of it, that a selector matches and that can be seen, shadow roots included. */
function seen(within: Element | Document, selector: string): HTMLElement[] {
  const found: HTMLElement[] = [];
  eachRoot(document, (root) => found.push(...[...root.querySelectorAll<HTMLElement>(selector)].filter((el) => (within === document || composedContains(within as Element, el)) && isVisible(el))));
  return found;
}

/** What a page says that it is, its title first: all of its headings, or the foremost. */
function headings(foremost: boolean): string[] {
  return [document.title, ...seen(document, foremost ? "h1,[role=heading][aria-level='1']" : "h1,h2,[role=heading]").slice(0, 20).map((el) => normalize(el.textContent).slice(0, 200))];
}

/** What the form of a field, or what lies over the page with it, says that it is for. */
function purposeOf(field: HTMLInputElement, over: Element | null): string {
  const form = field.form ?? over;
  const heads = over ? seen(over, "h1,h2,h3,h4,h5,[role=heading]").map((el) => el.textContent) : headings(false);
  const presses = form ? seen(form, field.form ? "button:not([type=button]),input[type=submit]" : "button,[role=button]") : [];
  return [...heads, ...presses.map(nameOf)].join(" \n ");
}

/** The field for a code where the page wants nothing else: by its words, by where the code was sent, by another way to get one, or a box for each digit. */
function askedForCode(fields: HTMLInputElement[], over: Element | null, stands: boolean): HTMLInputElement | undefined {
  const named = fields.find((field) => autocompleteOf(field).includes("one-time-code"));
  const [field] = fields;
  if (named || !field) return named;
  if (fields.length >= 4 && fields.length <= 10 && fields.every((box) => box.maxLength === 1)) return field;
  if (fields.length !== 1 || field.type === "password" || field.type === "email" || autocompleteOf(field).some((kind) => kind.startsWith("cc-"))) return undefined;
  const isShort = (field.maxLength >= 4 && field.maxLength <= MOST_OF_CODE) || field.inputMode === "numeric";
  const said = over ? textOf(over) : textOf(document.body);
  return CODE.test(wordsOf(field)) || (isShort && (CODE.test(headings(false).join(" \n ")) || (said.length < LITTLE_TEXT && (MASKED.test(said) || (stands && hasOtherWay(field)))))) ? field : undefined;
}

/** Whether next to a field there is more to press than what sends it, as what sends a code again. */
function hasOtherWay(field: HTMLInputElement): boolean {
  const form = field.form ?? field.parentElement;
  const box = form?.parentElement && form.parentElement !== document.body ? form.parentElement : form;
  return box !== null && seen(box, `${BUTTON},a[href]`).length > 1;
}

/** A sign-in asks for no more: who and where one is, a password and a code. */
const MOST_ASKED = 4;

/** The field of a sign-in. Many ask for the name of an account alone, and for the password after that. */
function askedToSignIn(fields: HTMLInputElement[], over: Element | null, mayCome: boolean): HTMLInputElement | undefined {
  const passwords = fields.filter((field) => field.type === "password");
  const [password] = passwords;
  if (password) {
    // Two passwords, a new one, or one among much else, are for an account that is being made or changed.
    const purpose = purposeOf(password, over);
    const isOther = passwords.length > 1 || fields.length > MOST_ASKED || passwords.some((field) => autocompleteOf(field).includes("new-password")) || (REGISTER.test(purpose) && !SIGN_IN.test(purpose));
    return mayCome && isOther ? undefined : password;
  }
  const [field, code] = fields;
  if (!field || fields.length > 2 || (code && !CODE.test(wordsOf(code)))) return undefined;
  if (autocompleteOf(field).includes("username")) return field;
  return (field.type === "email" || field.type === "tel" || ACCOUNT.test(wordsOf(field))) && SIGN_IN.test(purposeOf(field, over)) ? field : undefined;
}

const CAPTCHA = /captcha/i;

/** What shows letters to be typed: a field for those, or the picture of them. */
function askedForPicture(fields: HTMLInputElement[]): Element | undefined {
  const field = fields.find((one) => CAPTCHA.test(wordsOf(one)));
  if (field) return field;
  const picture = seen(document, "img,canvas,svg").find((el) => CAPTCHA.test([el.getAttribute("alt"), el.getAttribute("src")?.slice(0, 300), idOf(el), el.getAttribute("class"), el.getAttribute("aria-label")].join(" ")));
  const block = picture?.closest("form,[role=dialog]") ?? picture?.parentElement;
  if (picture && block && fields.some((one) => one.type === "text" && block.contains(one))) return picture;
  const [short] = fields;
  if (fields.length !== 1 || !short?.form || short.type !== "text" || short.maxLength < 1 || short.maxLength > MOST_OF_CODE) return undefined;
  return seen(short.form, "img,canvas").find(looksLikeLetters);
}

/** Whether a picture has the size of one that shows letters to be typed. */
function looksLikeLetters(picture: Element): boolean {
  const { width, height } = picture.getBoundingClientRect();
  return width >= PICTURE.minWidth && width <= PICTURE.maxWidth && height >= PICTURE.minHeight && height <= PICTURE.maxHeight && width >= height * PICTURE.minRatio;
}

/** A check that a page draws itself, or the place of a widget that has not come yet; where there are fields to fill in it is a part of their form. */
function drawnCheck(hasFields: boolean): Element | undefined {
  if (hasFields) return undefined;
  for (const el of seen(document, "[class*=captcha i],[id*=captcha i],[class*=geetest i],.cf-turnstile")) {
    const { width, height } = el.getBoundingClientRect();
    const isPlace = el.matches(".g-recaptcha,.h-captcha,.cf-turnstile") || el.querySelector("iframe,canvas,img,svg,button,[role=slider]");
    if (isPlace && width >= LEAST_WIDTH && height >= LEAST_HEIGHT && el.getAttribute("data-size") !== "invisible" && !el.closest("[class*=badge]")) return el;
  }
  const presses = seen(document, "input[type=checkbox],[role=checkbox],button,[role=button]");
  return presses.find((el) => ROBOT.test(nameOf(el))) ?? (headings(true).some((said) => ROBOT.test(said)) ? presses[0] : undefined);
}

/** Dialogs, of the browser and drawn by the page. */
const DIALOG = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]";

/** As much text as a page has around what it is there for. */
const LITTLE_TEXT = 600;

/** What can be pressed. */
const BUTTON = "button,[role=button],input[type=submit],input[type=button]";

/** What is written in, apart from fields. */
const WRITTEN_IN = "textarea,[contenteditable=''],[contenteditable=true],[role=textbox]";

/** What lies over the middle of the page: a dialog, or a layer with something beneath it, as layers side by side have not. */
function overlay(): Element | null {
  let found: Element | null = null;
  for (let at = deepElementFromPoint(innerWidth / 2, innerHeight / 2); at && at !== document.body && at !== document.documentElement; at = composedParent(at)) {
    if (at.matches(DIALOG) || (isLayer(at) && hidesPage(at))) found = at;
  }
  return found;
}

/** Whether an element is laid over the page, and is no part of its flow. */
function isLayer(el: Element): boolean {
  const { position, zIndex } = getComputedStyle(el);
  return position === "fixed" || (position === "absolute" && (Number(zIndex) > 0 || isNamedConsent(el)));
}

/** Whether there is something of the page beneath a layer. */
function hidesPage(layer: Element): boolean {
  const rest = seen(document, "h1,h2,h3,p,li,td,a,button,input,img").filter((el) => !composedContains(layer, el) && !composedContains(el, layer));
  return rest.slice(0, MOST_BENEATH).some((el) => {
    const { left, top, width, height } = el.getBoundingClientRect();
    const hit = deepElementFromPoint(left + width / 2, top + height / 2);
    return hit !== null && composedContains(layer, hit);
  });
}

/** The blocker that the page names in words: in what lies over it, or as all that it says. */
function spoken(fields: HTMLInputElement[], over: Element | null): Blocker | null {
  const within = over ?? document.body;
  const said = textOf(within);
  if (!within || fields.some((field) => !over || composedContains(over, field))) return null;
  if (!over && seen(document, WRITTEN_IN).length > 0) return null;
  const presses = pressesIn(within);
  if (over) {
    const isConsent = inConsent(deepElementFromPoint(innerWidth / 2, innerHeight / 2) ?? over) || ((CONSENT.test(said) || TERMS.test(said)) && presses.some((name) => YES.test(name)));
    return isConsent ? { kind: "consent" } : null;
  }
  if (said.length >= LITTLE_TEXT) return isRefused() && !hasMore(presses.length) ? { kind: "denied" } : null;
  const all = headings(false);
  const foremost = headings(true);
  if (all.some((head) => SIGN_IN_ALONE.test(head)) && (presses.length > 0 || seen(within, "img,canvas,svg").length > 0)) return { kind: PUSH.test(said) || showsNumber() ? "one_time_code" : "sign_in" };
  if (PUSH.test(said) || foremost.some((head) => PASSKEY.test(head))) return { kind: "one_time_code" };
  if (isRefused()) return { kind: "denied" };
  return all.some((head) => CONSENT.test(head) || TERMS.test(head)) && presses.some((name) => YES.test(name)) ? { kind: "consent" } : null;
}

/**
 * The blocker that a page is by its structure alone, which counts only where it has stood for long: something lies over the
 * page, or the page wants one answer, or has nothing to go on with.
 */
function standing(fields: HTMLInputElement[], over: Element | null): Blocker | null {
  const within = over ?? document.body;
  const presses = pressesIn(within);
  if (over) {
    if (fields.filter((field) => composedContains(over, field)).length > 1 || seen(over, `${WRITTEN_IN},input[type=search],[role=search]`).length > 0) return null;
    const asks = fields.every((field) => !composedContains(over, field)) && presses.length > 1 && presses.some((name) => YES.test(name));
    return asks ? { kind: "consent" } : presses.length > 0 || seen(over, "iframe").length > 0 ? { kind: "covered" } : null;
  }
  if (fields.length > 0 || seen(document, WRITTEN_IN).length > 0 || isBusy()) return null;
  if (textOf(within).length < LITTLE_TEXT) {
    if (listsAccounts()) return { kind: "sign_in" };
    if (asksToDecide() || asksForBirth()) return { kind: "consent" };
  }
  return hasMore(presses.length) ? null : { kind: "dead_end" };
}

/** The names of all that can be pressed or followed within an element. */
function pressesIn(within: Element): string[] {
  return seen(within, `${BUTTON},a,[role=link]`).map(nameOf);
}

/** Whether the server has refused the page, whatever it says about that. */
function isRefused(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation !== undefined && isRefusal(navigation.responseStatus);
}

/** Whether a page has more than a message, and a few links away from it. */
function hasMore(presses: number): boolean {
  const said = textOf(document.body).length;
  return said === 0 || said >= 2 * LITTLE_TEXT || presses > MOST_LINKS || seen(document, `${BUTTON},input,select,iframe,video,table,article,[role=menuitem],[role=tab]`).length > 0;
}

/** Whether the page shows that it is at work. */
function isBusy(): boolean {
  return seen(document, "[role=progressbar],[role=status],progress,[aria-busy=true]").length > 0 || document.getAnimations().some((one) => one.playState === "running");
}

/** Whether a number stands alone that is to be typed, or recognized, on another device. */
function showsNumber(): boolean {
  return seen(document, "div,span,b,strong,p,h2,h3").filter((el) => el.childElementCount === 0 && /^\d{2,3}$/.test(normalize(el.textContent)) && !el.closest("li,td,a,button,nav")).length === 1;
}

/** Whether a page lists accounts to go on with, by their addresses. */
function listsAccounts(): boolean {
  const accounts = seen(document, "li a:not([href^='mailto:']),li button,li [role=link],li [role=button],[role=option],[role=listitem] [role=button]");
  return accounts.some((el) => ADDRESS.test(el.textContent ?? "") && !el.closest("nav,header,[role=menu]"));
}

/** Whether a form wants yes or no: it is sent by buttons of one name with another value each. */
function asksToDecide(): boolean {
  return seen(document, "form").some((form) => {
    const sends = seen(form, "button:not([type=button]),input[type=submit]") as HTMLButtonElement[];
    return sends.length === 2 && sends[0]!.name !== "" && sends[0]!.name === sends[1]!.name && sends[0]!.value !== sends[1]!.value;
  });
}

/** Whether a page wants a date of birth, and nothing else: one of its few choices is of years, the latest of them first or last. */
function asksForBirth(): boolean {
  const choices = seen(document, "select") as HTMLSelectElement[];
  if (choices.length < 2 || choices.length > 3) return false;
  return choices.some((one) => autocompleteOf(one).some((kind) => kind.startsWith("bday")) || areYearsToNow([...one.options]));
}

function areYearsToNow(options: HTMLOptionElement[]): boolean {
  const years = options.map((option) => option.text.trim()).filter((text) => /^(19|20)\d\d$/.test(text)).map(Number);
  return years.length > 1 && years.length >= options.length - 1 && Math.max(...years) <= new Date().getFullYear();
}

/** Returns the address of a frame that the page is there for, null for any other: what blocks that blocks the page. One with fields of its own can be used without. */
export function frameThereFor(frame: Element): { url: string } | null {
  const { width, height } = frame.getBoundingClientRect();
  if (!isVisible(frame) || width < LEAST_WIDTH || height < LEAST_HEIGHT) return null;
  const over = inOnePass(overlay);
  const is = over && composedContains(over, frame) ? true : isThereFor(frame, over) && !typedFields().some(isVisible);
  return is ? { url: (frame as HTMLIFrameElement).src ?? "" } : null;
}

/** Whether an element, with the form that it is in, is what the page is there for, or lies over it. */
function isThereFor(el: Element, over: Element | null): boolean {
  if (over && composedContains(over, el)) return true;
  const box = el.closest("form") ?? el.parentElement ?? el;
  if (hasContents(box)) return false;
  return textOf(document.body).length - textOf(box).length < LITTLE_TEXT;
}

/** Whether a page has something of its own next to a form: an article, or a table that is read. */
function hasContents(form: Element): boolean {
  const isApart = (el: Element) => !composedContains(el, form) && !composedContains(form, el);
  return seen(document, "article,table,[role=grid]").some((el) => isApart(el) && (el.localName === "article" || el.querySelectorAll("tr,[role=row]").length >= LEAST_ROWS));
}

const texts = perPass<Element, string>();

/** What of an element can be read, shadow roots included. */
function textOf(el: Element | null): string {
  if (!el) return "";
  return texts(el, () => {
    const within = shadowOf(el);
    const parts = within ? elementsIn(within).map(textOf) : [];
    parts.push((el as HTMLElement).innerText ?? "");
    for (const host of el.querySelectorAll("*")) {
      if (shadowOf(host)) parts.push(...elementsIn(shadowOf(host)!).map(textOf));
    }
    return parts.join("\n").trim();
  });
}

/** Whether this document is one that checks whether there is a human. */
export function isHumanCheck(): boolean {
  return WIDGETS.some(({ url }) => url.test(location.href)) || challenge() !== undefined;
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
  return widgetOf([...seen.keys(), ...frames].filter((url) => seen.get(url) ?? true)); // one that is not seen here is in a closed root
}

function widgetOf(addresses: string[]): string | undefined {
  return WIDGETS.find(({ url }) => addresses.some((address) => url.test(address)))?.by;
}

function typedFields(): HTMLInputElement[] {
  const fields: HTMLInputElement[] = [];
  eachRoot(document, (root) => fields.push(...root.querySelectorAll("input")));
  return fields.filter((field) => !NOT_TYPED.has(field.type));
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
    if (isNamedConsent(at)) return true;
  }
  return false;
}

function isNamedConsent(el: Element): boolean {
  return [idOf(el), el.getAttribute("class"), el.getAttribute("aria-label"), el.getAttribute("aria-labelledby"), el.localName].some((name) => name && BANNER.test(name));
}
