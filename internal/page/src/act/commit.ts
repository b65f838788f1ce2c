// What can be seen of a control that is about to be used, for the engine to judge whether
// that is a commit step: internal/commit weighs it. Nothing is decided here, and no value of
// a field is read.

import { inConsent } from "../describe/blockers";
import { isOfMonth } from "../dom/calendar";
import { isWritten } from "../dom/caret";
import { composedParent, deepActiveElement, fieldOf, idOf, isTextEntry, normalize } from "../dom/elements";
import { nameOf, roleOf } from "../dom/names";
import { noteControls } from "../locate/newest";

export interface CommitEvidence {
  label: string;
  role: string;
  type: string;
  marks: string[];
  icons: string[];
  href: string;
  toggle: boolean;
  dismiss: boolean;
  beside: boolean;
  opens: boolean;
  consent: boolean;
  writes: boolean;
  others: string[];
  method: string;
  action: string;
  search: boolean;
  fields: string[];
  dialog: string;
  alert: boolean;
  sources: string[];
  headings: string;
  near: string;
  path: string;
  title: string;
  lang: string;
}

/** How much is told: a text, a list, a name in it. */
const MUCH = 600;
const MANY = 30;
const LONG = 80;

const DIALOG = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[popover],[class*=modal i],[class*=dialog i],[class*=popover i],[class*=popup i]";
const CARD = "tr,li,article,fieldset,form,section,aside,[role=row],[role=listitem],[role=form],[role=region],[role=group],[class*=card i],[class*=panel i],[class*=item i],[class*=box i]";
const FIELD = "input:not([type=submit],[type=image],[type=button],[type=reset],[type=hidden]),textarea,select,[contenteditable=''],[contenteditable=true],[role=textbox]";
const ICON = "svg,use,i,img,[class*=icon i],[data-icon],[data-lucide],[data-feather]";
const SUBMITS = "button:not([type]),button[type=''],button[type=submit],input[type=submit],input[type=image]";
/** Names of hidden fields whose value says what a form does. */
const OPERATION = /^_?(?:method|action|op|operation|cmd|command|intent|task|do|event)$/i;

/** The evidence of what a press on the element uses. */
export function commitEvidence(el: Element): CommitEvidence {
  const control = controlOf(el);
  const form = formOf(control);
  const sends = form !== null && control.matches(SUBMITS);
  const within = (selector: string) => closest(control, selector);
  const dialog = dialogOf(control);
  const scope = form ?? dialog ?? cardOf(control);
  return {
    label: saysOf(el),
    role: roleOf(control),
    type: control instanceof HTMLButtonElement || control instanceof HTMLInputElement ? control.type : "",
    marks: [...marksOf(control), ...(sends && form ? operationsOf(form) : [])].slice(0, MANY),
    icons: [control, ...control.querySelectorAll(ICON)].slice(0, MANY).flatMap((one) => (one === control ? iconOfControl(one) : iconsOf(one))),
    href: leadsTo(control),
    toggle: control.matches("[aria-pressed],[aria-checked],[role=switch],[role=checkbox],[role=radio],[role=tab],input[type=checkbox],input[type=radio]") || isOfMonth(control, (day) => normalize(day.textContent)),
    dismiss: dismisses(control),
    beside: !sends && form !== null && control.matches("button,input[type=button]") && form.querySelector(SUBMITS) !== null,
    opens: control.matches("[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],summary,[popovertarget],[data-bs-toggle],[data-toggle]"),
    consent: inConsent(control),
    writes: !control.matches(CONTROL) && isWritten(el) && (isTextEntry(el) || !fieldOf(el)),
    others: othersOf(control, scope),
    method: sends && form ? methodOf(control, form) : "",
    action: form ? actionOf(control, form) : "",
    search: within("search,[role=search]") !== null,
    fields: scope ? fieldsOf(scope) : [],
    dialog: dialog ? textOf(dialog) : "",
    alert: dialog?.getAttribute("role") === "alertdialog",
    sources: dialog ? [...dialog.querySelectorAll(ICON)].filter((one) => !one.closest("button,a,[role=button]")).slice(0, MANY).flatMap(iconsOf) : [],
    headings: headingsOf(scope),
    near: nearOf(control, scope),
    path: pathOf(location.href),
    title: document.title.slice(0, LONG),
    lang: (within("[lang]") as HTMLElement | null)?.lang ?? "",
  };
}

/** The evidence of what a key that is about to be pressed uses where the focus is; none where it only types or moves. */
export function keyed(key: string, el?: Element): { evidence?: CommitEvidence; within?: boolean; focused: boolean } {
  if (key === "Enter") noteControls(); // as a recording does
  const { control, ...where } = usedByKey(key, el);
  return control ? { ...where, evidence: { ...commitEvidence(control), writes: false } } : where;
}

