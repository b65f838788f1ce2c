// What may block an automation and needs the user: a check that there is a human, a
// sign-in, a question for consent. These are the rules, all of them; they are asked
// when a step has failed, for the reason, and while one waits for its element. Consent banners are also marked while recording:
// one is there on a first visit and gone on the next, so a step in it must be optional.

import { autocompleteOf, composedContains, composedParent, deepElementFromPoint, eachRoot, elementsIn, idOf, inOnePass, isVisible, normalize, perPass, shadowOf } from "../dom/elements";
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
  { by: "", url: /^https:\/\/[^?#]*captcha(?!.*size=invisible)/i },
];

/** The least that a check shows of itself, in CSS pixels: what is smaller is a badge. */
const LEAST_WIDTH = 200;
const LEAST_HEIGHT = 50;

/** Types of fields that take no typing, or type what no one is asked for by a blocker. */
const NOT_TYPED = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "search", "submit"]);

/**
 * Returns what blocks the page, if any of this does. Frames are the addresses of all frames of the tab, and there
 * those of the frames that the page is there for. Where the step may still come to what it waits for, only what the page is there for
 * counts: many pages have a sign-in at their top, or a check in a form at their end.
 */
export function blocker(frames: string[], there: string[], mayCome: boolean): Blocker | null {
  return inOnePass(() => {
    const check = challenge() ?? (mayCome ? widgetOf(there) : widget(frames));
    if (check !== undefined) return { kind: "human_check", by: check };
    const over = overlay();
    const fields = typedFields().filter(isVisible);
    const counts = (el: Element | undefined) => el !== undefined && (!mayCome || isThereFor(el, over));
    if (counts(askedForPicture(fields)) || counts(drawnCheck(mayCome && !over && fields.length > 0))) return { kind: "human_check" };
    if (counts(askedForCode(fields, over))) return { kind: "one_time_code" };
    if (counts(askedToSignIn(fields, over, mayCome))) return { kind: "sign_in" };
    return spoken(fields, over);
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
/** That something was sent, or is shown by an app: what a short field next to it is for. */
const SENT = /\b(sent|texted|e-?mailed)\b|authenticator|gesendet|geschickt|envoy[eé]|enviad|enviamos|inviat|отправ|已发送|發送|送信|보냈|أرسل/i;
/** That the user is to allow something on another device, and that it was told so. */
const PUSH = /(sent|send) .{0,40}(notification|prompt|push|link)|approv(e|ing) (the|this|your|it)\b|\b(app|smartphone|handy|mobiltelefon|gerät).{0,80}(bestätigen|freigeben|genehmigen|geben sie .{0,40}frei)|(approuvez|confirmez|validez) .{0,60}(application|t[eé]l[eé]phone|appareil|mobile)|(application|t[eé]l[eé]phone|appareil|mobile).{0,60}(approuvez|confirmez|validez)|(aprueb\S+|aprov[ea]\S*|confirm[ae]) .{0,60}(tel[eé]fono|aplicaci[oó]n|m[oó]vil|celular|aplicativo)|подтвердите .{0,60}(телефон|приложени|устройств)|(手机|手機).{0,30}(确认|批准|允许)|(スマートフォン|アプリ).{0,30}(承認|確認)|وافق .{0,40}هاتفك/i;
const PASSKEY = /(use|insert|touch|with) (a|your) (passkey|security key)|(passkey|sicherheitsschlüssel|clé (d'accès|de sécurité)|llave de (acceso|seguridad)|パスキー|通行密钥) .{0,40}(verwenden|utiliser|usar|使)/i;
const CONSENT = /cookie|consent|gdpr|privacy|datenschutz|privatsph[aä]re|zustimmung|vie priv[eé]e|privacida|конфиденц|隐私|隱私|プライバシー|الخصوصية|(^|\W)(16|18|21)\W{1,2}(years|or (older|over)|jahre|ans\b|a[nñ]os|anni|лет)|(over|least|older than|mindestens|über|plus de|mayor de|maior de|старше) (16|18|21)\b|满 ?(16|18)|(16|18|20) ?(岁|歳)|verify your age/i;
/** What is to be agreed to before anything else. */
const TERMS = /\bterms\b|agreement|nutzungsbedingungen|\bagb\b|conditions|condiciones|t[eé]rminos|termos|услови|соглашени|条款|協議|协议|規約|الشروط|authori[sz]e|(wants|would like|möchte|souhaite|quiere|deseja) .{0,60}(access|zugreifen|acc[eé]de|acessa)/i;
/** What says yes to that. */
const YES = /^(i |yes|ja\b|oui|s[ií]\b|sim\b|да(?!\p{L})|はい|是|نعم|ok\b|okay|got it|accept|agree|allow|consent|continue|enter|authori[sz]e|alles? akzept|akzept|zustimm|einverstanden|annehmen|tout accepter|accepte|j'accepte|continuer|acept|aceit|permit|concord|принять|соглас|разреш|同意|接受|允许|許可|すべて|承|موافق|قبول|accett|akceptuj|godk)/iu;
const IDLE = /still (there|here|working|watching)\b|your session (has )?end|session.{0,40}(about to end|will end|expir|time[sd]? ?out)|continue (your )?session|sitzung.{0,40}(läuft|abgelaufen|beendet)|noch da\?|(sesi[oó]n|sess[aã]o|sessione).{0,40}(expir|caduc|cerrar|encerr|scad)|sigues ah[ií]|toujours l[aà]|ainda est[aá]|(сесси|сеанс)\S*.{0,40}(ист[её]к|заверш)|セッション.{0,20}切れ|(会话|登录|會話).{0,12}(过期|失效|超时|逾時)|세션.{0,20}만료|جلس\S*.{0,40}(انته|صلاحي)/i;
const DENIED = /too many requests|rate limit(ed| exceeded| reached)|access (to this page )?(is |has been )?denied|temporarily (blocked|unavailable)|unusual traffic|(you|account|access|ip).{0,20}(been |is |was )(temporarily )?(blocked|locked|suspended|restricted|banned)|zugriff verweigert|zu viele anfragen|(konto|zugang|zugriff).{0,30}gesperrt|acc[eè]s (refus|interdit)|trop de requ|compte.{0,30}(bloqu|suspend)|acceso denegado|demasiadas (solicitudes|peticiones)|cuenta.{0,30}bloque|acesso (negado|bloqueado)|muitas (solicita|requisi)|conta.{0,30}bloque|слишком много (запросов|попыток)|доступ.{0,20}(запрещ|ограничен|заблок)|(аккаунт|учётная запись).{0,30}заблок|请求过于频繁|访问被拒绝|账[号户].{0,12}(锁定|冻结)|アクセスが?(拒否|制限)|リクエストが多すぎ|ロックされ|تم (حظر|رفض)/i;
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

/** The field for a code where the page wants nothing else: by its words, by what was sent, or a box for each digit. */
function askedForCode(fields: HTMLInputElement[], over: Element | null): HTMLInputElement | undefined {
  const named = fields.find((field) => autocompleteOf(field).includes("one-time-code"));
  const [field] = fields;
  if (named || !field) return named;
  if (fields.length >= 4 && fields.length <= 10 && fields.every((box) => box.maxLength === 1)) return field;
  if (fields.length !== 1 || field.type === "password" || field.type === "email" || autocompleteOf(field).some((kind) => kind.startsWith("cc-"))) return undefined;
  const isShort = (field.maxLength >= 4 && field.maxLength <= 8) || field.inputMode === "numeric";
  const said = over ? textOf(over) : textOf(document.body);
  return CODE.test(wordsOf(field)) || (isShort && (CODE.test(headings(false).join(" \n ")) || (said.length < LITTLE_TEXT && SENT.test(said)))) ? field : undefined;
}

/** The field of a sign-in. Many ask for the name of an account alone, and for the password after that. */
function askedToSignIn(fields: HTMLInputElement[], over: Element | null, mayCome: boolean): HTMLInputElement | undefined {
  const passwords = fields.filter((field) => field.type === "password");
  const [password] = passwords;
  if (password) {
    // Two passwords, or a new one, are for an account that is being made or changed.
    const purpose = purposeOf(password, over);
    const isOther = passwords.length > 1 || passwords.some((field) => autocompleteOf(field).includes("new-password")) || (REGISTER.test(purpose) && !SIGN_IN.test(purpose));
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
  return picture && block && fields.some((one) => one.type === "text" && block.contains(one)) ? picture : undefined;
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

/** What lies over the middle of the page: a dialog, or a layer that has less in it than there is beneath, as a page that is laid out in layers has not. */
function overlay(): Element | null {
  const all = textOf(document.body).length;
  let found: Element | null = null;
  for (let at = deepElementFromPoint(innerWidth / 2, innerHeight / 2); at && at !== document.body && at !== document.documentElement; at = composedParent(at)) {
    if (at.matches(DIALOG) || (isLayer(at) && textOf(at).length * (isNamedConsent(at) ? 1.1 : 2) < all)) found = at;
  }
  return found;
}

/** Whether an element is laid over the page, and is no part of its flow. */
function isLayer(el: Element): boolean {
  const { position, zIndex } = getComputedStyle(el);
  return position === "fixed" || (position === "absolute" && (Number(zIndex) > 0 || isNamedConsent(el)));
}

/** The blocker that the page names in words: in what lies over it, or as all that it says. */
function spoken(fields: HTMLInputElement[], over: Element | null): Blocker | null {
  const within = over ?? document.body;
  const said = textOf(within);
  if (!within || fields.some((field) => !over || composedContains(over, field))) return null;
  const presses = seen(within, "button,[role=button],input[type=submit],input[type=button],a,[role=link]").map(nameOf);
  if (over) {
    if (inConsent(deepElementFromPoint(innerWidth / 2, innerHeight / 2) ?? over) || ((CONSENT.test(said) || TERMS.test(said)) && presses.some((name) => YES.test(name)))) return { kind: "consent" };
    return IDLE.test(said.slice(0, LITTLE_TEXT)) ? { kind: "idle" } : null;
  }
  if (said.length >= LITTLE_TEXT) return null;
  const all = headings(false);
  const foremost = headings(true);
  if (all.some((head) => SIGN_IN_ALONE.test(head)) && (presses.length > 0 || seen(within, "img,canvas,svg").length > 0)) return { kind: PUSH.test(said) ? "one_time_code" : "sign_in" };
  if (PUSH.test(said) || foremost.some((head) => PASSKEY.test(head))) return { kind: "one_time_code" };
  if (foremost.some((head) => DENIED.test(head))) return { kind: "denied" };
  if (foremost.some((head) => IDLE.test(head))) return { kind: "idle" };
  return all.some((head) => CONSENT.test(head) || TERMS.test(head)) && presses.some((name) => YES.test(name)) ? { kind: "consent" } : null;
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
  return textOf(document.body).length - textOf(box).length < LITTLE_TEXT;
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