function formOf(control: Element): HTMLFormElement | null {
  const own = (control as HTMLButtonElement).form;
  return own instanceof HTMLFormElement ? own : (closest(control, "form") as HTMLFormElement | null);
}

function closest(el: Element, selector: string): Element | null {
  for (let at: Element | null = el; at; at = composedParent(at)) if (at.matches(selector)) return at;
  return null;
}

/** The dialog around a control; not a page that is called one. */
function dialogOf(control: Element): Element | null {
  const found = closest(control.parentElement ?? control, DIALOG);
  return found && found !== document.body && found !== document.documentElement ? found : null;
}

/** The card, row or section around a control that says more than it does. */
function cardOf(control: Element): Element | null {
  const own = (control.textContent ?? "").length;
  for (let at = composedParent(control); at && at !== document.documentElement; at = composedParent(at)) {
    const all = (at.textContent ?? "").length;
    if (all > own + 3 && (at.matches(CARD) || at === document.body || at.localName === "main")) return all <= 4 * MUCH ? at : null;
  }
  return null;
}

function nearOf(control: Element, scope: Element | null): string {
  const at = scope && scope.contains(control) ? scope : cardOf(control);
  return at ? textOf(at) : "";
}

/** The labels of the buttons that a control stands with. */
function othersOf(control: Element, scope: Element | null): string[] {
  const at = scope ?? cardOf(control) ?? document.body;
  return [...at.querySelectorAll("button,input[type=submit],input[type=button],[role=button]")].filter((one) => one !== control).slice(0, MANY).map((one) => saysOf(one).slice(0, LONG));
}

function textOf(el: Element): string {
  return normalize(el instanceof HTMLElement ? el.innerText : el.textContent).slice(0, MUCH);
}

function headingsOf(scope: Element | null): string {
  const within = scope ?? document;
  const all = [...within.querySelectorAll("h1,h2,h3,h4,legend,caption,[role=heading]")].slice(0, 4).map((one) => one.textContent);
  const name = scope && (scope.getAttribute("aria-label") || scope.hasAttribute("aria-labelledby")) ? nameOf(scope) : "";
  return normalize([name, ...all].join(" ")).slice(0, MUCH / 2);
}

/** Where a link leads; one that stays, or has a handler of its own, is a button in all but name. */
function leadsTo(control: Element): string {
  if (!(control instanceof HTMLAnchorElement) || !control.hasAttribute("href") || control.hasAttribute("onclick") || control.getAttribute("role") === "button") return "";
  const path = pathOf(control.href);
  return path === pathOf(location.href) && control.hash !== "" ? "" : path;
}

/** What its author calls a control: in English, whatever the page's language. */
function marksOf(control: Element): string[] {
  const marks = [idOf(control), control.getAttribute("name"), /^\s*(?:return\s+)?(?!fetch\b)([\w.]+)\(/.exec(control.getAttribute("onclick") ?? "")?.[1], ...control.classList];
  if (control instanceof HTMLButtonElement) marks.push(control.value);
  for (const [name, value] of Object.entries((control as HTMLElement).dataset ?? {})) marks.push(name, value);
  return marks.filter((mark): mark is string => !!mark && mark.length <= LONG);
}

function operationsOf(form: HTMLFormElement): string[] {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]")].filter((one) => OPERATION.test(one.name) && one.value.length < LONG).map((one) => one.value);
}

function iconOfControl(control: Element): string[] {
  const names = [control.getAttribute("data-icon"), control instanceof HTMLInputElement && control.type === "image" ? file(control.src) : ""];
  return names.filter((name): name is string => !!name);
}

function iconsOf(icon: Element): string[] {
  const use = icon.getAttribute("href") ?? icon.getAttribute("xlink:href") ?? "";
  const src = icon instanceof HTMLImageElement ? file(icon.src) : "";
  const names = [
    ...icon.classList, idOf(icon), use.split("#")[1], icon.getAttribute("data-icon"), icon.getAttribute("data-lucide"), icon.getAttribute("data-feather"), icon.getAttribute("name"),
    icon.getAttribute("data-testid"), icon.getAttribute("aria-label"), icon.getAttribute("title"), icon.getAttribute("alt"), src, icon.localName === "svg" ? icon.querySelector("title")?.textContent : "",
  ];
  return names.filter((name): name is string => !!name && name.length <= LONG);
}

/** The name of a picture's file. */
function file(address: string): string {
  return address.startsWith("data:") ? "" : (address.split(/[?#]/)[0] ?? "").split("/").pop() ?? "";
}

function dismisses(control: Element): boolean {
  const value = control.getAttribute("value") ?? "";
  return (
    (control as HTMLButtonElement).formMethod === "dialog" && control.hasAttribute("formmethod") ||
    control.matches("[type=reset],[data-dismiss],[data-bs-dismiss],[popovertargetaction=hide]") ||
    control.localName === "button" && /^(?:cancel|close|no|back|dismiss)$/i.test(value)
  );
}

function methodOf(control: Element, form: HTMLFormElement): string {
  return (control.getAttribute("formmethod") || form.getAttribute("method") || "get").toLowerCase();
}

function actionOf(control: Element, form: HTMLFormElement): string {
  const own = control.getAttribute("formaction");
  return pathOf(new URL(own || form.getAttribute("action") || location.href, document.baseURI).href);
}

/** An address without what may be private: its path, and what a query says that it does. */
function pathOf(address: string): string {
  try {
    const url = new URL(address, document.baseURI);
    if (url.protocol !== "http:" && url.protocol !== "https:") return "";
    const operations = [...url.searchParams].filter(([name]) => OPERATION.test(name)).map(([, value]) => "/" + value.slice(0, LONG));
    return (url.pathname + operations.join("")).slice(0, MUCH);
  } catch {
    return "";
  }
}

/** The fields of a form, by what they are called: never by what they hold. */
function fieldsOf(scope: Element): string[] {
  const all = [...scope.querySelectorAll(FIELD)].slice(0, MANY);
  return all.map((one) => {
    const kind = one.localName === "input" ? (one as HTMLInputElement).type : one.localName === "textarea" || one.localName === "select" ? one.localName : "editable";
    const names = ["name", "id", "autocomplete", "placeholder", "aria-label"].map((name) => one.getAttribute(name) ?? "");
    const labels = [...((one as HTMLInputElement).labels ?? [])].map((label) => label.textContent);
    return normalize([kind, ...names, ...labels].join(" ")).slice(0, 2 * LONG);
  });
}

/** Longer texts speak of what is done, and are not what does it. */
const LONGEST_LABEL = 200;

const MUCH_TEXT = 2000;

const CONTROL = "button,a[href],summary,input[type=submit],input[type=image],input[type=button],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[onclick]";

/** What the control says that a press on the element uses. */
export function saysOf(el: Element): string {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at instanceof HTMLLabelElement && at.control && at.control !== el) return saysOf(at.control);
    if (!at.matches(CONTROL)) continue;
    const says = lines(nameOf(at), shown(at));
    if (says || at === el) return says;
    break; // all of a page or a card is its control: what it shows at this place tells more
  }
  return isWritten(el) ? "" : lines(shown(el));
}

/** The control that a press on the element uses: itself where there is none around it. */
function controlOf(el: Element): Element {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (at instanceof HTMLLabelElement && at.control && at.control !== el) return at.control;
    if (!at.matches(CONTROL)) continue;
    return at === el || lines(nameOf(at), shown(at)) ? at : el;
  }
  return el;
}

/** The control that a key uses where the focus is: Enter in a field stands for the form's button. */
function usedByKey(key: string, el = deepActiveElement()): { control?: Element; within?: boolean; focused: boolean } {
  const focused = document.hasFocus();
  if (el instanceof HTMLIFrameElement) return { focused, within: true };
  if (!el || (key !== "Enter" && key !== " ")) return { focused };
  if (el.matches(CONTROL) || el.matches("[type=checkbox],[type=radio]")) return { control: el, focused };
  if (key !== "Enter") return { focused };
  const form = (el as HTMLInputElement).form;
  const button = el instanceof HTMLInputElement && form ? buttonOf(form) : undefined;
  return { control: button ?? el, focused };
}

/** The button that Enter presses in a form: the first that submits it, in the order of the tree. */
function buttonOf(form: HTMLFormElement): Element | undefined {
  const root = form.getRootNode() as Document | ShadowRoot;
  return [...root.querySelectorAll<HTMLButtonElement | HTMLInputElement>("button,input")].find((one) => one.form === form && (one.type === "submit" || one.type === "image"));
}

function shown(el: Element): string {
  if ((el.textContent ?? "").length > MUCH_TEXT) return ""; // not even looked at
  return normalize(el instanceof HTMLInputElement ? el.value : el instanceof HTMLElement ? el.innerText : el.textContent);
}

function lines(...texts: string[]): string {
  return [...new Set(texts.filter((text) => text && text.length <= LONGEST_LABEL))].join("\n");
}
