// Code generated from src by `make generate`. DO NOT EDIT.
"use strict";
(() => {
  // src/dom/elements.ts
  var isAnswering = false;
  var remembered = [];
  function inOnePass(answer) {
    if (isAnswering) return answer();
    isAnswering = true;
    try {
      return answer();
    } finally {
      isAnswering = false;
      for (const known2 of remembered) known2.clear();
    }
  }
  function perPass() {
    const known2 = /* @__PURE__ */ new Map();
    remembered.push(known2);
    return (key2, findOut) => {
      const before = known2.get(key2);
      if (before !== void 0) return before;
      const found2 = findOut();
      if (isAnswering) known2.set(key2, found2);
      return found2;
    };
  }
  function normalize(text2) {
    return (text2 ?? "").replace(/\s+/g, " ").trim();
  }
  function rootOf(el) {
    const root = el.getRootNode();
    return root instanceof ShadowRoot ? root : el.ownerDocument;
  }
  var closed = /* @__PURE__ */ new WeakMap();
  var anyClosed = false;
  function keepRoot(host, root) {
    closed.set(host, root);
    anyClosed = true;
  }
  function shadowOf(host) {
    return host.shadowRoot ?? (anyClosed ? closed.get(host) ?? null : null);
  }
  function composedParent(el) {
    if (el.assignedSlot) return el.assignedSlot;
    if (el.parentElement) return el.parentElement;
    const root = el.getRootNode();
    return root instanceof ShadowRoot ? root.host : null;
  }
  function composedContains(outer, inner) {
    for (let el = inner; el; el = composedParent(el)) {
      if (el === outer) return true;
    }
    return false;
  }
  function isVisible(el) {
    if (isInert(el)) return false;
    if (!el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
    for (const rect of el.getClientRects()) {
      if (rect.width > 0 && rect.height > 0) return true;
    }
    const display = getComputedStyle(el).display;
    return display === "contents" && [...el.children].some(isVisible);
  }
  function isInert(el) {
    if (el.closest("[inert]")) return true;
    const root = el.getRootNode();
    return root instanceof ShadowRoot && isInert(root.host);
  }
  function deepElementFromPoint(x, y) {
    let root = document;
    let found2 = null;
    for (; ; ) {
      const hit2 = root.elementFromPoint(x, y);
      if (!hit2 || hit2 === found2) return found2;
      found2 = hit2;
      const shadow = shadowOf(hit2);
      if (!shadow) return hit2;
      root = shadow;
    }
  }
  function deepActiveElement() {
    let active = document.activeElement;
    for (; ; ) {
      const inner = active && shadowOf(active)?.activeElement;
      if (!inner) return active;
      active = inner;
    }
  }
  function labelsOf(el) {
    if (!("labels" in el)) return [];
    if (isAnswering && el.isConnected) return labelledIn(el.getRootNode()).get(el) ?? [];
    return [...el.labels ?? []];
  }
  var labelsByRoot = perPass();
  function labelledIn(root) {
    return labelsByRoot(root, () => {
      const labels = /* @__PURE__ */ new Map();
      for (const label of root instanceof Document ? root.getElementsByTagName("label") : root.querySelectorAll("label")) {
        if (label.control) labels.set(label.control, [...labels.get(label.control) ?? [], label]);
      }
      return labels;
    });
  }
  function reaches(hit2, el) {
    return composedContains(el, hit2) || labelsOf(el).some((label) => composedContains(label, hit2));
  }
  function brief(el) {
    const id = el.id ? `#${el.id}` : "";
    const first = el.classList.item(0);
    return `${el.localName}${id}${!id && first ? `.${first}` : ""}`.slice(0, 80);
  }
  var rootsByRoot = perPass();
  function eachRoot(root, visit) {
    for (const one2 of rootsByRoot(root, () => rootsIn(root))) visit(one2);
  }
  function rootsIn(root) {
    const found2 = [root];
    for (const host of hostsIn(root)) found2.push(...rootsIn(shadowOf(host)));
    return found2;
  }
  function hostsIn(root) {
    const hosts2 = [];
    const tags = root instanceof Document && customTags ? [...HOSTS, ...customTags] : ["*"];
    for (const tag of tags) {
      const all = root instanceof Document ? root.getElementsByTagName(tag) : root.querySelectorAll(tag);
      for (let i = 0, length = all.length; i < length; i++) if (shadowOf(all[i])) hosts2.push(all[i]);
    }
    return tags.length > 1 ? hosts2.sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1) : hosts2;
  }
  var HOSTS = /* @__PURE__ */ new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);
  var customTags = null;
  function watchCustoms(on) {
    customTags = on ? /* @__PURE__ */ new Set() : null;
  }
  function noteCustom(el) {
    customTags?.add(el.localName);
  }
  function isInView(el) {
    const rect = el.getBoundingClientRect();
    return rect.top >= 0 && rect.left >= 0 && rect.bottom <= innerHeight && rect.right <= innerWidth;
  }
  function throughParents(x, y, blindly = false) {
    let view = window;
    for (let depth = 0; view !== view.parent; depth++) {
      const owner = frameElementOf(view);
      if (!owner) return { x, y, crossed: true, depth };
      const point = outOf(owner, x, y, blindly);
      if (typeof point === "string") return point;
      ({ x, y } = point);
      view = view.parent;
    }
    return { x, y };
  }
  function outOf(owner, x, y, blindly = false) {
    if (!blindly && !isInView(owner)) owner.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const rect = owner.getBoundingClientRect();
    const box = owner;
    const scale = box.offsetWidth ? rect.width / box.offsetWidth : 1;
    const style = getComputedStyle(owner);
    const px = rect.x + (owner.clientLeft + parseFloat(style.paddingLeft) + x) * scale;
    const py = rect.y + (owner.clientTop + parseFloat(style.paddingTop) + y) * scale;
    if (blindly) return { x: px, y: py };
    const hit2 = hitIn(owner, px, py);
    return hit2 === owner ? { x: px, y: py } : `the frame ${brief(owner)} is ${hit2 ? `covered by ${brief(hit2)}` : "out of view"}`;
  }
  function hitIn(owner, x, y) {
    return owner.getRootNode().elementFromPoint(x, y);
  }
  function frameElementOf(view) {
    try {
      return view.frameElement;
    } catch {
      return null;
    }
  }
  function isField(el) {
    return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el.isContentEditable;
  }
  function fieldOf(el) {
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement) return el;
    return el.isContentEditable ? editingHost(el) : null;
  }
  function editingHost(el) {
    let host = el;
    while (host.parentElement?.isContentEditable) host = host.parentElement;
    return host;
  }
  function valueOf(field) {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
    return field.innerText.replace(/\n$/, "");
  }
  var CHANGES = /* @__PURE__ */ new Set(["checkbox", "radio", "select", "file"]);
  var PICKED = /* @__PURE__ */ new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);
  function kindOf(field) {
    return field instanceof HTMLSelectElement ? "select" : field instanceof HTMLInputElement ? field.type : "text";
  }
  function isTextEntry(el) {
    if (el instanceof HTMLInputElement) return !CHANGES.has(el.type) && !["button", "image", "reset", "submit"].includes(el.type);
    return el instanceof HTMLTextAreaElement || el.isContentEditable;
  }
  function takesLines(el) {
    return el instanceof HTMLTextAreaElement || el.isContentEditable;
  }
  function stateOf(el) {
    return el instanceof HTMLInputElement ? el.checked : el.getAttribute("aria-checked") === "true";
  }
  function disabledWhy(el) {
    if (el.matches(":disabled")) return `${brief(el)} is disabled`;
    if (isInert(el)) return `${brief(el)} is inert`;
    for (let at = el; at; at = composedParent(at)) {
      if (at.getAttribute("aria-disabled") === "true") return `${brief(el)} is disabled`;
    }
    return "";
  }
  function autocompleteOf(el) {
    return (el.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  }
  var FIELDS = "input,textarea,select,[contenteditable]:not([contenteditable=false])";
  function holdsField(el) {
    return el.closest(FIELDS) !== null || el.isContentEditable || el.querySelector(FIELDS) !== null;
  }

  // src/dom/names.ts
  var INPUT_ROLES = {
    button: "button",
    image: "button",
    reset: "button",
    submit: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    email: "textbox",
    password: "textbox",
    tel: "textbox",
    text: "textbox",
    url: "textbox"
  };
  var TAG_ROLES = {
    article: "article",
    aside: "complementary",
    button: "button",
    datalist: "listbox",
    dd: "definition",
    details: "group",
    dialog: "dialog",
    dt: "term",
    fieldset: "group",
    figure: "figure",
    form: "form",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    hr: "separator",
    li: "listitem",
    main: "main",
    math: "math",
    menu: "list",
    meter: "meter",
    nav: "navigation",
    ol: "list",
    optgroup: "group",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    search: "search",
    summary: "button",
    table: "table",
    tbody: "rowgroup",
    td: "cell",
    textarea: "textbox",
    tfoot: "rowgroup",
    th: "columnheader",
    thead: "rowgroup",
    tr: "row",
    ul: "list"
  };
  var ROLE_SELECTORS = {
    button: /* @__PURE__ */ new Set(["input[type=button]", "input[type=image]", "input[type=reset]", "input[type=submit]"]),
    checkbox: /* @__PURE__ */ new Set(["input[type=checkbox]"]),
    combobox: /* @__PURE__ */ new Set(["select", "input[list]"]),
    gridcell: /* @__PURE__ */ new Set(["td"]),
    img: /* @__PURE__ */ new Set(["img", "svg"]),
    link: /* @__PURE__ */ new Set(["a[href]", "area[href]"]),
    listbox: /* @__PURE__ */ new Set(["select"]),
    radio: /* @__PURE__ */ new Set(["input[type=radio]"]),
    region: /* @__PURE__ */ new Set(["section"]),
    rowheader: /* @__PURE__ */ new Set(["th"]),
    searchbox: /* @__PURE__ */ new Set(["input[type=search]"]),
    slider: /* @__PURE__ */ new Set(["input[type=range]"]),
    spinbutton: /* @__PURE__ */ new Set(["input[type=number]"]),
    textbox: /* @__PURE__ */ new Set(["input"])
  };
  for (const [tag, role] of Object.entries(TAG_ROLES)) (ROLE_SELECTORS[role] ??= /* @__PURE__ */ new Set()).add(tag);
  var ROLES = /* @__PURE__ */ new Set([
    ..."alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem".split(" ")
  ]);
  var NAMED_BY_CONTENT = /* @__PURE__ */ new Set([
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "gridcell",
    "heading",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "row",
    "rowheader",
    "switch",
    "tab",
    "tooltip",
    "treeitem"
  ]);
  function implicitRoles(role) {
    return ROLE_SELECTORS[role] ?? [];
  }
  function namedByContent() {
    return new Set([...NAMED_BY_CONTENT].flatMap((role) => [...implicitRoles(role)]));
  }
  function explicitRole(role) {
    return `[role~="${CSS.escape(role)}" i]`;
  }
  function accessible(el) {
    return { role: roleOf(el), name: nameOf(el) };
  }
  function roleOf(el) {
    const given = el.getAttribute("role");
    const explicit = given && given.toLowerCase().split(/\s+/).find((role) => ROLES.has(role));
    if (!explicit) return implicitRole(el);
    if (explicit !== "none" && explicit !== "presentation") return explicit;
    return keepsRole(el) ? implicitRole(el) : "";
  }
  function keepsRole(el) {
    return el.matches("button,input,select,textarea,summary,a[href],area[href],[tabindex],[contenteditable],[aria-label],[aria-labelledby]");
  }
  function implicitRole(el) {
    switch (el.localName) {
      case "a":
      case "area":
        return el.hasAttribute("href") ? "link" : "";
      case "img":
        return el.getAttribute("alt") === "" && !el.matches(NAMED) ? "" : "img";
      case "svg":
        return "img";
      case "input":
        return inputRole(el);
      case "select":
        return el.multiple || el.size > 1 ? "listbox" : "combobox";
      case "section":
        return el.matches(NAMED) ? "region" : "";
      case "td":
        return isInGrid(el) ? "gridcell" : "cell";
      case "th":
        return /^row/i.test(el.getAttribute("scope") ?? "") ? "rowheader" : "columnheader";
      default:
        return TAG_ROLES[el.localName] ?? "";
    }
  }
  var NAMED = "[aria-label],[aria-labelledby],[title]";
  function isInGrid(cell) {
    return cell.closest("table")?.matches("[role=grid],[role=treegrid]") ?? false;
  }
  function inputRole(el) {
    const role = INPUT_ROLES[el.type] ?? "";
    return el.list && (role === "textbox" || role === "searchbox") ? "combobox" : role;
  }
  var names = perPass();
  function nameOf(el) {
    return names(el, () => normalize(compute(el, { visited: /* @__PURE__ */ new Set(), fromContent: false, hidden: false, followed: false })));
  }
  function compute(el, walk2) {
    if (walk2.visited.has(el)) return "";
    walk2.visited.add(el);
    if (walk2.hidden ? NO_WORDS.has(el.localName) : isHidden(el)) return "";
    return byReference(el, walk2) || normalize(el.getAttribute("aria-label")) || native(el, walk2) || allowsContent(el, walk2) && content(el, walk2) || normalize(el.getAttribute("title")) || normalize(el.getAttribute("placeholder")) || normalize(el.getAttribute("aria-placeholder"));
  }
  var NO_WORDS = /* @__PURE__ */ new Set(["script", "style", "noscript", "template"]);
  function isHidden(el) {
    if (el.getAttribute("aria-hidden") === "true") return true;
    return !el.checkVisibility({ visibilityProperty: true }) && !showsContents(el);
  }
  function showsContents(el) {
    const parent = composedParent(el);
    if (!parent || !parent.checkVisibility({ visibilityProperty: true }) && !(parent instanceof HTMLSlotElement)) return false;
    const style = getComputedStyle(el);
    return style.display === "contents" && style.visibility === "visible";
  }
  function byReference(el, walk2) {
    const ids = el.getAttribute("aria-labelledby");
    if (!ids || walk2.followed) return "";
    const root = el.getRootNode();
    return ids.trim().split(/\s+/).map((id) => root.getElementById(id)).filter((ref) => ref !== null).map((ref) => compute(ref, { visited: /* @__PURE__ */ new Set(), fromContent: true, hidden: isHidden(ref), followed: true })).join(" ").trim();
  }
  function isControl(el) {
    return el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement;
  }
  function native(el, walk2) {
    switch (el.localName) {
      case "input":
        return inputName(el, walk2);
      case "button":
      case "meter":
      case "output":
      case "progress":
      case "select":
      case "textarea":
        return byLabels(el, walk2);
      case "area":
      case "img":
        return normalize(el.getAttribute("alt"));
      case "optgroup":
      case "option":
        return normalize(el.getAttribute("label"));
      case "fieldset":
        return byChild(el, "legend", walk2);
      case "figure":
        return byChild(el, "figcaption", walk2);
      case "svg":
        return byChild(el, "title", walk2);
      case "table":
        return byChild(el, "caption", walk2);
      default:
        return "";
    }
  }
  function inputName(el, walk2) {
    const labelled = byLabels(el, walk2);
    if (labelled) return labelled;
    switch (el.type) {
      case "button":
      case "reset":
      case "submit":
        return normalize(el.value) || (el.type === "button" || el.hasAttribute("value") ? "" : el.type === "submit" ? "Submit" : "Reset");
      case "image":
        return normalize(el.alt) || normalize(el.value) || normalize(el.title) || "Submit";
      default:
        return "";
    }
  }
  function byLabels(el, walk2) {
    return labelsOf(el).map((label) => compute(label, { ...walk2, visited: new Set(walk2.visited), fromContent: true })).join(" ").trim();
  }
  function byChild(el, tag, walk2) {
    const child = [...el.children].find((c) => c.localName === tag);
    if (!child) return "";
    return tag === "title" ? normalize(child.textContent) : compute(child, { ...walk2, fromContent: true });
  }
  function allowsContent(el, walk2) {
    return walk2.fromContent && !isControl(el) || NAMED_BY_CONTENT.has(roleOf(el));
  }
  function content(el, walk2) {
    const within2 = { ...walk2, fromContent: true };
    const parts = [];
    for (const node of childNodes(el)) {
      if (node instanceof Text) parts.push(node.data);
      else if (node instanceof Element) parts.push(standsApart(node) ? ` ${compute(node, within2)} ` : compute(node, within2));
    }
    return normalize(parts.join(""));
  }
  function childNodes(el) {
    if (el instanceof HTMLSlotElement) {
      const assigned = el.assignedNodes();
      if (assigned.length) return assigned;
    }
    return el.shadowRoot ? el.shadowRoot.childNodes : el.childNodes;
  }
  function standsApart(el) {
    if (el.localName === "br") return true;
    const { display } = getComputedStyle(el);
    return display !== "inline" && display !== "contents";
  }
  function textStart(node, most) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_CDATA_SECTION);
    let text2 = "";
    while (text2.length < most && walker.nextNode()) text2 += walker.currentNode.data;
    return text2.slice(0, most);
  }
  var NO_TEXT = "script,style,noscript,template,head";
  var BUTTONS = /* @__PURE__ */ new Set(["submit", "button", "reset"]);
  function readable(el) {
    if (el instanceof HTMLInputElement) return BUTTONS.has(el.type) ? el.value : "";
    if (!el.querySelector(NO_TEXT)) return el.textContent;
    return [...el.childNodes].map((node) => node instanceof Text ? node.data : node instanceof Element && !node.matches(NO_TEXT) ? readable(node) : "").join("");
  }
  function patternOf(wanted) {
    const words2 = wanted.split(" ").map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    return new RegExp(words2.join("\\s+"));
  }
  function buttonsSaying(pattern, root) {
    return [...root.querySelectorAll("input")].filter((el) => pattern.test(readable(el)));
  }
  function* textHolders(wanted, within2) {
    const pattern = patternOf(wanted);
    const word = wanted.split(" ").reduce((a, b) => b.length > a.length || DIGIT.test(b) ? b : a);
    for (const el of within2 instanceof Element ? [within2] : within2.children) yield* holdersIn(el, pattern, word);
    yield* buttonsSaying(pattern, within2);
  }
  var DIGIT = /\d/;
  function* holdersIn(el, pattern, word) {
    const text2 = el.textContent;
    if (!text2.includes(word) || !pattern.test(text2) || el.matches(NO_TEXT)) return false;
    let deeper = false;
    for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
      deeper = (yield* holdersIn(child, pattern, word)) || deeper;
    }
    if (deeper) return true;
    if (!pattern.test(readable(el))) return false;
    yield el;
    return true;
  }
  function saysExactly(el, wanted) {
    return normalize(readable(el)) === wanted;
  }
  var NOT_SHOWN = /* @__PURE__ */ new Set(["script", "style", "noscript", "template", "head", "textarea", "select", "datalist", "svg"]);
  function shownText(el, most, without) {
    if (el.localName === "input") return BUTTONS.has(el.type) ? el.value : "";
    const first = el.firstChild;
    if (first?.nodeType === Node.TEXT_NODE && !first.nextSibling) return first.data.slice(0, most);
    let text2 = "";
    for (let node = first; node && text2.length < most; node = node.nextSibling) {
      if (node.nodeType === Node.TEXT_NODE) text2 += node.data;
      else if (node instanceof Element && node !== without && !NOT_SHOWN.has(node.localName) && !node.hasAttribute("contenteditable")) {
        text2 += ` ${shownText(node, most - text2.length, without)} `;
      }
    }
    return text2.slice(0, most);
  }
  var NAMING = ["[aria-label]", "[aria-labelledby]", "[title]", "[placeholder]", "[aria-placeholder]", "[label]"];
  var specialByRoot = perPass();
  function notPlain(selector, root) {
    const known2 = specialByRoot(root, () => /* @__PURE__ */ new Map());
    const before = known2.get(selector);
    if (before) return before;
    const special = /* @__PURE__ */ new Set();
    for (const inner of root.querySelectorAll(`${selector}>*`)) special.add(inner.parentElement);
    for (const el of root.querySelectorAll(`${selector}:is(${NAMING})`)) special.add(el);
    known2.set(selector, special);
    return special;
  }
  function saying(name) {
    const first = name.split(" ", 1)[0] ?? "";
    const last2 = name.slice(name.lastIndexOf(" ") + 1);
    return (text2) => {
      if (text2.length <= name.length) return text2 === name || text2.length === name.length && normalize(text2) === name;
      const trimmed = text2.trim();
      return trimmed.startsWith(first) && trimmed.endsWith(last2) && normalize(trimmed) === name;
    };
  }

  // src/dom/wire.ts
  var BINDING = "__repriseSend";
  var outside = globalThis;
  var way = null;
  var last = null;
  var expected = false;
  var documentId = crypto.getRandomValues(new Uint32Array(2)).join("-");
  var waiting = [];
  var sequence = 0;
  function send(message) {
    put(JSON.stringify(message));
  }
  function sendEvent(event) {
    put(JSON.stringify({ doc: documentId, seq: ++sequence, ...event }));
  }
  function put(line) {
    waiting.push(line);
    drain();
  }
  function drain() {
    const binding = outside[BINDING];
    if (typeof binding !== "function") {
      expect();
      return false;
    }
    for (const line of waiting.splice(0)) binding(line);
    return true;
  }
  function expect() {
    if (expected) return;
    expected = true;
    Object.defineProperty(outside, BINDING, {
      configurable: true,
      get: () => way,
      set: (laid) => {
        way = last = laid;
        queueMicrotask(() => send({ type: "here" }));
      }
    });
  }
  function leave() {
    last = outside[BINDING];
    way = null;
    expected = false;
    expect();
  }
  function flush() {
    way ??= last;
    return { doc: documentId, seq: sequence, url: location.href, drained: drain() };
  }
  var refs = /* @__PURE__ */ new WeakMap();
  var refCount = 0;
  function refOf(el) {
    let ref = refs.get(el);
    if (!ref) {
      refs.set(el, ref = ++refCount);
      byRef.set(ref, new WeakRef(el));
      left.register(el, ref);
    }
    return ref;
  }
  var byRef = /* @__PURE__ */ new Map();
  var left = new FinalizationRegistry((ref) => byRef.delete(ref));
  function elementOf(ref) {
    return byRef.get(ref)?.deref() ?? null;
  }

  // src/secret/pieces.ts
  var PIECE = 6;
  var SHORTEST = 3;
  function newKey() {
    const [a = 1, b = 1] = crypto.getRandomValues(new Uint32Array(2));
    return [(a | 1) >>> 0, (b | 1) >>> 0];
  }
  function read(text2, view) {
    const points = [];
    for (const char of text2) {
      const code = char.codePointAt(0);
      if (code < 128) {
        if (code >= 65 && code <= 90) points.push(code + 32);
        else if (code >= 97 && code <= 122 || code >= 48 && code <= 57 || view === "joined" && code > 32 && code !== 127) points.push(code);
        continue;
      }
      for (const letter of char.normalize("NFKC").toLowerCase()) {
        const plain = LOOK_ALIKES.get(letter) ?? letter;
        if ((view === "folded" ? LETTER : SHOWN).test(plain)) points.push(plain.codePointAt(0));
      }
    }
    return points;
  }
  var LOOK_ALIKES = new Map(
    "аaвbсcԁdеeһhіiјjкkмmнhоoрpѕsтtуyхxαaεeιiκkνvοoρpτtυuχx".match(/../gu)?.map((pair) => [pair[0], pair[1]])
  );
  var LETTER = /[\p{L}\p{Nd}]/u;
  var SHOWN = /[^\s\p{Cc}\p{Cf}\p{Mn}]/u;
  var Index = class {
    constructor(key2) {
      this.key = key2;
    }
    key;
    sets = { folded: /* @__PURE__ */ new Map(), joined: /* @__PURE__ */ new Map() };
    get isEmpty() {
      return this.sets.folded.size === 0 && this.sets.joined.size === 0;
    }
    /** Adds hashes of the same key. */
    add(hashes) {
      for (const view of VIEWS) {
        for (const [length, all] of Object.entries(hashes[view] ?? {})) for (const one2 of all) this.put(view, Number(length), one2);
      }
    }
    /** Adds the pieces of a secret: as it is, and as addresses and selectors have it. Those of a short one are found whole. */
    addSecret(secret) {
      for (const [view, text2] of formsOf(secret)) {
        const points = read(text2, view);
        this.roll(points, PIECE, (hash2) => (this.put(view, PIECE, hash2), false));
      }
    }
    /** Adds the pieces of a secret as programs write it: backwards, in base64 and in hexadecimal digits. */
    addEncoded(secret) {
      for (const [view, text2, length] of encodedForms(secret)) this.roll(read(text2, view), length, (hash2) => (this.put(view, length, hash2), false));
    }
    /** Adds a secret that is too short for pieces: it is found whole. */
    addShort(secret) {
      const points = read(secret, "joined");
      if (points.length >= SHORTEST && points.length < PIECE) this.roll(points, points.length, (hash2) => (this.put("joined", points.length, hash2), false));
    }
    /** All hashes of this index among random ones, so that their number tells nothing of how long a secret is. */
    padded() {
      const fill = (view) => Object.fromEntries(LENGTHS[view].map((length) => [length, padded(this.sets[view].get(length) ?? /* @__PURE__ */ new Set())]));
      return { key: this.key, folded: fill("folded"), joined: fill("joined") };
    }
    put(view, length, hash2) {
      const sets = this.sets[view];
      const set = sets.get(length) ?? /* @__PURE__ */ new Set();
      sets.set(length, set.add(hash2));
    }
    /** Whether a text has a piece. */
    in(text2) {
      return VIEWS.some((view) => this.sets[view].size > 0 && this.find(view, read(text2, view), () => true));
    }
    /** Calls found with where each piece begins and how long it is, until it says that this is enough. */
    find(view, points, found2) {
      for (const [length, set] of this.sets[view]) {
        if (this.roll(points, length, (hash2, at) => set.has(hash2) && found2(at, length))) return true;
      }
      return false;
    }
    /** Two polynomial hashes of each window, of which 53 bits are kept. */
    roll(points, length, window2) {
      const [baseA, baseB] = this.key;
      let [a, b, leadA, leadB] = [0, 0, 1, 1];
      for (let i = 0; i < length; i++) [leadA, leadB] = [Math.imul(leadA, baseA), Math.imul(leadB, baseB)];
      for (let i = 0; i < points.length; i++) {
        const code = points[i] + 1;
        a = Math.imul(a, baseA) + code | 0;
        b = Math.imul(b, baseB) + code | 0;
        if (i >= length) {
          const left2 = points[i - length] + 1;
          a = a - Math.imul(left2, leadA) | 0;
          b = b - Math.imul(left2, leadB) | 0;
        }
        if (i >= length - 1 && window2((a >>> 0) * 2097152 + (b >>> 11), i - length + 1)) return true;
      }
      return false;
    }
    /** All hashes of this index. */
    hashes() {
      const list = (view) => Object.fromEntries([...this.sets[view]].map(([length, set]) => [length, [...set].sort((a, b) => a - b)]));
      return { key: this.key, folded: list("folded"), joined: list("joined") };
    }
  };
  var VIEWS = ["folded", "joined"];
  var LENGTHS = { folded: [PIECE, 8, 12], joined: [3, 4, 5, PIECE] };
  var BLOCK = 64;
  function padded(hashes) {
    const all = new Set(hashes);
    while (all.size === 0 || all.size % BLOCK !== 0) {
      const [a = 0, b = 0] = crypto.getRandomValues(new Uint32Array(2));
      all.add(a * 2097152 + (b >>> 11));
    }
    return [...all].sort((a, b) => a - b);
  }
  function wholeOf([baseA, baseB], text2) {
    let [a, b] = [1, 1];
    for (const char of text2) {
      const code = char.codePointAt(0) + 1;
      a = Math.imul(a, baseA) + code | 0;
      b = Math.imul(b, baseB) + code | 0;
    }
    return (a >>> 0) * 2097152 + (b >>> 11);
  }
  function encodedForms(secret) {
    const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
    const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
    const phases = [0, 1, 2].map((before) => btoa("x".repeat(before) + bytes).slice(Math.ceil(before * 4 / 3), Math.floor((before + bytes.length) * 4 / 3)));
    return [["joined", [...secret].reverse().join(""), PIECE], ["folded", hex, 12], ...phases.map((text2) => ["folded", text2, 8])];
  }
  function formsOf(secret) {
    return [["joined", secret], ["folded", secret], ["folded", encodeComponent(secret)], ["folded", CSS.escape(secret)]];
  }
  function encodeComponent(text2) {
    try {
      return encodeURIComponent(text2);
    } catch {
      return text2;
    }
  }

  // src/secret/known.ts
  var SECRET_AUTOCOMPLETE = /* @__PURE__ */ new Set(["current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year"]);
  var SECRET_WORDS = new RegExp(
    [
      "pass(word|wd|code|phrase)",
      "\\bpwd\\b",
      "passwort|kennwort",
      "contrase(ñ|n)a",
      "mot de passe",
      "\\bsenha\\b",
      "wachtwoord",
      "hasło",
      "пароль",
      "密码|密碼",
      "パスワード",
      "비밀번호",
      "\\botp\\b",
      "one.?time",
      "verification.?code",
      "security.?(code|answer)",
      "\\b(2fa|mfa|totp)\\b",
      "\\bcvv2?\\b|\\bcvc2?\\b",
      "card.?(number|num|no)\\b",
      "\\bssn\\b|social.?security",
      "\\bpin\\b",
      "secret",
      "api.?key|access.?token"
    ].join("|"),
    "i"
  );
  function known() {
    let outermost = window;
    for (let view = window; view !== view.parent; view = view.parent) {
      try {
        if (view.parent.document) outermost = view.parent;
      } catch {
        break;
      }
    }
    const shared = outermost;
    return shared.__repriseKnown ??= { once: /* @__PURE__ */ new WeakSet(), values: /* @__PURE__ */ new WeakMap(), fields: /* @__PURE__ */ new Set(), own: new Index(newKey()), given: /* @__PURE__ */ new Map() };
  }
  function isSensitive(el) {
    const { once } = known();
    if (once.has(el)) return true;
    if (!isSecretField(el) && !holdsPiece(el)) return false;
    once.add(el);
    return true;
  }
  function holdsPiece(el) {
    const isInput = el.localName === "input" || el.localName === "textarea";
    if (!isInput && !el.isContentEditable) return false;
    const value = isInput ? el.value : el.textContent ?? "";
    return value.length >= PIECE && repeatsSecret(value);
  }
  function isSecretField(el) {
    if (isMarked(el)) return true;
    if (el instanceof HTMLInputElement && el.type === "password") return true;
    if (autocompleteOf(el).some((token2) => SECRET_AUTOCOMPLETE.has(token2))) return true;
    if (isMasked(el)) return true;
    return isTextField(el) && SECRET_WORDS.test(wordsAbout(el));
  }
  function isMasked(el) {
    const masked = getComputedStyle(el).getPropertyValue("-webkit-text-security");
    return masked !== "" && masked !== "none";
  }
  function isTextField(el) {
    return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el.isContentEditable;
  }
  function wordsAbout(el) {
    const named4 = ["name", "id", "aria-label", "placeholder"].map((name) => spaced(el.getAttribute(name) ?? ""));
    return [...named4, ...labelsOf(el).map((label) => normalize(label.textContent))].join(" ");
  }
  function spaced(name) {
    return `${name} ${name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ")}`;
  }
  function remember(el, value) {
    const { once, values, fields, own } = known();
    once.add(el);
    if (!values.has(el)) fields.add(new WeakRef(el));
    values.set(el, value);
    own.addSecret(value);
  }
  function rememberPieces(hashes) {
    const { own, given } = known();
    const name = hashes.key.join();
    if (name === own.key.join()) return own.add(hashes);
    const index = given.get(name) ?? new Index(hashes.key);
    index.add(hashes);
    given.set(name, index);
  }
  function useKey(key2) {
    const here = known();
    if (here.own.key.join() === key2.join()) return;
    if (!here.own.isEmpty) here.given.set(here.own.key.join(), here.own);
    here.own = new Index(key2);
    for (const [, value] of secretFields()) here.own.addSecret(value);
  }
  function keyOfSecrets() {
    return known().own.key;
  }
  function secretFields() {
    const { values, fields } = known();
    return [...fields].flatMap((ref) => {
      const el = ref.deref();
      const value = el && values.get(el);
      return el && value ? [[el, value]] : [];
    });
  }
  function knowsSecrets() {
    return indexes().length > 0 || shortSecrets().length > 0;
  }
  function indexes() {
    const { own, given } = known();
    return [own, ...given.values()].filter((index) => !index.isEmpty);
  }
  var shortsInPass = perPass();
  function repeatsSecret(text2) {
    if (text2.length < SHORTEST) return false;
    if (indexes().some((index) => index.in(text2))) return true;
    const shorts = shortsInPass("all", shortSecrets);
    if (!shorts.length) return false;
    const lower = text2.toLowerCase();
    return shorts.some((form) => lower.includes(form));
  }
  function shortSecrets() {
    const { values, fields } = known();
    const all = [];
    for (const ref of fields) {
      const el = ref.deref();
      const value = el && values.get(el);
      if (value && isShort(value)) all.push(value);
    }
    const forms = all.filter((value) => value.length >= SHORTEST).flatMap((value) => [value, encodeURIComponent(value), CSS.escape(value)]);
    return forms.map((form) => form.toLowerCase());
  }
  function isShort(value) {
    return read(value, "joined").length < PIECE;
  }
  var marks = [];
  function hide(all) {
    marks = all;
    for (const mark of all) {
      const [doc, ref] = mark.element.split("#");
      const field = doc === documentId ? elementOf(Number(ref)) : null;
      if (field instanceof HTMLElement) remember(field, valueOf(field));
    }
  }
  function isMarked(el) {
    const here = marks.filter((mark) => mark.origin === self.origin);
    if (!here.length || fieldOf(el) !== el) return false;
    const called = [el.getAttribute("name") ?? "", el.id];
    return here.some((mark) => called.some((name, i) => name !== "" && name === mark.names?.[i]) || mark.label && isLabelled(el, mark.label));
  }
  function isLabelled(el, label) {
    const labels = labelsOf(el).map((l) => l.textContent).join(" ");
    return [nameOf(el), labels].some((text2) => normalize(text2).slice(0, label.length) === label);
  }
  var spreadOf = /* @__PURE__ */ new WeakMap();
  var PAUSE_MS = 250;
  var MOST_SPREAD = 4096;
  var pause;
  function spreadSoon() {
    clearTimeout(pause);
    pause = setTimeout(() => spread(false), PAUSE_MS);
  }
  function spread(whole = true) {
    pieces(whole, false).forEach(send);
  }
  function pieces(whole = true, again = true) {
    const key2 = keyOfSecrets();
    const all = [];
    for (const [field, value] of secretFields()) {
      const short = isShort(value);
      if (value.length < SHORTEST || short && !whole) continue;
      const last2 = spreadOf.get(field);
      if (!again && last2 === `whole ${value}`) continue;
      if (!whole && last2 !== void 0 && last2.endsWith(` ${value}`)) continue;
      spreadOf.set(field, `${whole ? "whole" : "part"} ${value}`);
      const index = new Index(key2);
      if (short) index.addShort(value);
      else {
        index.addSecret(value.slice(0, MOST_SPREAD));
        index.addEncoded(value.slice(0, MOST_SPREAD));
      }
      rememberPieces(index.hashes());
      const element2 = field.ownerDocument === document ? `${documentId}#${refOf(field)}` : "";
      all.push({ type: "pieces", hashes: index.padded(), ...whole ? { element: element2, whole: wholeOf(key2, value) } : {} });
    }
    return all;
  }
  function onNavigate(event) {
    const { destination } = event;
    spread(!destination?.sameDocument);
  }
  function forgetSpread() {
    clearTimeout(pause);
    spreadOf = /* @__PURE__ */ new WeakMap();
  }

  // src/locate/generated.ts
  var LONGEST = 64;
  var HASH_LENGTH = 5;
  var LEAST_TURNS = 3;
  var HASH_TURNS = 2.5;
  var HEX_LENGTH = 8;
  var GENERATED = [
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i,
    // GUID
    /[0-9]{5,}/,
    // counters, times, database keys; years have four
    /:r[0-9a-z]+:|«r[0-9a-z]+»|^_r_[0-9a-z]+_$/,
    // React's useId
    /^(css|svelte|emotion|tss|astro)-[0-9a-z]*[0-9][0-9a-z]*(-|$)/,
    // styles in scripts
    /^sc-[a-z]*[A-Z][A-Za-z]*$|^jss[0-9]+$/,
    // the same
    /^_ng(content|host)-|^data-v-[0-9a-f]+$/,
    // scoped styles of Angular and Vue
    // Counters of frameworks: the number depends on what else is on the page.
    /^(ember|ext-gen|ext-comp-|gwt-uid-|yui_|isc_|dijit_|ui-id-|cdk-|mat-[a-z-]+-|radix-|headlessui-[a-z-]+-|react-aria|react-select-|mantine-|rc_select_|__BVID__)[0-9]/
  ];
  function isGenerated(token2) {
    return token2.length > LONGEST || GENERATED.some((pattern) => pattern.test(token2)) || token2.split(/[^A-Za-z0-9]+/).some(isHash);
  }
  function isHash(word) {
    if (word.length < HASH_LENGTH) return false;
    if (word.length >= HEX_LENGTH && /^[0-9a-f]+$/.test(word) && /[0-9]/.test(word)) return true;
    const changes = turns(word);
    return changes >= LEAST_TURNS && changes * HASH_TURNS >= word.length;
  }
  function turns(word) {
    let changes = 0;
    let last2 = "";
    for (const char of word) {
      const kind = char >= "a" ? "a" : char >= "A" ? "A" : "0";
      if (last2 && kind !== last2 && !(last2 === "A" && kind === "a")) changes++;
      last2 = kind;
    }
    return changes;
  }

  // src/dom/wait.ts
  var LOOK_AGAIN_MS = 50;
  var BREATHE_MS = 4;
  var TELLING = ["readystatechange", "DOMContentLoaded", "transitionend", "animationend"];
  async function until(timeout, probe, urgent) {
    const deadline = performance.now() + timeout;
    for (; ; ) {
      const found2 = probe();
      if (found2 !== void 0) return found2;
      const left2 = deadline - performance.now();
      if (left2 <= 0) return void 0;
      await (urgent?.() ? nextFrame() : change(Math.min(left2, LOOK_AGAIN_MS)));
    }
  }
  var waiting2 = /* @__PURE__ */ new Set();
  function wake() {
    for (const done of [...waiting2]) done();
  }
  function change(ms) {
    return new Promise((resolve) => {
      const started = performance.now();
      const done = () => {
        waiting2.delete(done);
        observer2.disconnect();
        clearTimeout(timer);
        for (const type of TELLING) document.removeEventListener(type, done, true);
        removeEventListener("load", loaded);
        resolve();
      };
      const loaded = () => setTimeout(done);
      const observer2 = new MutationObserver(() => {
        const early = BREATHE_MS - (performance.now() - started);
        if (early <= 0) done();
        else setTimeout(done, early);
      });
      const timer = setTimeout(done, ms);
      waiting2.add(done);
      for (const type of TELLING) document.addEventListener(type, done, true);
      addEventListener("load", loaded);
      observer2.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });
  }
  function nextFrame() {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_AGAIN_MS);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  function isReady() {
    if (document.readyState === "loading") return false;
    const [navigation2] = performance.getEntriesByType("navigation");
    return document.readyState === "complete" || !navigation2 || navigation2.domContentLoadedEventEnd > 0;
  }
  var LOADS_MS = 500;
  function hasLoaded() {
    const [navigation2] = performance.getEntriesByType("navigation");
    if (!navigation2 || navigation2.loadEventEnd > 0) return true;
    return performance.now() > navigation2.domContentLoadedEventEnd + LOADS_MS;
  }
  var Quiet = class {
    last = performance.now();
    observer = new MutationObserver(() => this.last = performance.now());
    constructor() {
      this.observer.observe(document, { subtree: true, childList: true, attributes: true });
    }
    for() {
      return performance.now() - this.last;
    }
    stop() {
      this.observer.disconnect();
    }
  };
  var TASKS_AFTER = 2;
  async function breathe() {
    await nextFrame();
    for (let task = 0; task < TASKS_AFTER; task++) await new Promise((resolve) => setTimeout(resolve));
  }

  // src/dom/roots.ts
  var ANSWER_MS = 300;
  var TRIES = 3;
  var GOOD_MS = 200;
  var FRUITLESS = 20;
  var untaken = /* @__PURE__ */ new Set();
  var asking = /* @__PURE__ */ new Map();
  var answered = /* @__PURE__ */ new WeakMap();
  var fruitless = /* @__PURE__ */ new Map();
  var heirs = [];
  function onRoot(heir) {
    heirs.push(heir);
  }
  function mayHost(el) {
    return el instanceof HTMLElement && (isCustom(el) || HOSTS.has(el.localName)) && !shadowOf(el);
  }
  function isCustom(el) {
    return el.localName.includes("-");
  }
  function hadNone(el) {
    return answered.has(el);
  }
  function ask(el) {
    if (mayHost(el) && !isAskedFor(el)) askTimes(el, TRIES);
  }
  function askTimes(el, tries) {
    const again = asking.has(el);
    asking.set(el, performance.now());
    untaken.add(el);
    if (again || untaken.size === 1) send({ type: "hosts" });
    if (tries > 1) setTimeout(() => asking.has(el) && el.isConnected && askTimes(el, tries - 1), ANSWER_MS);
  }
  function askAgain(el) {
    if (performance.now() - (answered.get(el) ?? -GOOD_MS) >= GOOD_MS) ask(el);
  }
  var CUSTOM = 'descendant-or-self::*[contains(local-name(),"-")]';
  function askWithin(part2) {
    const found2 = document.evaluate(CUSTOM, part2, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    for (let i = 0; i < found2.snapshotLength; i++) {
      const el = found2.snapshotItem(i);
      noteCustom(el);
      if (!answered.has(el) && (fruitless.get(el.localName) ?? 0) < FRUITLESS) ask(el);
    }
  }
  function isAskedFor(el) {
    const since = asking.get(el);
    return since !== void 0 && performance.now() - since < ANSWER_MS;
  }
  function isAsking() {
    for (const el of asking.keys()) {
      if (isAskedFor(el)) return true;
      asking.delete(el);
      untaken.delete(el);
    }
    return false;
  }
  var waiting3 = [];
  async function answers() {
    while (isAsking()) {
      await new Promise((resolve) => {
        waiting3.push(resolve);
        setTimeout(resolve, ANSWER_MS);
      });
    }
  }
  function hosts() {
    const taken = [...untaken];
    untaken.clear();
    return taken;
  }
  function adoptRoots(of, at, roots) {
    for (const [i, host] of of.entries()) {
      asking.delete(host);
      const root = roots[at.indexOf(i)];
      if (root) adoptRoot(host, root);
      else {
        answered.set(host, performance.now());
        fruitless.set(host.localName, (fruitless.get(host.localName) ?? 0) + 1);
      }
    }
    for (const resolve of waiting3.splice(0)) resolve();
    wake();
  }
  function adoptRoot(host, root) {
    keepRoot(host, root);
    fruitless.delete(host.localName);
    for (const heir of heirs) heir(host, root);
  }
  function targetOf(event) {
    let target = event.composedPath()[0];
    let root = target instanceof Element && !target.shadowRoot ? shadowOf(target) : null;
    while (root) {
      const inner = isPointed(event) ? root.elementFromPoint(event.clientX, event.clientY) : root.activeElement;
      if (inner?.getRootNode() !== root) break;
      target = inner;
      root = shadowOf(inner);
    }
    return target;
  }
  function isPointed(event) {
    return event instanceof MouseEvent && !(event.type === "click" && event.detail === 0);
  }

  // src/locate/selector.ts
  var PREFIXES = ["aria", "text", "xpath", "pierce", "testid"];
  function parse(selector) {
    const slash = selector.indexOf("/");
    const kind = PREFIXES.find((prefix) => prefix.length === slash && selector.startsWith(prefix));
    return kind ? { kind, body: selector.slice(slash + 1) } : { kind: "css", body: selector };
  }
  function format(kind, body) {
    return kind === "css" ? body : `${kind}/${body}`;
  }
  function parseAria(body) {
    const match = /^([\s\S]*)\[role="([a-z0-9-]+)"\]$/.exec(body);
    return match ? { name: match[1] ?? "", role: match[2] ?? "" } : { name: body, role: "" };
  }
  function queryAll(selector, root) {
    const { kind, body } = parse(selector);
    try {
      return QUERIES[kind](body, root);
    } catch {
      return [];
    }
  }
  function queryPath(path, root) {
    let roots = [root];
    let found2 = [];
    path.forEach((part2, i) => {
      if (i > 0) roots = found2.map(inside).filter((shadow) => shadow !== null);
      found2 = roots.flatMap((r) => queryAll(part2, r));
    });
    return found2;
  }
  function inside(host) {
    const shadow = shadowOf(host);
    if (!shadow) askAgain(host);
    return shadow;
  }
  function preferVisible(elements) {
    if (elements.length < 2) return elements;
    const visible = elements.filter(isVisible);
    return visible.length ? visible : elements;
  }
  function fits(el, selector) {
    const { kind, body } = parse(selector);
    try {
      return FITS[kind](el, body);
    } catch {
      return false;
    }
  }
  var FITS = {
    css: (el, body) => el.matches(body),
    pierce: (el, body) => el.matches(body),
    aria: (el, body) => {
      const { name, role } = parseAria(body);
      return (!role || roleOf(el) === role) && (!name || nameOf(el) === normalize(name));
    },
    text: (el, body) => saysExactly(el, normalize(body)),
    xpath: (el, body) => byXPath(body, el.getRootNode()).includes(el),
    testid: hasTestId
  };
  var QUERIES = {
    css: (body, root) => [...root.querySelectorAll(body)],
    aria: byAria,
    text: byText,
    xpath: byXPath,
    pierce: byPierce,
    testid: byTestId
  };
  function byAria(body, root) {
    return inOnePass(() => [...new Set(eachByAria(body, root))].sort(inDocument));
  }
  function eachByAria(body, root) {
    const { name, role } = parseAria(body);
    return byRoleAndName(role, normalize(name), root);
  }
  function inDocument(a, b) {
    return a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
  }
  function byText(body, root) {
    const wanted = normalize(body);
    const holders = [...textHolders(wanted, root)];
    const exact = holders.filter((el) => saysExactly(el, wanted));
    return (exact.length ? exact : holders).sort(inDocument);
  }
  function byXPath(body, root) {
    const found2 = [];
    const result = root.ownerDocument?.evaluate(body, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE) ?? root.evaluate(body, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    for (let i = 0; i < result.snapshotLength; i++) {
      const node = result.snapshotItem(i);
      if (node instanceof Element) found2.push(node);
    }
    return found2;
  }
  function byPierce(body, root) {
    const found2 = [];
    eachRoot(root, (r) => found2.push(...r.querySelectorAll(body)));
    return found2;
  }
  function byTestId(body, root) {
    return [...root.querySelectorAll(testIdSelector(body))];
  }
  function* byRoleAndName(role, name, root) {
    for (const el of candidates(role, name, root)) {
      if ((!role || roleOf(el) === role) && (!name || nameOf(el) === name)) yield el;
    }
    if (name) {
      for (const el of labelledIn(root).keys()) if ((!role || roleOf(el) === role) && nameOf(el) === name) yield el;
    }
  }
  function* candidates(role, name, root) {
    const selectors = role ? [...implicitRoles(role), explicitRole(role)] : name ? ANY_NAMED : ["*"];
    for (const selector of new Set(selectors.map(tagOf))) {
      const all = found(selector, root);
      if (!name || APART.includes(selector)) yield* all;
      else if (all.length) yield* namedByText(all, selector, name, root);
    }
  }
  function tagOf(selector) {
    return selector.split("[", 1)[0] || selector;
  }
  function found(selector, root) {
    return root instanceof Document && /^[a-z]\w*$/.test(selector) ? root.getElementsByTagName(selector) : root.querySelectorAll(selector);
  }
  var APART = ["area", "fieldset", "figure", "img", "input", "meter", "output", "progress", "select", "svg", "table", "textarea"];
  var UNKNOWN = /^(\[|h[1-6]$)/;
  var ANY_NAMED = [.../* @__PURE__ */ new Set([...namedByContent(), ...APART]), "[role]", ...NAMING];
  function* namedByText(all, selector, name, root) {
    const letters = name.replaceAll(" ", "");
    const special = UNKNOWN.test(selector) ? null : notPlain(selector, root);
    const says = saying(name);
    for (const el of all) {
      if (!special || special.has(el) ? mayCombine(el, letters) : says(el.textContent)) yield el;
    }
  }
  var SPEAKING = [...NAMING, "[alt]", "slot", ...APART].join(",");
  var SPEAKING_WITHIN = `${SPEAKING},button`;
  function mayCombine(el, letters) {
    return holdsInOrder(el.textContent, letters) || el.matches(SPEAKING) || el.querySelector(SPEAKING_WITHIN) !== null || holdsShadow(el);
  }
  function holdsInOrder(text2, letters) {
    let at = 0;
    for (const letter of letters) {
      at = text2.indexOf(letter, at) + 1;
      if (at === 0) return false;
    }
    return true;
  }
  function holdsShadow(el) {
    if (el.shadowRoot) return true;
    for (let inner = el.firstElementChild; inner; inner = inner.nextElementSibling) if (holdsShadow(inner)) return true;
    return false;
  }
  var KNOWN = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-pw", "data-automation-id", "data-hook"];
  var named = "";
  function withTestId(attribute2, answer) {
    const before = named;
    named = attribute2 ?? "";
    try {
      return answer();
    } finally {
      named = before;
    }
  }
  function testIdOf(el) {
    for (const attribute2 of named ? [named, ...KNOWN] : KNOWN) {
      const value = el.getAttribute(attribute2);
      if (value) return { attribute: attribute2, value };
    }
    return null;
  }
  function isTestId(attribute2) {
    return attribute2 === named || KNOWN.includes(attribute2);
  }
  function isKnownTestId(attribute2) {
    return KNOWN.includes(attribute2);
  }
  function hasTestId(el, value) {
    return KNOWN.some((attribute2) => el.getAttribute(attribute2) === value);
  }
  function testIdSelector(value) {
    const quoted = CSS.escape(value);
    return KNOWN.map((attribute2) => `[${attribute2}="${quoted}"]`).join(",");
  }

  // src/locate/evidence.ts
  var TEXTS = /* @__PURE__ */ new Set(["placeholder", "label", "options", "row", "heading", "before", "after"]);
  var ITSELF = {
    testid: (el) => one(testIdOf(el)?.value ?? ""),
    id: (el) => one(stable(el.id)),
    name: (el) => one(stable(el.getAttribute("name") ?? "")),
    href: (el) => one(addressOf(el)),
    placeholder: (el) => one(el.getAttribute("placeholder") ?? ""),
    label: (el) => one(labelOf(el)),
    options: (el) => one(optionsOf(el)),
    type: (el) => one(typeOf(el)),
    tag: (el) => one(el.localName),
    class: classesOf,
    inner: innerOf,
    other: otherOf
  };
  function one(value) {
    return value ? [value] : [];
  }
  function stable(token2) {
    return token2 && isGenerated(token2) ? "" : token2;
  }
  function addressOf(el) {
    const href = (el.getAttribute("href") ?? el.getAttribute("xlink:href") ?? "").trim();
    return /^(#!?$|javascript:)/.test(href) ? "" : href.replace(/(.)[?#].*$/, "$1");
  }
  function typeOf(el) {
    if (el.localName !== "input" && el.localName !== "select") return "";
    const { type } = el;
    return isButtonType(type) ? "" : type;
  }
  function isButtonType(type) {
    return type === "submit" || type === "button" || type === "reset" || type === "image";
  }
  var LONGEST_LABEL = 200;
  function labelOf(el) {
    return normalize(el.getAttribute("aria-label")) || referenced(el) || (holdsValue(el) ? labelsOf(el).map((label) => shownText(label, LONGEST_LABEL)).join(" ") : ownText(el)) || normalize(el.getAttribute("alt")) || normalize(el.getAttribute("title")) || pictured(el);
  }
  function referenced(el) {
    const ids = el.getAttribute("aria-labelledby");
    if (!ids) return "";
    const root = el.getRootNode();
    return ids.trim().split(/\s+/).map((id) => root.getElementById(id)).map((ref) => ref ? shownText(ref, LONGEST_LABEL) : "").join(" ").trim();
  }
  function ownText(el) {
    return normalize(shownText(el, LONGEST_LABEL));
  }
  function pictured(el) {
    const inner = el.firstElementChild && el.querySelector("[alt],[aria-label],[title],title");
    return inner ? normalize(inner.getAttribute("alt") ?? inner.getAttribute("aria-label") ?? inner.getAttribute("title") ?? inner.textContent) : "";
  }
  var MOST_OPTIONS = 8;
  function optionsOf(el) {
    if (!(el instanceof HTMLSelectElement)) return "";
    return Array.from({ length: Math.min(el.length, MOST_OPTIONS) }, (_, i) => el.item(i)?.text).join(" ");
  }
  function holdsValue(el) {
    switch (el.localName) {
      case "input":
        return !isButtonType(el.type);
      case "textarea":
      case "select":
        return true;
      default:
        return el.hasAttribute("contenteditable");
    }
  }
  var classesSaid = perPass();
  function classesOf(el) {
    const said = el.getAttribute("class");
    return said ? classesSaid(said, () => [...el.classList].filter((name) => !isGenerated(name) && !STATES.test(name)).slice(0, 12)) : [];
  }
  var STATES = /^(is-|has-)?(active|focus(ed)?|hover(ed)?|open(ed)?|show(n)?|shown|selected|checked|disabled|loading|loaded|collapsed|expanded|current|visited|invalid|valid|dirty|pristine|touched|untouched)$/i;
  function innerOf(el) {
    if (!el.firstElementChild && el.localName !== "img") return pictureOf(el);
    const found2 = pictureOf(el);
    for (const inner of el.querySelectorAll("svg,use,path,img,i,span[class]")) {
      found2.push(...pictureOf(inner));
      if (found2.length >= 8) break;
    }
    return found2.slice(0, 8);
  }
  function pictureOf(el) {
    switch (el.localName) {
      case "img":
        return compact((el.getAttribute("src") ?? "").replace(/[?#].*$/, "").split("/").at(-1));
      case "input":
        return compact(el.type === "image" ? el.getAttribute("src") : "");
      case "use":
        return compact(el.getAttribute("href") ?? el.getAttribute("xlink:href"));
      case "path":
        return compact(el.getAttribute("d"));
      case "i":
      case "svg":
      case "span":
        return classesOf(el).map((name) => `.${name}`);
      default:
        return [];
    }
  }
  function compact(text2) {
    return text2 ? [text2.slice(0, 200)] : [];
  }
  var NOT_TELLING = /* @__PURE__ */ new Set([
    "id",
    "class",
    "style",
    "name",
    "href",
    "placeholder",
    "type",
    "aria-label",
    "aria-labelledby",
    "alt",
    "src",
    "srcset",
    "role",
    "tabindex",
    "aria-expanded",
    "aria-selected",
    "aria-checked",
    "aria-pressed",
    "aria-current",
    "aria-hidden",
    "aria-busy",
    "aria-invalid",
    "aria-disabled",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "aria-activedescendant",
    "checked",
    "selected",
    "disabled",
    "open",
    "hidden",
    "inert",
    "readonly",
    "width",
    "height",
    "xmlns",
    "d",
    "viewBox",
    "fill",
    "stroke"
  ]);
  var VALUE_IS_LABEL = /* @__PURE__ */ new Set(["submit", "button", "reset", "radio", "checkbox"]);
  function otherOf(el) {
    const found2 = [];
    for (const { name, value } of el.attributes) {
      if (NOT_TELLING.has(name) || isTestId(name) || name.startsWith("data-v-") || name.startsWith("_ng") || value.length > 200) continue;
      if (name === "value" && !VALUE_IS_LABEL.has(el.type)) continue;
      if (isGenerated(value)) continue;
      found2.push(`${name}=${value}`);
      if (found2.length >= 8) break;
    }
    return found2;
  }
  var AROUND = {
    row: (el) => one(rowOf(el)),
    heading: (el) => one(headingOf(el)),
    before: (el) => one(neighbour(el, "previousSibling")),
    after: (el) => one(neighbour(el, "nextSibling")),
    landmark: landmarksOf,
    above: aboveOf,
    place: (el) => one(placeOf(el))
  };
  var HIGHEST_AROUND = 10;
  var LONGEST_AROUND = 120;
  function rowOf(el) {
    let at = el;
    for (let height = 0; at && height < HIGHEST_AROUND; height++, at = at.parentElement) {
      if (isItem(at)) return at === el ? "" : `${shownText(at, LONGEST_AROUND, el)} ${termOf(at)}`;
    }
    return "";
  }
  function termOf(el) {
    const term = el.localName === "dd" ? el.previousElementSibling : null;
    return term?.localName === "dt" ? shownText(term, LONGEST_AROUND) : "";
  }
  function isItem(el) {
    switch (el.localName) {
      case "tr":
      case "li":
      case "article":
      case "option":
      case "dd":
        return true;
      case "body":
      case "html":
      case "td":
      case "th":
        return false;
    }
    const role = el.getAttribute("role");
    if (role === "row" || role === "listitem" || role === "option") return true;
    const first = el.classList.item(0);
    if (!first || el.childElementCount < 2) return false;
    return likes(el.nextElementSibling, el, first) || likes(el.previousElementSibling, el, first);
  }
  function likes(sibling, el, first) {
    return sibling !== null && sibling.localName === el.localName && sibling.classList.contains(first);
  }
  var headingsByRoot = perPass();
  function headingOf(el) {
    const all = headingsByRoot(rootOf(el), () => headingsIn(rootOf(el)));
    let at = el.parentElement;
    for (let height = 0; at && height < HIGHEST_AROUND; height++, at = at.parentElement) {
      const heading = firstWithin(at, all);
      if (!heading || heading.contains(el) || el.contains(heading)) continue;
      if (isBefore(heading, el)) return shownText(heading, LONGEST_AROUND);
    }
    return "";
  }
  var HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption"];
  function headingsIn(root) {
    const byTag = HEADINGS.flatMap((tag) => [...root instanceof Document ? root.getElementsByTagName(tag) : root.querySelectorAll(tag)]);
    return [.../* @__PURE__ */ new Set([...byTag, ...root.querySelectorAll("[role=heading]")])].sort((a, b) => isBefore(a, b) ? -1 : 1);
  }
  function isBefore(a, b) {
    return (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  }
  function firstWithin(at, all) {
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle2 = low + high >> 1;
      if (isBefore(at, all[middle2])) high = middle2;
      else low = middle2 + 1;
    }
    const first = all[low];
    return first && at.contains(first) ? first : void 0;
  }
  var NEIGHBOUR_LEVELS = 3;
  function neighbour(el, side) {
    const words2 = nextTo(el, side);
    return words2 === labelOf(el) ? "" : side === "previousSibling" ? words2.slice(-60) : words2.slice(0, 60);
  }
  function nextTo(el, side) {
    let at = el;
    for (let level = 0; at && level < NEIGHBOUR_LEVELS; level++, at = at.parentElement) {
      if (at !== el && isItem(at)) return "";
      for (let node = at[side], steps = 0; node && steps < 6; node = node[side], steps++) {
        const text2 = node instanceof Text ? node.data : node instanceof Element ? shownText(node, LONGEST_AROUND) : "";
        const words2 = normalize(text2);
        if (words2) return words2;
      }
    }
    return "";
  }
  var LANDMARKS = "form,dialog,[role=dialog],nav,main,aside,header,footer,section,fieldset,table,[role=navigation],[role=toolbar],[role=tablist],[role=menu]";
  function landmarksOf(el) {
    const found2 = [];
    let at = el.parentElement?.closest(LANDMARKS);
    for (; at && found2.length < 3; at = at.parentElement?.closest(LANDMARKS)) {
      found2.push(`${roleOf(at) || at.localName} ${at.getAttribute("aria-label") ?? stable(at.getAttribute("name") ?? at.id)}`);
    }
    return found2;
  }
  function aboveOf(el) {
    const found2 = [];
    let at = el.parentElement;
    for (let height = 0; at && height < 8 && at !== at.ownerDocument.body; height++, at = at.parentElement) {
      if (at.id && !isGenerated(at.id)) found2.push(`#${at.id}`);
      for (const name of classesOf(at).slice(0, 3)) found2.push(`.${name}`);
    }
    return [...new Set(found2)].slice(0, 16);
  }
  function placeOf(el) {
    let index = 0;
    let count = 1;
    for (let at = el.previousElementSibling; at; at = at.previousElementSibling) if (at.localName === el.localName) index++;
    count += index;
    for (let at = el.nextElementSibling; at; at = at.nextElementSibling) if (at.localName === el.localName) count++;
    return `${index}/${count}`;
  }
  var OWN_FEATURES = Object.keys(ITSELF);
  var AROUND_FEATURES = Object.keys(AROUND);
  function ownOf(el, key2) {
    return readAll(ITSELF, el, key2);
  }
  function aroundOf(el, key2) {
    return readAll(AROUND, el, key2);
  }
  function sameOwn(a, b) {
    return OWN_FEATURES.every((feature) => same(a[feature], b[feature]));
  }
  function same(a = [], b = []) {
    return a.length === b.length && a.every((h, i) => h === b[i]);
  }
  function readAll(readers, el, key2) {
    const evidence = {};
    for (const [feature, read3] of Object.entries(readers)) {
      const values = read3(el);
      const quotable2 = values.filter((value) => !repeatsSecret(value));
      const hashes = hashed(feature, quotable2, key2);
      if (hashes.length || quotable2.length < values.length) evidence[feature] = hashes;
    }
    return evidence;
  }
  function hashed(feature, values, key2) {
    return TEXTS.has(feature) ? [...new Set(values.flatMap((text2) => hashWords(key2, text2)))] : values.map((value) => hash(key2, value));
  }
  var HASH_LENGTH2 = 4;
  var MOST_WORDS = 16;
  function hash(key2, text2) {
    let h = 2166136261;
    for (let i = 0; i < key2.length; i++) h = Math.imul(h ^ key2.charCodeAt(i), 16777619);
    for (let i = 0; i < text2.length; i++) h = Math.imul(h ^ text2.charCodeAt(i), 16777619);
    return ((h >>> 16 ^ h) & 65535).toString(16).padStart(HASH_LENGTH2, "0");
  }
  function hashWords(key2, text2) {
    const words2 = normalize(text2).toLowerCase().split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).slice(0, MOST_WORDS);
    return words2.map((word) => new RegExp("\\p{L}", "u").test(word) ? hash(key2, word) : asNumber(hash(key2, word)));
  }
  function asNumber(hashed2) {
    return hashed2.replace(/./g, (digit) => String.fromCharCode(FIRST_NUMBER + parseInt(digit, 16)));
  }
  var FIRST_NUMBER = "g".charCodeAt(0);
  function isNumber(hashed2) {
    return hashed2.charCodeAt(0) >= FIRST_NUMBER;
  }
  function pack(hashes) {
    return hashes.join("");
  }
  function unpack(packed2) {
    return packed2.match(/.{4}/g) ?? [];
  }

  // src/locate/judge.ts
  var ACCEPT = 3;
  var ACCEPT_OWN = 1;
  var MARGIN = 2;
  var RIVAL_MARGIN = 1;
  var CONTRADICTED = 2;
  var IDENTIFYING = ["testid", "id", "name", "href"];
  var SPEAKING2 = ["label", "placeholder", "options", "inner", "other"];
  var OTHER_WORDS = 0.34;
  var STAYED = 0.6;
  var PLACED = 2;
  var ELSEWHERE = -0.5;
  var CLOSE = 200;
  var MOST_OPINIONS = 12;
  function judge(c) {
    const opinions = new Judge(c).opinions();
    const [best, next] = opinions.filter((o) => stands(c, o));
    if (!best) return { code: opinions.some((o) => isLikely(c, o)) ? "changed" : "gone", confidence: 0, opinions };
    const margin = best.total - (next?.total ?? -Infinity);
    if (margin < MARGIN) return { code: "ambiguous", confidence: 0, opinions };
    const confidence = odds(Math.min(best.total - ACCEPT, best.rival, margin - MARGIN) + 2);
    return { chosen: best.index, confidence, opinions: [best, ...opinions.filter((o) => o !== best)] };
  }
  function stands(c, o) {
    const withheld = OWN_FEATURES.some((f) => c.wanted[f]?.length === 0);
    return o.total >= ACCEPT && o.own >= (withheld ? 0 : ACCEPT_OWN) && o.rival >= RIVAL_MARGIN && o.contradictions < CONTRADICTED;
  }
  function isLikely(c, o) {
    return (c.candidates[o.index]?.placed ?? 0) > 0 || o.total > 0;
  }
  var Judge = class {
    scale;
    telling;
    // what tells the wanted one from its twins
    settled;
    // the page has as many elements of the kind as it had: places count
    c;
    constructor(c) {
      this.scale = new Scale(c.wanted, c.survival);
      this.c = { ...c, wanted: Object.fromEntries(Object.entries(c.wanted).filter(([, hashes]) => hashes.length)) };
      this.telling = telltales(this.c);
      this.settled = c.alike[1] === c.candidates.length;
    }
    /** What is thought of the candidates that come near, best first. */
    opinions() {
      const { candidates: candidates3 } = this.c;
      this.scale.compare(OWN_FEATURES, candidates3.map((candidate) => candidate.own));
      const close = candidates3.map((candidate, index) => ({ candidate, index, own: this.scale.own(candidate.own) })).sort((a, b) => b.own + this.placing(b.candidate) - a.own - this.placing(a.candidate)).slice(0, CLOSE).map((one2) => ({ ...one2, evidence: { ...one2.candidate.own, ...one2.candidate.around() } }));
      this.scale.compare(AROUND_FEATURES, close.map(({ evidence }) => evidence));
      return close.map(({ candidate, index, own, evidence }) => {
        const around2 = this.scale.around(evidence) + this.placing(candidate);
        return {
          index,
          own,
          around: around2,
          total: own + around2,
          contradictions: this.contradictions(evidence),
          rival: this.ahead(candidate, evidence),
          ...this.reasons(evidence)
        };
      }).sort((a, b) => b.total - a.total).filter(({ index }) => candidates3[index]?.usable()).slice(0, MOST_OPINIONS);
    }
    /** How much it counts that the selectors that only tell a place name a candidate, or do not. */
    placing({ placed }) {
      if (placed === 0) return ELSEWHERE;
      return this.settled ? placed * PLACED : 0;
    }
    /** How much nearer a candidate is to the wanted element than to the nearest rival. */
    ahead(candidate, evidence) {
      const place = this.settled ? candidate.placed * PLACED : 0;
      const inTurn = isInTurn(this.c, candidate);
      return Math.min(...this.c.rivals.map((rival) => {
        if (!isTwin(rival)) return this.scale.nearer(evidence, rival) + place;
        return inTurn ? Infinity : this.scale.nearer(evidence, rival, this.telling);
      }));
    }
    /** How many things an element says of itself that the wanted one did not, where the rest of the page still says the same. */
    contradictions(evidence) {
      const { wanted, rivals, survival: survival2 } = this.c;
      const differs = (f) => this.scale.similarity(f, wanted[f], evidence[f]) < OTHER_WORDS;
      const other = (f) => !!wanted[f] && !!evidence[f] && differs(f);
      const its = (f) => rivals.every((rival) => rival[f]);
      const identities = IDENTIFYING.filter((f) => wanted[f] && evidence[f]);
      const wordless = wanted.label || wanted.placeholder ? 1 : 2;
      let count = wordless * identities.filter((f) => f !== "id" && differs(f)).length - identities.filter((f) => !differs(f) && its(f)).length;
      const speaking = SPEAKING2.find((f) => wanted[f]);
      if (speaking && survival2[changeOf(speaking)] >= STAYED && differs(speaking)) count += evidence[speaking] || speaking !== "label" ? 2 : 1;
      if (survival2.words < STAYED) return count;
      const [telling] = this.telling;
      return count + (other("placeholder") ? 1 : 0) + (telling && differs(telling) ? 2 : 0);
    }
    reasons(evidence) {
      const features = [...OWN_FEATURES, ...AROUND_FEATURES].map((f) => [f, this.scale.feature(f, evidence)]);
      return { for: features.filter(([, w]) => w > 0.5).map(([f]) => f), against: features.filter(([, w]) => w < -0.3).map(([f]) => f) };
    }
  };
  function odds(log) {
    return Math.round(1e3 / (1 + Math.exp(-log))) / 1e3;
  }
  var TELLING_TWINS = ["row", "before", "after", "heading"];
  function isTwin(rival) {
    return !OWN_FEATURES.some((f) => rival[f]);
  }
  function telltales(c) {
    const twins = c.twins.length ? c.rivals.filter(isTwin) : [];
    const isItself = (words2) => !!words2 && (words2.length === 0 || same(words2, c.wanted.label));
    const beside = (f) => f === "before" || f === "after";
    return TELLING_TWINS.filter((f) => c.wanted[f] && twins.some((twin) => twin[f]) && !(beside(f) && [c.wanted, ...twins].some((one2) => isItself(one2[f]))));
  }
  function isInTurn(c, candidate) {
    const [turn, count] = c.twins;
    const twins = c.candidates.filter((other) => sameOwn(other.own, candidate.own));
    const others = () => c.candidates.filter((other) => other === candidate || sameOwn(other.own, c.wanted));
    const among = twins.length < (count ?? 0) ? others() : twins;
    return among.length === count && among.indexOf(candidate) === turn && isPlaced(c, candidate);
  }
  function isPlaced(c, candidate) {
    const [rank = 0, all = 0] = c.alike;
    const at = c.candidates.indexOf(candidate);
    return candidate.placed > 0 || at === rank || c.candidates.length - at === all - rank;
  }
  var TRAITS = {
    testid: { m: 0.95, u: 1e-5, change: "ids" },
    id: { m: 0.87, u: 1e-3, change: "ids" },
    name: { m: 0.95, u: 0.01, change: "none" },
    href: { m: 0.9, u: 0.01, change: "none" },
    placeholder: { m: 0.93, u: 0.01, change: "words" },
    label: { m: 0.95, u: 0.01, change: "words" },
    options: { m: 0.85, u: 0.02, change: "words" },
    type: { m: 0.97, u: 0.4, change: "none" },
    tag: { m: 0.95, u: 0.5, change: "none" },
    class: { m: 0.85, u: 0.2, change: "classes" },
    inner: { m: 0.85, u: 0.1, change: "classes" },
    other: { m: 0.85, u: 0.1, change: "none" },
    row: { m: 0.85, u: 0.05, change: "words" },
    heading: { m: 0.85, u: 0.2, change: "words" },
    before: { m: 0.7, u: 0.05, change: "words" },
    after: { m: 0.7, u: 0.05, change: "words" },
    landmark: { m: 0.9, u: 0.3, change: "none" },
    above: { m: 0.85, u: 0.2, change: "classes" },
    place: { m: 0.6, u: 0.15, change: "none" }
  };
  function changeOf(feature) {
    return TRAITS[feature].change;
  }
  var PRIOR = 20;
  var NUMBER_WEIGHT = 0.3;
  var ABSENT = 0.5;
  var MOST_AROUND = 6;
  var AROUND_RIVALS = 0.6;
  var LEAST_AROUND = -2.5;
  var Scale = class {
    constructor(wanted, survival2) {
      this.wanted = wanted;
      this.traits = Object.fromEntries(Object.entries(TRAITS).map(([f, t]) => [f, { ...t, m: surviving(t.m, survival2[t.change]) }]));
    }
    wanted;
    frequency = /* @__PURE__ */ new Map();
    // of each hash of each feature
    similar = /* @__PURE__ */ new Map();
    // of each element, best first
    size = /* @__PURE__ */ new Map();
    // how many elements were compared
    traits;
    /** Learns how common what elements show of some features is on this page. */
    compare(features, all) {
      for (const feature of features) {
        this.size.set(feature, all.length);
        for (const evidence of all) for (const h of evidence[feature] ?? []) this.frequency.set(feature + h, (this.frequency.get(feature + h) ?? 0) + 1);
        const wanted = this.wanted[feature];
        if (wanted) this.similar.set(feature, all.map((e) => this.similarity(feature, wanted, e[feature])).sort((a, b) => b - a));
      }
    }
    /** How much what an element says of itself is what the wanted one said. */
    own(evidence) {
      return sum(OWN_FEATURES, (f) => this.feature(f, evidence));
    }
    /** How much what stands around it is what stood around the wanted one. */
    around(evidence) {
      return Math.min(Math.max(sum(AROUND_FEATURES, (f) => this.feature(f, evidence)), LEAST_AROUND), MOST_AROUND);
    }
    /** How much one feature speaks for the evidence being that of the wanted element. */
    feature(feature, evidence) {
      const wanted = this.wanted[feature];
      const has = evidence[feature];
      if (wanted && !wanted.length) return 0;
      if (!wanted) return has ? this.against(feature) * ABSENT * ABSENT : 0;
      if (!has?.length) return this.against(feature) * ABSENT;
      const similarity = this.similarity(feature, wanted, has);
      return similarity * this.infavour(feature, similarity) + (1 - similarity) * this.against(feature);
    }
    /** How much nearer the evidence is to the wanted element than to a rival, which is given by what differs. */
    nearer(evidence, rival, around2 = AROUND_FEATURES) {
      const ahead = (f) => {
        const had = rival[f];
        if (!had) return 0;
        const difference2 = this.likeness(f, this.wanted[f], evidence[f]) - this.likeness(f, had, evidence[f]);
        return difference2 * (this.infavour(f, 1) - this.against(f));
      };
      return sum(OWN_FEATURES, ahead) + AROUND_RIVALS * sum(around2, ahead);
    }
    /** As similarity, where two that have none are alike. */
    likeness(feature, a = [], b = []) {
      if (!a.length || !b.length) return a.length === b.length ? 1 : ABSENT * ABSENT;
      return this.similarity(feature, a, b, 1);
    }
    infavour(feature, similarity) {
      const { m, u } = this.traits[feature];
      const others = this.atLeast(feature, similarity) - 1;
      return Math.max(0, Math.log(m / ((PRIOR * u + Math.max(0, others)) / (PRIOR + this.compared(feature)))));
    }
    against(feature) {
      const { m, u } = this.traits[feature];
      return Math.min(0, Math.log((1 - m) / (1 - Math.min(u, 0.9))));
    }
    compared(feature) {
      return this.size.get(feature) ?? 0;
    }
    /** How many elements are as similar as this. */
    atLeast(feature, similarity) {
      const sorted = this.similar.get(feature) ?? [];
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle2 = low + high >> 1;
        if ((sorted[middle2] ?? 0) >= similarity - 1e-9) low = middle2 + 1;
        else high = middle2;
      }
      return low;
    }
    /** What two sets of hashes share, from 0 to 1; a rare one counts for more. */
    similarity(feature, a = [], b = [], numbers = NUMBER_WEIGHT) {
      if (!a.length || !b.length) return 0;
      if (a.length === 1 && b.length === 1) return a[0] === b[0] ? 1 : 0;
      const inB = new Set(b);
      let shared = 0;
      let either = 0;
      for (const h of a) {
        const weight = this.rarity(feature, h, numbers);
        either += weight;
        if (inB.delete(h)) shared += weight;
      }
      for (const h of inB) either += this.rarity(feature, h, numbers);
      return either ? shared / either : 0;
    }
    rarity(feature, h, numbers) {
      const rare = Math.log((this.compared(feature) + 2) / ((this.frequency.get(feature + h) ?? 0) + 0.5));
      return Math.max(0.1, rare) * (isNumber(h) ? numbers : 1);
    }
  };
  function surviving(m, survival2) {
    return Math.max(0.05, m * survival2);
  }
  function sum(features, of) {
    return features.reduce((total, feature) => total + of(feature), 0);
  }

  // src/locate/fingerprint.ts
  var MOST_RIVALS = 8;
  var NEAR = 25;
  var LOOKED_AT = 24;
  var MOST_READ = 150;
  function fingerprint(el, key2) {
    const rect = el.getBoundingClientRect();
    const own = ownOf(el, key2);
    const around2 = aroundOf(el, key2);
    const role = roleOf(el);
    const print = {
      key: key2,
      tag: repeatsSecret(el.localName) ? "" : el.localName,
      own: packed(own),
      around: packed(around2),
      page: samplePage(key2),
      box: [rect.x + scrollX, rect.y + scrollY, rect.width, rect.height].map(Math.round)
    };
    if (role) print.role = role;
    return { ...print, ...lookAlikes(el, key2, { ...own, ...around2 }) };
  }
  function evidenceOf(print) {
    return { ...unpacked(print.own), ...unpacked(print.around) };
  }
  function unpacked(all) {
    return Object.fromEntries(Object.entries(all ?? {}).map(([feature, hashes]) => [feature, unpack(hashes)]));
  }
  function packed(evidence) {
    return Object.fromEntries(Object.entries(evidence).map(([feature, hashes]) => [feature, pack(hashes)]));
  }
  function lookAlikes(el, key2, target) {
    const all = alike(el.localName, roleOf(el), el.ownerDocument);
    if (!all.includes(el)) all.push(el);
    const twins = twinsOf(el, all);
    const rivals = closest(el, key2, target, worthReading(all, el, twins)).map((rival) => difference(rival, target));
    return {
      alike: [all.indexOf(el), all.length],
      ...twins.length > 1 ? { twins: [twins.indexOf(el), twins.length] } : {},
      ...rivals.length ? { rivals: distinct(rivals).slice(0, MOST_RIVALS) } : {}
    };
  }
  function closest(el, key2, target, read3) {
    const at = read3.indexOf(el);
    const owns = read3.map((other) => ownOf(other, key2));
    const scale = new Scale(target, UNCHANGED);
    scale.compare(OWN_FEATURES, owns);
    const order = owns.map((own, i) => ({ i, weight: scale.own(own) })).filter(({ i }) => i !== at).sort((a, b) => b.weight - a.weight);
    const looked = [at - 1, at + 1].filter((i) => read3[i]).map((i) => ({ i, weight: Infinity })).concat(order.slice(0, LOOKED_AT)).map(({ i, weight }) => ({ weight, evidence: { ...owns[i], ...aroundOf(read3[i], key2) } }));
    scale.compare(AROUND_FEATURES, looked.map(({ evidence }) => evidence));
    return looked.map(({ weight, evidence }) => ({ evidence, weight: weight + scale.around(evidence) })).sort((a, b) => b.weight - a.weight).map(({ evidence }) => evidence);
  }
  var UNCHANGED = { none: 1, words: 1, ids: 1, classes: 1 };
  function distinct(rivals) {
    return [...new Map(rivals.map((rival) => [JSON.stringify(rival), rival])).values()];
  }
  function worthReading(all, el, twins) {
    if (all.length <= MOST_READ) return all;
    const at = all.indexOf(el);
    const text2 = el.textContent;
    const near = new Set(all.slice(Math.max(0, at - NEAR), at + NEAR));
    for (const other of twins) if (near.size < MOST_READ) near.add(other);
    const texts = textsOf(all);
    for (let i = 0; i < all.length && near.size < MOST_READ; i++) if (texts[i] === text2) near.add(all[i]);
    return all.filter((other) => near.has(other));
  }
  function difference(rival, target) {
    const different = {};
    for (const feature of [...OWN_FEATURES, ...AROUND_FEATURES]) {
      if (!same(rival[feature], target[feature])) different[feature] = pack(rival[feature] ?? []);
    }
    return different;
  }
  var KINDS = {
    button: "press",
    link: "press",
    tab: "press",
    menuitem: "press",
    option: "press",
    treeitem: "press",
    gridcell: "press",
    checkbox: "check",
    radio: "check",
    switch: "check",
    menuitemcheckbox: "check",
    menuitemradio: "check",
    textbox: "text",
    searchbox: "text",
    combobox: "text",
    spinbutton: "text",
    slider: "text",
    listbox: "choice"
  };
  var PRESSED = /* @__PURE__ */ new Set(["submit", "button", "reset", "image"]);
  var CHECKED = /* @__PURE__ */ new Set(["checkbox", "radio"]);
  var NOT_TYPED_IN = /* @__PURE__ */ new Set([...PRESSED, ...CHECKED, "hidden"]);
  var TAGGED = {
    press: { tags: /* @__PURE__ */ new Set(["a", "button", "summary", "area", "input"]), is: (el) => el.localName !== "input" || PRESSED.has(el.type) },
    text: { tags: /* @__PURE__ */ new Set(["input", "textarea"]), is: (el) => el.localName !== "input" || !NOT_TYPED_IN.has(el.type) },
    choice: { tags: /* @__PURE__ */ new Set(["select"]), is: () => true },
    check: { tags: /* @__PURE__ */ new Set(["input"]), is: (el) => CHECKED.has(el.type) }
  };
  function kindOf2(tag, role) {
    if (tag === "select") return "choice";
    return KINDS[role] ?? (tag === "a" || tag === "summary" ? "press" : tag === "input" || tag === "textarea" ? "text" : "other");
  }
  function alike(tag, role, root) {
    const wanted = kindOf2(tag, role);
    const kind = wanted === "other" ? "press" : wanted;
    const selector = [...TAGGED[kind].tags, "[role]", ...kind === "text" ? ["[contenteditable]"] : [], ...wanted === "other" ? [CSS.escape(tag)] : []].join();
    const found2 = [];
    eachRoot(root, (r) => {
      const unsure = new Set(UNSURE.flatMap((s) => [...r.querySelectorAll(s)]));
      r.querySelectorAll(selector).forEach((el) => {
        if (!unsure.has(el) || isOfKind(el, kind) || wanted === "other" && el.localName === tag) found2.push(el);
      });
    });
    return found2;
  }
  var UNSURE = ["input", "[role]", "[contenteditable]"];
  function isOfKind(el, kind) {
    const { tags, is } = TAGGED[kind];
    if (tags.has(el.localName) && is(el)) return true;
    const given = el.getAttribute("role");
    return given !== null && KINDS[given] === kind || kind === "text" && el.hasAttribute("contenteditable");
  }
  function isAlike(el, tag, role) {
    const [was, is] = [kindOf2(tag, role), kindOf2(el.localName, roleOf(el))];
    return is === was || was === "other" && (is === "press" || el.localName === tag);
  }
  var CHEAPEST_FIRST = ["href", "name", "label", "id", "class", "type", "options", "placeholder", "testid", "other", "inner"];
  function twinsOf(el, all) {
    const tag = el.localName;
    const own = CHEAPEST_FIRST.map((feature) => ({ read: ITSELF[feature], says: ITSELF[feature](el) }));
    const labelled = holdsValue(el) || el.hasAttribute("aria-labelledby");
    const isTwin2 = (other) => !labelled && el.isEqualNode(other) || own.every(({ read: read3, says }) => saysSame(read3(other), says));
    const texts = textsOf(all);
    const mayBe = callsItself(el);
    return all.filter((other, i) => other === el || mayBe(other, texts[i]) && other.localName === tag && isTwin2(other));
  }
  var textsOfAll = perPass();
  function textsOf(all) {
    return textsOfAll(all, () => all.map((el) => el.textContent));
  }
  function callsItself(el) {
    const special = /* @__PURE__ */ new Set();
    eachRoot(el.ownerDocument, (root) => notPlain(el.localName, root).forEach((other) => special.add(other)));
    const itself = el.textContent;
    if (special.has(el) || holdsValue(el) || !itself.trim()) return () => true;
    const isIt = saying(labelOf(el).toLowerCase());
    return (other, text2) => text2 === itself || isIt(text2.slice(0, LONGEST_LABEL).toLowerCase()) || special.has(other) || !text2.trim();
  }
  function saysSame(a, b) {
    return a.length === b.length && a.every((text2, i) => text2 === b[i] || text2.toLowerCase() === b[i]?.toLowerCase());
  }
  var SPEAKING3 = "a,button,label,h1,h2,h3,h4,th,legend";
  var SAMPLE = 20;
  var LONGEST2 = 60;
  var STAYS = 0.95;
  var PRIOR2 = 2;
  var SORTS = {
    words: { selector: SPEAKING3, read: (el) => [normalize(shownText(el, LONGEST2))] },
    ids: { selector: "[id]", read: (el) => [isGenerated(el.id) ? "" : el.id] },
    classes: { selector: "[class]", read: (el) => [...el.classList].slice(0, 2).filter((name) => !isGenerated(name)) }
  };
  function samplePage(key2) {
    const sample = {};
    for (const [sort, { selector, read: read3 }] of Object.entries(SORTS)) {
      const hashes = /* @__PURE__ */ new Set();
      for (const el of spreadOver(selector)) {
        for (const value of read3(el)) if (value && !repeatsSecret(value)) hashes.add(hash(key2, value));
        if (hashes.size >= SAMPLE) break;
      }
      if (hashes.size) sample[sort] = pack([...hashes].slice(0, SAMPLE));
    }
    return sample;
  }
  var WINDOW = 30;
  function spreadOver(selector) {
    const everything = document.getElementsByTagName("*");
    const stride = Math.max(1, Math.floor(everything.length / (2 * SAMPLE)));
    const found2 = [];
    for (let start = 0; start < everything.length; start += stride) {
      for (let i = start; i < Math.min(start + stride, start + WINDOW, everything.length); i++) {
        const el = everything[i];
        if (!el.matches(selector)) continue;
        found2.push(el);
        break;
      }
    }
    return found2.length < SAMPLE ? every(document.querySelectorAll(selector)) : found2;
  }
  function every(all) {
    const stride = Math.max(1, Math.floor(all.length / (2 * SAMPLE)));
    return Array.from({ length: Math.ceil(all.length / stride) }, (_, i) => all[i * stride]);
  }
  function survival(key2, sample = {}) {
    return { none: 1, words: part("words", key2, sample), ids: part("ids", key2, sample), classes: part("classes", key2, sample) };
  }
  function part(sort, key2, sample) {
    const missing = new Set(unpack(sample[sort] ?? ""));
    const total = missing.size;
    const seen = /* @__PURE__ */ new Set();
    for (const el of total ? document.querySelectorAll(SORTS[sort].selector) : []) {
      for (const value of SORTS[sort].read(el)) {
        if (seen.has(value)) continue;
        seen.add(value);
        missing.delete(hash(key2, value));
      }
      if (!missing.size) break;
    }
    return (total - missing.size + PRIOR2 * STAYS) / (total + PRIOR2);
  }

  // src/describe/blockers.ts
  var CHALLENGES = [
    { by: "Cloudflare", title: /^(just a moment|attention required)/i, element: "#challenge-form,#challenge-running,#challenge-stage,#cf-challenge-running,script[src*='/cdn-cgi/challenge-platform/']" },
    { by: "DataDome", element: "iframe[src*='captcha-delivery.com']" },
    { by: "HUMAN", element: "#px-captcha" },
    { by: "AWS WAF", element: "#captcha-container script[src*='awswaf'],#challenge-container script[src*='awswaf']" },
    { by: "Imperva", element: "iframe[src*='_Incapsula_Resource']" },
    { by: "Google", element: "form#captcha-form" }
  ];
  var WIDGETS = [
    { by: "Cloudflare Turnstile", url: /^https:\/\/challenges\.cloudflare\.com\// },
    { by: "hCaptcha", url: /^https:\/\/([a-z0-9-]+\.)*hcaptcha\.com\// },
    { by: "reCAPTCHA", url: /^https:\/\/(www\.)?(google\.com|recaptcha\.net)\/recaptcha\/(api2|enterprise)\/(anchor|bframe)(?!.*size=invisible)/ },
    { by: "Arkose", url: /^https:\/\/([a-z0-9-]+\.)*(arkoselabs|funcaptcha)\.com\// },
    { by: "GeeTest", url: /^https:\/\/([a-z0-9-]+\.)*geetest\.com\// }
  ];
  var LEAST_WIDTH = 200;
  var LEAST_HEIGHT = 50;
  var NOT_TYPED = /* @__PURE__ */ new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);
  function wall(frames) {
    const check = challenge() ?? widget(frames);
    if (check) return { kind: "human_check", by: check };
    const fields = visibleFields();
    if (fields.some((field) => autocompleteOf(field).includes("one-time-code"))) return { kind: "one_time_code" };
    if (fields.some((field) => field.type === "password") || isAskedForName(fields)) return { kind: "sign_in" };
    return isAskedForConsent() ? { kind: "consent" } : null;
  }
  function challenge() {
    return CHALLENGES.find(({ title, element: element2 }) => title?.test(document.title) || element2 && [...document.querySelectorAll(element2)].some((el) => el instanceof HTMLScriptElement || isVisible(el)))?.by;
  }
  function widget(frames) {
    const seen = /* @__PURE__ */ new Map();
    eachRoot(document, (root) => {
      for (const frame2 of root.querySelectorAll("iframe")) {
        const { width, height } = frame2.getBoundingClientRect();
        seen.set(frame2.src, isVisible(frame2) && width >= LEAST_WIDTH && height >= LEAST_HEIGHT);
      }
    });
    const known2 = [...seen.keys(), ...frames].filter((url) => seen.get(url) ?? true);
    return WIDGETS.find(({ url }) => known2.some((address) => url.test(address)))?.by;
  }
  function visibleFields() {
    const fields = [];
    eachRoot(document, (root) => fields.push(...root.querySelectorAll("input")));
    return fields.filter((field) => field.type !== "hidden" && isVisible(field));
  }
  function isAskedForName(fields) {
    const typed = fields.filter((field) => !NOT_TYPED.has(field.type));
    return typed.length === 1 && autocompleteOf(typed[0]).includes("username");
  }
  function isAskedForConsent() {
    const middle2 = deepElementFromPoint(innerWidth / 2, innerHeight / 2);
    return middle2 !== null && inConsent(middle2);
  }
  var BANNER = /cookie|consent|gdpr|ccpa|onetrust|didomi|usercentrics|trustarc|cookiebot|quantcast|privacy-(banner|notice|manager)/i;
  var BANNER_DEPTH = 12;
  function inConsent(el) {
    let at = el;
    for (let depth = 0; at && depth < BANNER_DEPTH; depth++, at = composedParent(at)) {
      if (at === document.body || at === document.documentElement) return false;
      const names2 = [at.id, at.getAttribute("class"), at.getAttribute("aria-label"), at.getAttribute("aria-labelledby"), at.localName];
      if (names2.some((name) => name && BANNER.test(name))) return true;
    }
    return false;
  }

  // src/describe/describe.ts
  var LONGEST_NAME = 80;
  var LONGEST_TEXT = 50 * LONGEST_NAME;
  function describe(el, key2, testIdAttribute = "") {
    const own = testIdAttribute ? { testIdAttribute } : {};
    return withTestId(testIdAttribute, () => inOnePass(() => ({ candidates: paths(el), fingerprint: { ...fingerprint(el, key2), ...own }, place: placePath(el) })));
  }
  var quotable = (text2) => !repeatsSecret(text2);
  function paths(el) {
    const root = rootOf(el);
    const host = root instanceof ShadowRoot ? hostPath(root.host) : [];
    return candidates2(el, root).filter(quotable).map((selector) => [...host, selector]);
  }
  function hostPath(host) {
    const root = rootOf(host);
    const own = candidates2(host, root).find(quotable) ?? placeIn(host, root);
    return [...root instanceof ShadowRoot ? hostPath(root.host) : [], own];
  }
  function candidates2(el, root) {
    const visible = isVisible(el);
    const unique = (selector) => selector !== null && quotable(selector) && isUnique(selector, el, root, visible);
    const xpath = root instanceof Document ? [structuralXPath(el)] : [];
    return [testId(el), roleAndName(el), placeholder(el), idSelector(el), nameAttribute(el), text(el)].filter(unique).concat(structuralCSS(el, root), xpath);
  }
  function placePath(el) {
    const root = rootOf(el);
    return [...root instanceof ShadowRoot ? placePath(root.host) : [], placeIn(el, root)];
  }
  function placeIn(el, root) {
    const steps = [];
    for (let at = el; at; at = at.parentElement) {
      let place = 1;
      for (let before = at.previousElementSibling; before; before = before.previousElementSibling) place++;
      steps.unshift(at.parentElement || root instanceof ShadowRoot ? `:nth-child(${place})` : ":root");
    }
    return steps.join(" > ");
  }
  function isUnique(selector, el, root, visible) {
    let itself = false;
    for (const found2 of named2(selector, root)) {
      if (found2 === el) itself = true;
      else if (!visible || isVisible(found2)) return false;
    }
    return itself;
  }
  function named2(selector, root) {
    const { kind, body } = parse(selector);
    switch (kind) {
      case "aria":
        return eachByAria(body, root);
      case "text":
        return eachSaying(body, root);
      default:
        return queryAll(selector, root);
    }
  }
  function* eachSaying(words2, root) {
    for (const el of textHolders(words2, root)) if (saysExactly(el, words2)) yield el;
  }
  function testId(el) {
    const marked = testIdOf(el);
    if (!marked) return null;
    return isKnownTestId(marked.attribute) ? format("testid", marked.value) : attribute(marked.attribute, marked.value);
  }
  function roleAndName(el) {
    const role = roleOf(el);
    const name = nameOf(el);
    return role && name && name.length <= LONGEST_NAME ? format("aria", `${name}[role="${role}"]`) : null;
  }
  function placeholder(el) {
    const value = el.getAttribute("placeholder");
    return value && value.length <= LONGEST_NAME ? attribute("placeholder", value) : null;
  }
  function idSelector(el) {
    return el.id && !isGenerated(el.id) && quotable(el.id) ? `#${CSS.escape(el.id)}` : null;
  }
  function nameAttribute(el) {
    const name = el.getAttribute("name");
    if (!name || isGenerated(name)) return null;
    const value = el.type === "radio" ? attribute("value", el.value) : "";
    return el.localName + attribute("name", name) + value;
  }
  function text(el) {
    if (el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement) return null;
    if (el.isContentEditable || el === document.body || el === document.documentElement) return null;
    const start = textStart(el, LONGEST_TEXT);
    const words2 = start.length < LONGEST_TEXT ? normalize(start) : "";
    return words2 && words2.length <= LONGEST_NAME ? format("text", words2) : null;
  }
  function attribute(name, value) {
    return `[${name}="${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\a ")}"]`;
  }
  function structuralCSS(el, root) {
    let chain = "";
    for (let at = el; at; at = at.parentElement) {
      const own = idSelector(at) ?? step(at);
      const placed = own + nth(at);
      for (const selector of /* @__PURE__ */ new Set([own, placed])) {
        const tried = chain ? `${selector} > ${chain}` : selector;
        if (namesAlone(tried, el, root)) return tried;
      }
      chain = chain ? `${placed} > ${chain}` : placed;
    }
    return chain;
  }
  function namesAlone(selector, el, root) {
    return root.querySelector(selector) === el && root.querySelectorAll(selector).length === 1;
  }
  function step(el) {
    const name = el.getAttribute("name");
    if (name && !isGenerated(name) && quotable(name)) return el.localName + attribute("name", name);
    const classes = [...el.classList].filter((c) => !isGenerated(c) && quotable(c)).slice(0, 2);
    return el.localName + classes.map((c) => `.${CSS.escape(c)}`).join("");
  }
  function nth(el) {
    const place = el.parentElement ? placeAmongAlike(el) : 0;
    return place ? `:nth-of-type(${place})` : "";
  }
  function structuralXPath(el) {
    let path = "";
    for (let at = el; at; at = at.parentElement) {
      if (at.id && !isGenerated(at.id) && quotable(at.id) && !at.id.includes('"') && namesAlone(`#${CSS.escape(at.id)}`, at, document)) {
        return format("xpath", `//*[@id="${at.id}"]${path}`);
      }
      path = `/${xpathStep(at)}${path}`;
    }
    return format("xpath", path);
  }
  function xpathStep(el) {
    const test = el instanceof HTMLElement ? el.localName : `*[local-name()="${el.localName}"]`;
    const place = placeAmongAlike(el);
    return place ? `${test}[${place}]` : test;
  }
  function placeAmongAlike(el) {
    let place = 1;
    for (let at = el.previousElementSibling; at; at = at.previousElementSibling) if (at.localName === el.localName) place++;
    if (place > 1) return place;
    for (let at = el.nextElementSibling; at; at = at.nextElementSibling) if (at.localName === el.localName) return place;
    return 0;
  }
  var key = "";
  var userTestId = "";
  function describeWith(hashKey, testIdAttribute) {
    key = hashKey;
    userTestId = testIdAttribute;
  }
  var described = /* @__PURE__ */ new WeakSet();
  function forgetTold() {
    described = /* @__PURE__ */ new WeakSet();
  }
  function tell(el, anew) {
    const ref = refOf(el);
    if (described.has(el) && !anew) return { ref };
    described.add(el);
    return { ref, ...describe(el, key, userTestId), ...particulars(el) };
  }
  function particulars(el) {
    const field = fieldOf(el);
    const about2 = { tag: quote(el.localName), role: roleOf(el), label: quote(nameOf(el)), visible: isVisible(el), consent: inConsent(el) };
    if (!field) return about2;
    return {
      ...about2,
      label: about2.label || quote(labelsOf(field).map((l) => l.textContent).join(" ")),
      inputType: kindOf(field),
      autocomplete: autocompleteOf(field).filter((token2) => !repeatsSecret(token2)),
      field: [field.getAttribute("name") ?? "", field.id].map((name) => repeatsSecret(name) ? "" : name),
      secret: isSensitive(field),
      editable: isTextEntry(field),
      limits: limitsOf(field)
    };
  }
  function quote(text2) {
    return repeatsSecret(text2) ? "" : normalize(text2).slice(0, 120);
  }
  function limitsOf(field) {
    const limits = {};
    for (const name of ["maxlength", "minlength", "pattern", "min", "max"]) {
      const value = field.getAttribute(name);
      if (value && !repeatsSecret(value)) limits[name] = value;
    }
    return limits;
  }
  var INTERACTIVE = /* @__PURE__ */ new Set([
    "button",
    "checkbox",
    "combobox",
    "gridcell",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem"
  ]);
  function used(hit2) {
    for (let el = hit2; el; el = composedParent(el)) {
      if (INTERACTIVE.has(roleOf(el)) || el.localName === "label" || el.localName === "summary") return el;
      if (el.isContentEditable) return editingHost(el);
    }
    return hit2;
  }

  // src/locate/locate.ts
  function isFound(located) {
    return located.element !== void 0;
  }
  function locate(wanted) {
    return look(wanted, false);
  }
  function look(wanted, inHaste) {
    return withTestId(wanted.fingerprint?.testIdAttribute, () => inOnePass(() => new Look(wanted).located(inHaste)));
  }
  var Look = class {
    // all elements of the wanted one's kind
    constructor(wanted) {
      this.wanted = wanted;
    }
    wanted;
    tried = [];
    usable = [];
    // of each path
    ofKind;
    /** The element of the first selector, if all that was known of it still holds. */
    unchanged() {
      const print = this.wanted.fingerprint;
      const [element2, other] = this.named(0);
      if (!element2 || other && !this.wanted.any) return void 0;
      if (!print?.own || this.wanted.any) return element2;
      return isUnchanged(element2, print) && this.isInItsTurn(element2, print) ? element2 : void 0;
    }
    /** Where the element is; in haste, only if nothing about it has changed. */
    located(inHaste = false) {
      const element2 = this.unchanged();
      if (element2) return this.found(element2, 1);
      if (inHaste) return this.refused("gone", []);
      const print = this.wanted.fingerprint;
      this.wanted.paths.forEach((_, i) => this.named(i));
      return print?.own ? this.weighed(print) : this.bySelectors();
    }
    /** What a selector names and can be used. */
    named(i) {
      const before = this.usable[i];
      if (before) return before;
      const path = this.wanted.paths[i] ?? [];
      const all = queryPath(path, document);
      const visible = all.filter(isVisible);
      this.tried[i] = { selector: path, count: all.length, visible: visible.length };
      return this.usable[i] = this.wanted.hidden ? preferVisible(all) : visible;
    }
    /** Without a fingerprint the first selector counts that names one. */
    bySelectors() {
      const only = this.usable.find((elements) => elements.length === 1 || elements.length > 1 && this.wanted.any);
      const [element2] = only ?? [];
      if (element2) return this.found(element2, 1);
      return this.refused(this.usable.some((elements) => elements.length > 1) ? "ambiguous" : "gone", []);
    }
    weighed(print) {
      const elements = this.candidates(print);
      const verdict = judge({
        wanted: evidenceOf(print),
        rivals: (print.rivals ?? []).map(unpacked),
        twins: print.twins ?? [],
        alike: print.alike ?? [],
        survival: survival(print.key, print.page),
        candidates: elements.map((el) => this.candidate(el, print))
      });
      const chosen = verdict.chosen === void 0 ? void 0 : elements[verdict.chosen];
      const considered = consider(verdict, elements);
      if (chosen) return { ...this.found(chosen, verdict.confidence), considered };
      return this.refused(verdict.code ?? "gone", considered);
    }
    candidates(print) {
      const elements = new Set(this.alike(print));
      for (const named4 of this.usable) for (const el of named4) if (isAlike(el, print.tag, print.role ?? "")) elements.add(el);
      return [...elements];
    }
    candidate(el, print) {
      return {
        own: ownOf(el, print.key),
        around: () => aroundOf(el, print.key),
        placed: this.placed(el),
        usable: () => !!this.wanted.hidden || isVisible(el)
      };
    }
    /** What part of the selectors that only tell a place name an element. */
    placed(el) {
      const structural = this.wanted.paths.map((path, i) => isStructural(path) ? this.usable[i] : void 0).filter((named4) => named4 !== void 0);
      const naming = structural.filter((named4) => named4.length === 1 && named4[0] === el);
      return structural.length ? naming.length / structural.length : 0;
    }
    /** Of elements that say the same, whether it is the one that it was, and none has come or gone. */
    isInItsTurn(el, print) {
      if (!print.twins && !isStructural(this.wanted.paths[0] ?? [])) return true;
      const all = this.alike(print);
      if (!print.twins) return print.alike?.[1] === all.length;
      const [turn, count] = print.twins;
      const twins = twinsOf(el, all);
      return twins.length === count && twins.indexOf(el) === turn && all.indexOf(el) === print.alike?.[0];
    }
    alike(print) {
      return this.ofKind ??= alike(print.tag, print.role ?? "", document);
    }
    found(element2, confidence) {
      const names2 = this.wanted.paths.map((path, i) => this.stillNames(path, i, element2));
      const lost = names2.flatMap((still2, i) => still2 ? [] : [i]);
      return { element: element2, matched: names2.indexOf(true), lost, drift: this.drift(element2, lost.length), confidence, tried: this.tried, considered: [] };
    }
    /** Of a selector that was not asked it is only known whether it fits the element, which is quickly seen. */
    stillNames(path, i, element2) {
      const named4 = this.usable[i];
      return named4 ? named4.includes(element2) && (named4.length === 1 || !!this.wanted.any) : fits(element2, path.at(-1) ?? "");
    }
    drift(el, lost) {
      const print = this.wanted.fingerprint;
      const selectors = lost / Math.max(1, this.wanted.paths.length);
      if (!print?.own) return round(selectors);
      const own = changedPart(OWN_FEATURES, unpacked(print.own), ownOf(el, print.key));
      const around2 = changedPart(AROUND_FEATURES, unpacked(print.around), aroundOf(el, print.key));
      return round(DRIFT_SELECTORS * selectors + DRIFT_OWN * own + DRIFT_AROUND * around2);
    }
    refused(code, considered) {
      return { matched: -1, lost: [], drift: 1, code, confidence: 0, tried: this.tried, considered };
    }
  };
  var MOST_CONSIDERED = 3;
  function consider(verdict, elements) {
    return verdict.opinions.slice(0, MOST_CONSIDERED).map((o) => ({
      element: brief(elements[o.index]),
      weight: Math.round(o.total * 10) / 10,
      for: o.for,
      against: o.against
    }));
  }
  function isUnchanged(el, print) {
    if (!isAlike(el, print.tag, print.role ?? "") || !sameOwn(unpacked(print.own), ownOf(el, print.key))) return false;
    const was = unpacked(print.around);
    const is = aroundOf(el, print.key);
    if (print.twins && !TELLING_TWINS.every((f) => same(was[f], is[f]))) return false;
    const known2 = AROUND_FEATURES.filter((f) => was[f] || is[f]);
    return known2.filter((f) => same(was[f], is[f])).length >= known2.length / 2;
  }
  var DRIFT_SELECTORS = 0.6;
  var DRIFT_OWN = 0.25;
  var DRIFT_AROUND = 0.15;
  function changedPart(features, was, is) {
    const known2 = features.filter((f) => was[f]);
    return known2.length ? known2.filter((f) => !same(was[f], is[f])).length / known2.length : 0;
  }
  function round(part2) {
    return Math.round(part2 * 100) / 100;
  }
  function isStructural(path) {
    const last2 = path.at(-1) ?? "";
    const { kind } = parse(last2);
    return kind === "xpath" || kind === "css" && /[ >]|:nth/.test(last2);
  }
  var SETTLED_MS = 150;
  var FALLBACK_AFTER_MS = 1500;
  var Finder = class {
    constructor(wanted) {
      this.wanted = wanted;
    }
    wanted;
    quiet = new Quiet();
    started = performance.now();
    look() {
      const located = look(this.wanted, !this.rests());
      return isFound(located) ? located : void 0;
    }
    /** Looks with all that is known, for the report of a failure. */
    lookEverywhere() {
      return locate(this.wanted);
    }
    stop() {
      this.quiet.stop();
    }
    /** Whether the page has come to rest, or has had its time for it. */
    rests() {
      const waited = performance.now() - this.started;
      return waited > FALLBACK_AFTER_MS || isReady() && this.quiet.for() >= SETTLED_MS;
    }
  };
  var MUST_STAY = ["testid", "name", "href", "placeholder", "label", "row"];
  function stillIs(el, print) {
    if (!print?.own) return () => true;
    const look2 = () => withTestId(print.testIdAttribute, () => inOnePass(() => snapshot(el, print)));
    const was = look2();
    return () => isAs(look2(), was);
  }
  function snapshot(el, print) {
    const twins = print.twins ? twinsOf(el, alike(print.tag, print.role ?? "", document)) : [el];
    return { evidence: { ...ownOf(el, print.key), ...aroundOf(el, print.key) }, turn: twins.indexOf(el), twins: twins.length };
  }
  function isAs(is, was) {
    return is.turn === was.turn && is.twins === was.twins && MUST_STAY.every((feature) => same(is.evidence[feature], was.evidence[feature]));
  }

  // src/secret/repeats.ts
  var Repeats = class {
    texts = /* @__PURE__ */ new Set();
    attributes = /* @__PURE__ */ new Map();
    // "" is what a field holds
    around = /* @__PURE__ */ new Set();
    // what holds such a text
    get any() {
      return this.texts.size > 0 || this.attributes.size > 0;
    }
    addText(text2) {
      this.texts.add(text2);
      for (let at = parentOf(text2); at && !this.around.has(at); at = parentOf(at)) this.around.add(at);
    }
    addAttribute(el, name) {
      this.attributes.set(el, (this.attributes.get(el) ?? /* @__PURE__ */ new Set()).add(name));
    }
    /** Whether a text within the element repeats a secret. */
    within(el) {
      return this.around.has(el);
    }
    /** Adds texts that stand in a row on the screen, whatever their order in the document. */
    addShown(texts) {
      const placed = [];
      for (const text2 of texts) {
        const range = document.createRange();
        range.selectNodeContents(text2);
        const { top, left: left2, height } = range.getBoundingClientRect();
        if (height > 0) placed.push({ text: text2, top: Math.round((top + height / 2) / LINE), left: left2 });
      }
      placed.sort((a, b) => a.top - b.top || a.left - b.left);
      const stream = new Stream();
      for (const { text: text2 } of placed) stream.add(text2.data, text2);
      for (const index of indexes()) stream.owners(index, (text2) => this.addText(text2));
    }
    /** Whether the element repeats one by an attribute, by any where none is named. */
    by(el, name) {
      const names2 = this.attributes.get(el);
      return names2 !== void 0 && (name === void 0 || names2.has(name));
    }
  };
  var LINE = 8;
  var NOTHING = new Repeats();
  var repeatsInPass = perPass();
  function repeats() {
    return knowsSecrets() ? repeatsInPass("all", find) : NOTHING;
  }
  function repeatsAny() {
    return knowsSecrets() && inOnePass(() => repeats().any || repeatsSecret(document.title));
  }
  function parentOf(node) {
    const parent = node.parentNode;
    return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
  }
  var NO_WORDS2 = /* @__PURE__ */ new Set(["style", "d", "points", "transform", "viewBox"]);
  function find() {
    const found2 = new Repeats();
    const all = new Stream();
    const shown2 = new Stream();
    const attributes = /* @__PURE__ */ new Map();
    const add = (name, el, value) => {
      if (repeatsSecret(value)) found2.addAttribute(el, name);
      const stream = attributes.get(name) ?? new Stream();
      attributes.set(name, stream);
      stream.add(value, el);
    };
    walk(document, (node) => {
      if (node instanceof Text) {
        if (!/\S/.test(node.data)) return;
        if (repeatsSecret(node.data)) found2.addText(node);
        all.add(node.data, node);
        if (parentOf(node)?.checkVisibility()) shown2.add(node.data, node);
        return;
      }
      for (const { name, value } of node.attributes) if (value && !NO_WORDS2.has(name)) add(name, node, value);
      if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) {
        if (isSensitive(node)) return;
        add("", node, node.value);
      }
    });
    for (const index of indexes()) {
      for (const stream of [all, shown2]) stream.owners(index, (text2) => found2.addText(text2));
      for (const [name, stream] of attributes) stream.owners(index, (el) => found2.addAttribute(el, name));
    }
    return found2;
  }
  function walk(node, visit) {
    if (node instanceof Text) return visit(node);
    if (node instanceof Element) {
      visit(node);
      if (NOT_READ.has(node.localName)) return;
      const shadow = shadowOf(node);
      if (shadow) walk(shadow, visit);
    }
    for (let child = node.firstChild; child; child = child.nextSibling) walk(child, visit);
  }
  var NOT_READ = /* @__PURE__ */ new Set(["script", "style", "noscript", "template"]);
  var Stream = class {
    points = { folded: [], joined: [] };
    ends = { folded: [], joined: [] };
    // of each part
    parts = [];
    add(text2, owner) {
      this.parts.push(owner);
      for (const view of VIEWS) {
        for (const point of read(text2, view)) this.points[view].push(point);
        this.ends[view].push(this.points[view].length);
      }
    }
    /** Calls own with the owner of every part that has a share in a piece. */
    owners(index, own) {
      for (const view of VIEWS) {
        index.find(view, this.points[view], (at, length) => {
          for (let part2 = this.partAt(view, at); part2 < this.parts.length && (this.ends[view][part2 - 1] ?? 0) < at + length; part2++) own(this.parts[part2]);
          return false;
        });
      }
    }
    /** The part that a place lies in. */
    partAt(view, at) {
      let low = 0;
      for (let high = this.parts.length; low < high; ) {
        const middle2 = low + high >> 1;
        if (this.ends[view][middle2] > at) high = middle2;
        else low = middle2 + 1;
      }
      return low;
    }
  };
  var HIDDEN = "[hidden: it repeats a secret]";

  // src/secret/withhold.ts
  function guardSecrets(secrets) {
    if (!secrets) return;
    rememberPieces(secrets);
    watchCarrying();
  }
  var HARMLESS = /* @__PURE__ */ new Set(["Enter", "Tab", "Escape", "NumpadEnter"]);
  function whyNoKey(key2, modifiers2, mayPaste) {
    const focused = deepActiveElement();
    if (!document.hasFocus() || focused instanceof HTMLIFrameElement) return null;
    const command = modifiers2.some((one2) => one2 === "Control" || one2 === "Meta" || one2 === "ControlOrMeta");
    if (!mayPaste && (command && key2.toLowerCase() === "v" || key2 === "Insert" && modifiers2.includes("Shift") || key2 === "Paste")) {
      return "the clipboard may hold a secret that was typed at another origin: nothing is pasted here";
    }
    const field = focused && fieldOf(focused);
    if (field && isSensitive(field) && !(HARMLESS.has(key2) && !command)) return "the field holds a secret: it is typed as a whole, and takes no other keys than Enter, Tab and Escape";
    if (command && takesSelection()) return "what is selected repeats a secret: it is not copied";
    return "";
  }
  function takesSelection() {
    if (!knowsSecrets()) return false;
    const focused = deepActiveElement();
    const field = focused && fieldOf(focused);
    if (field && isSensitive(field)) return true;
    const selection = getSelection();
    if (!selection || selection.isCollapsed) return false;
    return inOnePass(() => {
      const { texts } = repeats();
      for (let i = 0; i < selection.rangeCount; i++) {
        const range = selection.getRangeAt(i);
        for (const text2 of texts) if (range.intersectsNode(text2)) return true;
      }
      return false;
    });
  }
  var watching = false;
  function watchCarrying() {
    if (watching) return;
    watching = true;
    for (const type of ["copy", "cut", "dragstart"]) addEventListener(type, onCarry, { capture: true });
  }
  function onCarry(event) {
    const on = event.composedPath()[0];
    const dragged2 = event.type === "dragstart" && on instanceof Node && isSecretPart(on);
    if (!dragged2 && !takesSelection()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  function isSecretPart(node) {
    if (!knowsSecrets()) return false;
    return inOnePass(() => {
      const el = node instanceof Element ? node : node.parentElement;
      if (!el) return false;
      for (const field of [fieldOf(el), ...el.querySelectorAll("input,textarea,[contenteditable]")]) if (field && isSensitive(field)) return true;
      const found2 = repeats();
      return found2.within(el) || found2.by(el) || [...found2.attributes.keys()].some((one2) => composedContains(el, one2));
    });
  }
  var MARGIN2 = 2;
  async function covers(secrets) {
    guardSecrets(secrets);
    await findRoots();
    const boxes = [];
    for (const rect of inOnePass(rectsOfSecrets)) {
      const at = throughParents(rect.x, rect.y, true);
      if (typeof at === "string") continue;
      if (at.crossed) return null;
      boxes.push({ x: at.x - MARGIN2, y: at.y - MARGIN2, width: rect.width + 2 * MARGIN2, height: rect.height + 2 * MARGIN2 });
    }
    return boxes;
  }
  async function findRoots() {
    if (!knowsSecrets()) return;
    let asked = 0;
    eachRoot(document, (root) => {
      for (const el of root.querySelectorAll("*")) {
        if (asked < MOST_HOSTS && mayHost(el) && (!el.firstChild || isCustom(el)) && isVisible(el)) {
          askAgain(el);
          asked++;
        }
      }
    });
    await answers();
  }
  var MOST_HOSTS = 300;
  function rectsOfSecrets() {
    const found2 = /* @__PURE__ */ new Set();
    eachRoot(document, (root) => {
      for (const field of root.querySelectorAll("input,textarea,[contenteditable]")) if (isSensitive(field)) found2.add(field);
    });
    const rects = [];
    if (knowsSecrets()) {
      const repeated = repeats();
      repeated.addShown(shortTexts());
      const { texts, attributes } = repeated;
      for (const text2 of texts) {
        rects.push(...rectsOf(text2));
        const el = shows(text2);
        if (el) found2.add(el.closest("select") ?? el);
      }
      for (const [el, names2] of attributes) if ([...names2].some((name) => SHOWN2.has(name) || name !== "class" && el.matches("img,image,input[type=image]"))) found2.add(el);
      for (const one2 of drawn()) {
        if (one2 instanceof DOMRect) rects.push(one2);
        else found2.add(one2);
      }
    }
    return [...rects, ...[...found2].filter(isVisible).map((el) => el.getBoundingClientRect())];
  }
  var LETTERS = 5;
  function shortTexts() {
    const all = [];
    eachRoot(document, (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const text2 = walker.currentNode;
        const letters = text2.data.trim().length;
        if (letters > 0 && letters <= LETTERS && shows(text2)?.checkVisibility({ visibilityProperty: true })) all.push(text2);
      }
    });
    return all;
  }
  function shows(text2) {
    const root = text2.parentNode;
    return root instanceof ShadowRoot ? root.host : text2.parentElement;
  }
  function rectsOf(text2) {
    const el = shows(text2);
    if (!el || !isVisible(el)) return [];
    const range = document.createRange();
    range.selectNodeContents(text2);
    const rects = [...range.getClientRects()];
    const { textShadow, filter } = getComputedStyle(el);
    for (const [, dx, dy] of `${textShadow} ${filter}`.matchAll(/(-?[\d.]+)px (-?[\d.]+)px/g)) {
      for (const { x, y, width, height } of range.getClientRects()) rects.push(new DOMRect(x + Number(dx), y + Number(dy), width, height));
    }
    return rects;
  }
  var SHOWN2 = /* @__PURE__ */ new Set(["", "value", "placeholder", "alt", "label"]);
  var DRAWN = "canvas,video,object,embed";
  var LEAST_WIDTH2 = 24;
  function* drawn() {
    const made = new Stream();
    const marks2 = new Stream();
    const styled = [];
    const roots = [];
    eachRoot(document, (root) => {
      for (const el of root.querySelectorAll("*")) roots.push(el);
    });
    for (const el of roots) {
      if (el.matches(DRAWN)) yield el;
      else if (el instanceof HTMLImageElement || el instanceof SVGImageElement) {
        const address = el instanceof HTMLImageElement ? el.currentSrc || el.src : el.href.baseVal;
        if (isMadeHere(address) && el.getBoundingClientRect().width >= LEAST_WIDTH2) yield el;
      }
      const { width, height, top, bottom } = el.getBoundingClientRect();
      if (height < 1 || bottom < 0 || top > innerHeight) continue;
      const style = getComputedStyle(el);
      if (style.display === "list-item" && style.listStyleType.startsWith('"')) marks2.add(style.listStyleType, el);
      if (width < 1) continue;
      if (width >= LEAST_WIDTH2 && [style.backgroundImage, style.borderImageSource, style.maskImage, style.listStyleImage].some((image) => /\b(?:url\("?(?:data|blob):|paint\(|element\()/.test(image))) styled.push(el);
      for (const where of ["::before", "::after", "::marker"]) {
        const { content: content2 } = getComputedStyle(el, where);
        if (content2 === "none" || content2 === "normal" || content2 === '""') continue;
        if (repeatsSecret(content2)) yield el;
        made.add(content2, el);
      }
    }
    yield* styled;
    const all = /* @__PURE__ */ new Set();
    const marked = /* @__PURE__ */ new Set();
    for (const index of indexes()) {
      made.owners(index, (el) => all.add(el));
      marks2.owners(index, (el) => marked.add(el));
    }
    yield* all;
    for (const el of marked) {
      const { x, y, width, height } = el.getBoundingClientRect();
      yield new DOMRect(x - MARK_WIDTH, y, width + 2 * MARK_WIDTH, height);
    }
  }
  var MARK_WIDTH = 60;
  function isMadeHere(address) {
    return /^(?:data|blob):/.test(address);
  }
  function coverOf(owner) {
    const { x, y, width, height } = owner.getBoundingClientRect();
    const at = throughParents(x, y, true);
    return typeof at === "string" || at.crossed ? { x: 0, y: 0, width: 1e5, height: 1e5 } : { x: at.x, y: at.y, width, height };
  }
  function viewport() {
    return { width: innerWidth, height: innerHeight, x: scrollX, y: scrollY };
  }

  // src/act/commit.ts
  var MUCH = 600;
  var MANY = 30;
  var LONG = 80;
  var DIALOG = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[popover],[class*=modal i],[class*=dialog i],[class*=popover i],[class*=popup i]";
  var CARD = "tr,li,article,fieldset,form,section,aside,[role=row],[role=listitem],[role=form],[role=region],[role=group],[class*=card i],[class*=panel i],[class*=item i],[class*=box i]";
  var FIELD = "input:not([type=submit],[type=image],[type=button],[type=reset],[type=hidden]),textarea,select,[contenteditable=''],[contenteditable=true],[role=textbox]";
  var ICON = "svg,use,i,img,[class*=icon i],[data-icon],[data-lucide],[data-feather]";
  var SUBMITS = "button:not([type]),button[type=''],button[type=submit],input[type=submit],input[type=image]";
  var OPERATION = /^_?(?:method|action|op|operation|cmd|command|intent|task|do|event)$/i;
  function commitEvidence(el) {
    const control = controlOf(el);
    const form = formOf(control);
    const sends = form !== null && control.matches(SUBMITS);
    const within2 = (selector) => closest2(control, selector);
    const dialog = dialogOf(control);
    const scope = form ?? dialog ?? cardOf(control);
    return {
      label: saysOf(el),
      role: roleOf(control),
      type: control instanceof HTMLButtonElement || control instanceof HTMLInputElement ? control.type : "",
      marks: [...marksOf(control), ...sends && form ? operationsOf(form) : []].slice(0, MANY),
      icons: [control, ...control.querySelectorAll(ICON)].slice(0, MANY).flatMap((one2) => one2 === control ? iconOfControl(one2) : iconsOf(one2)),
      href: leadsTo(control),
      toggle: control.matches("[aria-pressed],[aria-checked],[role=switch],[role=checkbox],[role=radio],[role=tab],input[type=checkbox],input[type=radio]"),
      dismiss: dismisses(control),
      beside: !sends && form !== null && control.matches("button,input[type=button]") && form.querySelector(SUBMITS) !== null,
      opens: control.matches("[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],summary,[popovertarget],[data-bs-toggle],[data-toggle]"),
      consent: inConsent(control),
      others: othersOf(control, scope),
      method: sends && form ? methodOf(control, form) : "",
      action: form ? actionOf(control, form) : "",
      search: within2("search,[role=search]") !== null,
      fields: scope ? fieldsOf(scope) : [],
      dialog: dialog ? textOf(dialog) : "",
      alert: dialog?.getAttribute("role") === "alertdialog",
      sources: dialog ? [...dialog.querySelectorAll(ICON)].filter((one2) => !one2.closest("button,a,[role=button]")).slice(0, MANY).flatMap(iconsOf) : [],
      headings: headingsOf(scope),
      near: nearOf(control, scope),
      path: pathOf(location.href),
      title: document.title.slice(0, LONG),
      lang: within2("[lang]")?.lang ?? ""
    };
  }
  function keyed(key2, el) {
    const { control, ...where } = usedByKey(key2, el);
    return control ? { ...where, evidence: commitEvidence(control) } : where;
  }
  function formOf(control) {
    const own = control.form;
    return own instanceof HTMLFormElement ? own : closest2(control, "form");
  }
  function closest2(el, selector) {
    for (let at = el; at; at = composedParent(at)) if (at.matches(selector)) return at;
    return null;
  }
  function dialogOf(control) {
    const found2 = closest2(control.parentElement ?? control, DIALOG);
    return found2 && found2 !== document.body && found2 !== document.documentElement ? found2 : null;
  }
  function cardOf(control) {
    const own = (control.textContent ?? "").length;
    for (let at = composedParent(control); at && at !== document.documentElement; at = composedParent(at)) {
      const all = (at.textContent ?? "").length;
      if (all > own + 3 && (at.matches(CARD) || at === document.body || at.localName === "main")) return all <= 4 * MUCH ? at : null;
    }
    return null;
  }
  function nearOf(control, scope) {
    const at = scope && scope.contains(control) ? scope : cardOf(control);
    return at ? textOf(at) : "";
  }
  function othersOf(control, scope) {
    const at = scope ?? cardOf(control) ?? document.body;
    return [...at.querySelectorAll("button,input[type=submit],input[type=button],[role=button]")].filter((one2) => one2 !== control).slice(0, MANY).map((one2) => saysOf(one2).slice(0, LONG));
  }
  function textOf(el) {
    return normalize(el instanceof HTMLElement ? el.innerText : el.textContent).slice(0, MUCH);
  }
  function headingsOf(scope) {
    const within2 = scope ?? document;
    const all = [...within2.querySelectorAll("h1,h2,h3,h4,legend,caption,[role=heading]")].slice(0, 4).map((one2) => one2.textContent);
    const name = scope && (scope.getAttribute("aria-label") || scope.hasAttribute("aria-labelledby")) ? nameOf(scope) : "";
    return normalize([name, ...all].join(" ")).slice(0, MUCH / 2);
  }
  function leadsTo(control) {
    if (!(control instanceof HTMLAnchorElement) || !control.hasAttribute("href") || control.hasAttribute("onclick") || control.getAttribute("role") === "button") return "";
    const path = pathOf(control.href);
    return path === pathOf(location.href) && control.hash !== "" ? "" : path;
  }
  function marksOf(control) {
    const marks2 = [control.id, control.getAttribute("name"), /^\s*(?:return\s+)?(?!fetch\b)([\w.]+)\(/.exec(control.getAttribute("onclick") ?? "")?.[1], ...control.classList];
    if (control instanceof HTMLButtonElement) marks2.push(control.value);
    for (const [name, value] of Object.entries(control.dataset ?? {})) marks2.push(name, value);
    return marks2.filter((mark) => !!mark && mark.length <= LONG);
  }
  function operationsOf(form) {
    return [...form.querySelectorAll("input[type=hidden]")].filter((one2) => OPERATION.test(one2.name) && one2.value.length < LONG).map((one2) => one2.value);
  }
  function iconOfControl(control) {
    const names2 = [control.getAttribute("data-icon"), control instanceof HTMLInputElement && control.type === "image" ? file(control.src) : ""];
    return names2.filter((name) => !!name);
  }
  function iconsOf(icon) {
    const use = icon.getAttribute("href") ?? icon.getAttribute("xlink:href") ?? "";
    const src = icon instanceof HTMLImageElement ? file(icon.src) : "";
    const names2 = [
      ...icon.classList,
      icon.id,
      use.split("#")[1],
      icon.getAttribute("data-icon"),
      icon.getAttribute("data-lucide"),
      icon.getAttribute("data-feather"),
      icon.getAttribute("name"),
      icon.getAttribute("data-testid"),
      icon.getAttribute("aria-label"),
      icon.getAttribute("title"),
      icon.getAttribute("alt"),
      src,
      icon.localName === "svg" ? icon.querySelector("title")?.textContent : ""
    ];
    return names2.filter((name) => !!name && name.length <= LONG);
  }
  function file(address) {
    return address.startsWith("data:") ? "" : (address.split(/[?#]/)[0] ?? "").split("/").pop() ?? "";
  }
  function dismisses(control) {
    const value = control.getAttribute("value") ?? "";
    return control.formMethod === "dialog" && control.hasAttribute("formmethod") || control.matches("[type=reset],[data-dismiss],[data-bs-dismiss],[popovertargetaction=hide]") || control.localName === "button" && /^(?:cancel|close|no|back|dismiss)$/i.test(value);
  }
  function methodOf(control, form) {
    return (control.getAttribute("formmethod") || form.getAttribute("method") || "get").toLowerCase();
  }
  function actionOf(control, form) {
    const own = control.getAttribute("formaction");
    return pathOf(new URL(own || form.getAttribute("action") || location.href, document.baseURI).href);
  }
  function pathOf(address) {
    try {
      const url = new URL(address, document.baseURI);
      if (url.protocol !== "http:" && url.protocol !== "https:") return "";
      const operations = [...url.searchParams].filter(([name]) => OPERATION.test(name)).map(([, value]) => "/" + value.slice(0, LONG));
      return (url.pathname + operations.join("")).slice(0, MUCH);
    } catch {
      return "";
    }
  }
  function fieldsOf(scope) {
    const all = [...scope.querySelectorAll(FIELD)].slice(0, MANY);
    return all.map((one2) => {
      const kind = one2.localName === "input" ? one2.type : one2.localName === "textarea" || one2.localName === "select" ? one2.localName : "editable";
      const names2 = ["name", "id", "autocomplete", "placeholder", "aria-label"].map((name) => one2.getAttribute(name) ?? "");
      const labels = [...one2.labels ?? []].map((label) => label.textContent);
      return normalize([kind, ...names2, ...labels].join(" ")).slice(0, 2 * LONG);
    });
  }
  var LONGEST_LABEL2 = 200;
  var MUCH_TEXT = 2e3;
  var CONTROL = "button,a[href],summary,input[type=submit],input[type=image],input[type=button],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[onclick]";
  function saysOf(el) {
    for (let at = el; at; at = composedParent(at)) {
      if (at instanceof HTMLLabelElement && at.control && at.control !== el) return saysOf(at.control);
      if (!at.matches(CONTROL)) continue;
      const says = lines(nameOf(at), shown(at));
      if (says || at === el) return says;
      break;
    }
    return el.matches("input,textarea,select") ? "" : lines(shown(el));
  }
  function controlOf(el) {
    for (let at = el; at; at = composedParent(at)) {
      if (at instanceof HTMLLabelElement && at.control && at.control !== el) return at.control;
      if (!at.matches(CONTROL)) continue;
      return at === el || lines(nameOf(at), shown(at)) ? at : el;
    }
    return el;
  }
  function usedByKey(key2, el = deepActiveElement()) {
    const focused = document.hasFocus();
    if (el instanceof HTMLIFrameElement) return { focused, within: true };
    if (!el || key2 !== "Enter" && key2 !== " ") return { focused };
    if (el.matches(CONTROL) || el.matches("[type=checkbox],[type=radio]")) return { control: el, focused };
    if (key2 !== "Enter") return { focused };
    const form = el.form;
    const button = el instanceof HTMLInputElement && form ? buttonOf(form) : void 0;
    return { control: button ?? el, focused };
  }
  function buttonOf(form) {
    const root = form.getRootNode();
    return [...root.querySelectorAll("button,input")].find((one2) => one2.form === form && (one2.type === "submit" || one2.type === "image"));
  }
  function shown(el) {
    if ((el.textContent ?? "").length > MUCH_TEXT) return "";
    return normalize(el instanceof HTMLInputElement ? el.value : el instanceof HTMLElement ? el.innerText : el.textContent);
  }
  function lines(...texts) {
    return [...new Set(texts.filter((text2) => text2 && text2.length <= LONGEST_LABEL2))].join("\n");
  }

  // src/act/press.ts
  var POINTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]];
  function reachable(el, request) {
    const scrolled = !isInView(el);
    if (scrolled) el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const wanted = request.offset ? [[request.offset.x, request.offset.y], ...POINTS] : POINTS;
    let cover = "";
    for (const rect of el.getClientRects()) {
      for (const [fx, fy] of wanted) {
        const x = rect.x + Math.min(Math.max(fx * rect.width, 1), Math.max(rect.width - 1, 0));
        const y = rect.y + Math.min(Math.max(fy * rect.height, 1), Math.max(rect.height - 1, 0));
        const hit2 = deepElementFromPoint(x, y);
        if (!reaches(hit2, el)) {
          cover ||= hit2 ? `${brief(el)} is covered by ${brief(hit2)}` : `${brief(el)} is out of view`;
          continue;
        }
        const top = throughParents(x, y);
        if (typeof top !== "string") return { ...top, press: el, scrolled, size: [rect.width, rect.height] };
        cover ||= top;
      }
    }
    return { why: cover || `${brief(el)} has no size` };
  }
  async function carry(owner, x, y, scrolled) {
    if (scrolled) await standStill(owner);
    const here = outOf(owner, x, y);
    if (typeof here === "string") return { why: here };
    const there = throughParents(here.x, here.y);
    if (typeof there === "string") return { why: there };
    watchAround();
    return there;
  }
  var STILL_FRAMES = 2;
  var MOST_FRAMES = 60;
  async function standStill(el) {
    let last2 = el.getBoundingClientRect();
    for (let still2 = 0, frames = 0; still2 < STILL_FRAMES && frames < MOST_FRAMES; frames++) {
      await nextFrame();
      const now = el.getBoundingClientRect();
      still2 = now.x === last2.x && now.y === last2.y ? still2 + 1 : 0;
      last2 = now;
    }
  }
  function isMoving(el) {
    return running().some((animation) => {
      const target = animation.effect?.target;
      return !!target && composedContains(target, el);
    });
  }
  function isAnimated() {
    return running().length > 0;
  }
  function running() {
    return document.getAnimations().filter((animation) => animation.playState === "running" && isFinite(endOf(animation)));
  }
  function endOf(animation) {
    return Number(animation.effect?.getComputedTiming().endTime ?? 0);
  }
  function pointOn(el, { offset }) {
    if (!isVisible(el)) return { why: `${brief(el)} is hidden` };
    const scrolled = !isInView(el);
    if (scrolled) el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const rect = el.getBoundingClientRect();
    const point = throughParents(rect.x + (offset?.x ?? 0.5) * rect.width, rect.y + (offset?.y ?? 0.5) * rect.height);
    return typeof point === "string" ? { why: point } : { ...point, scrolled };
  }
  function pointIn(el) {
    const rect = el.getBoundingClientRect();
    return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  }
  function middle() {
    return { x: innerWidth / 2, y: innerHeight / 2 };
  }
  function standsAt(el) {
    if (!isInView(el)) el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const { x, y, width, height } = el.getBoundingClientRect();
    const at = throughParents(x, y, true);
    if (typeof at === "string" || at.crossed) return {};
    let outermost = window;
    while (outermost !== outermost.parent) outermost = outermost.parent;
    return { box: [at.x / outermost.innerWidth, at.y / outermost.innerHeight, width / outermost.innerWidth, height / outermost.innerHeight] };
  }
  function outOfView(el) {
    const rect = el.getBoundingClientRect();
    if (window !== window.parent || isInView(el) || !isVisible(el)) return { x: 0, y: 0 };
    const down = rect.top < 0 || rect.bottom > innerHeight ? rect.top + rect.height / 2 - innerHeight / 2 : 0;
    const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
    const most = scrollHeight - clientHeight - scrollTop;
    return { x: 0, y: Math.max(-scrollTop, Math.min(most, down)) };
  }
  var SEQUENCE = ["pointerdown", "mousedown", "pointerup", "mouseup", "pointercancel", "click", "auxclick", "dblclick", "contextmenu"];
  var ARRIVES_MS = 1e4;
  var AROUND_MS = 2e3;
  var DOWN_MS = 6e4;
  var ENDS_MS = 1e3;
  var expected2 = null;
  var views = [];
  var still;
  var state;
  var stateBefore = false;
  var swallowing = false;
  var expiry = 0;
  function watchPress(el, isStill, stateOf2) {
    watch(el, ARRIVES_MS);
    still = isStill;
    state = stateOf2;
    stateBefore = stateOf2?.() ?? false;
  }
  function watchAround() {
    watch(null, AROUND_MS);
  }
  var dragged = null;
  function watchDrag() {
    dragged = null;
    addEventListener("dragstart", (event) => dragged = event.isTrusted ? event : null, { capture: true, once: true });
  }
  function dragBegan() {
    return dragged !== null && !dragged.defaultPrevented;
  }
  function watch(el, patience) {
    end();
    expected2 = el;
    views = [window, ...around()];
    for (const view of views) for (const type of SEQUENCE) view.addEventListener(type, onEvent, { capture: true });
    endAfter(patience);
  }
  function endAfter(patience) {
    clearTimeout(expiry);
    expiry = setTimeout(end, patience);
  }
  function around() {
    const found2 = [];
    try {
      for (let view = window; view !== view.parent && view.parent.document; view = view.parent) found2.push(view.parent);
    } catch {
    }
    return found2;
  }
  function end() {
    clearTimeout(expiry);
    for (const view of views) for (const type of SEQUENCE) view.removeEventListener(type, onEvent, { capture: true });
    views = [];
    expected2 = null;
    still = void 0;
    state = void 0;
    swallowing = false;
  }
  function onEvent(event) {
    if (!event.isTrusted || !views.length) return;
    if (event.type === "pointerdown") judge2(event, event.currentTarget === window ? expected2 : null);
    if (swallowing) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (event.type === "mouseup" && !swallowing && expected2) send({ type: slipped(expected2, targetOf(event)) ? "slip" : "release" });
    if (event.type === "mouseup" || event.type === "pointercancel") endAfter(ENDS_MS);
    if (event.type !== "click" && event.type !== "auxclick") return;
    if (state && !swallowing) tellState(state, stateBefore);
    end();
  }
  function tellState(of, before) {
    const tell3 = () => {
      removeEventListener("change", onChange2);
      clearTimeout(task);
      send({ type: "state", checked: of() });
    };
    const onChange2 = (event) => {
      if (event.isTrusted && of() !== before) tell3();
    };
    const task = setTimeout(tell3);
    addEventListener("change", onChange2);
  }
  function judge2(event, el) {
    const hit2 = targetOf(event);
    swallowing = !(el && hit2 instanceof Element && reaches(hit2, el) && (still?.() ?? true));
    if (el && !swallowing) noteDown(el);
    endAfter(DOWN_MS);
    send(swallowing ? { type: "press", ok: false, on: hit2 instanceof Element ? brief(hit2) : "what lies around the frame" } : { type: "press", ok: true });
  }
  var downAt = null;
  function noteDown(el) {
    const before = el.getBoundingClientRect();
    downAt = null;
    addEventListener("mousedown", () => downAt = isSame(before, el.getBoundingClientRect()) ? before : null, { once: true });
  }
  function slipped(el, hit2) {
    return downAt !== null && isVisible(el) && !(hit2 instanceof Element && reaches(hit2, el)) && !isSame(downAt, el.getBoundingClientRect());
  }
  function isSame(a, b) {
    return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
  }

  // src/act/request.ts
  var Refusal = class extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
    code;
  };

  // src/act/fields.ts
  var NOT_TEXT = /* @__PURE__ */ new Set(["button", "checkbox", "file", "hidden", "image", "radio", "reset", "submit"]);
  function readyToType(el, use) {
    const field = editable(el);
    if (typeof field === "string") return { why: field };
    const off = disabledWhy(field);
    if (off) return { why: off };
    if (!isInView(field)) field.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    focus(field);
    if (!composedContains(field, deepActiveElement())) return { why: `${brief(field)} does not take the focus` };
    return use(field);
  }
  function typeInto(el, request) {
    const value = request.value ?? "";
    if (request.origins && !request.origins.includes(self.origin)) throw new Refusal("out_of_scope", `the value may not be typed on ${self.origin}`);
    return readyToType(el, (field) => {
      if (request.secret) receive(field, request);
      else if (field.isContentEditable) return { empty: selectAll(field) };
      return PICKED.has(field.type) ? setValue(field, value) : insert(field, value);
    });
  }
  function receive(field, { value = "", typedInto: typedInto2 }) {
    if (typedInto2 && !isSecretField(field) && !typedInto2.some((wanted) => new Finder({ ...wanted, hidden: true }).look()?.element === field)) {
      throw new Refusal("refused", `${brief(field)} is no field for a secret, and no recording of this site types it there`);
    }
    const limit = field.maxLength ?? -1;
    if (typedInto2 && limit >= 0 && limit < Math.min(value.length, PIECE)) throw new Refusal("invalid_value", `${brief(field)} takes ${limit} characters: the secret is longer`);
    remember(field, value);
    watchCarrying();
  }
  var typedInto = null;
  function typeKeys(el, request) {
    return readyToType(el, (field) => {
      if (request.value !== void 0 && PICKED.has(field.type)) return setValue(field, request.value);
      if (request.secret) receive(field, request);
      typedInto = field;
      return { empty: selectAll(field) };
    });
  }
  function mayType(origins) {
    return document.hasFocus() && origins.includes(self.origin) && typedInto !== null && composedContains(typedInto, deepActiveElement());
  }
  function typedSecret() {
    if (typedInto) remember(typedInto, typedInto.isContentEditable ? typedInto.textContent ?? "" : typedInto.value);
  }
  function hasFocus(el) {
    const field = el instanceof HTMLLabelElement && el.control ? el.control : el;
    return document.hasFocus() && composedContains(field, deepActiveElement());
  }
  function insert(field, value) {
    const empty = selectAll(field);
    if (value) document.execCommand("insertText", false, value);
    else if (!empty) document.execCommand("delete");
    return { done: true };
  }
  function editable(el) {
    if (el instanceof HTMLLabelElement && el.control) return editable(el.control);
    if (el instanceof HTMLInputElement && !NOT_TEXT.has(el.type)) return el.readOnly ? `${brief(el)} is read-only` : el;
    if (el instanceof HTMLTextAreaElement) return el.readOnly ? `${brief(el)} is read-only` : el;
    if (el instanceof HTMLElement && el.isContentEditable) return el;
    return `${brief(el)} is not a field that takes text`;
  }
  function setValue(field, value) {
    const before = field.value;
    field.value = value;
    if (!isTaken(field, value)) {
      field.value = before;
      throw new Refusal("invalid_value", `${brief(field)} of type ${field.type} does not take the value`);
    }
    if (field.value !== before) tell2(field);
    return { done: true };
  }
  function isTaken({ type, value: taken }, value) {
    if (type === "range") return Number(taken) === Number(value);
    if (type === "color") return taken.toLowerCase() === value.toLowerCase();
    return taken !== "" || value === "";
  }
  function tell2(el) {
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function focus(el) {
    el.focus({ preventScroll: true });
  }
  function selectAll(field) {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      field.select();
      return field.value === "";
    }
    getSelection()?.selectAllChildren(field);
    return field.textContent === "";
  }
  function chooseOptions(el, request) {
    if (!(el instanceof HTMLSelectElement)) return { why: `${brief(el)} is not a list to select from` };
    const off = disabledWhy(el);
    if (off) return { why: off };
    const wanted = request.values ?? [];
    const chosen = wanted.map((value) => [...el.options].find((o) => o.value === value) ?? [...el.options].find((o) => o.label.trim() === value.trim()));
    const missing = wanted.filter((_, i) => !chosen[i]);
    if (missing.length) return { why: `${brief(el)} has ${el.options.length} options, none of them the wanted one` };
    if (chosen.some((o) => o?.disabled)) return { why: `an option of ${brief(el)} is disabled` };
    focus(el);
    for (const option of el.options) option.selected = chosen.includes(option);
    tell2(el);
    return { done: true };
  }
  function readyForFiles(el, request) {
    const field = el instanceof HTMLLabelElement && el.control ? el.control : el;
    const off = disabledWhy(field);
    if (off) return { why: off };
    if (field instanceof HTMLInputElement && field.type === "file") {
      if (!field.multiple && (request.values?.length ?? 0) > 1) throw new Refusal("invalid_value", `${brief(field)} takes one file`);
      return { ref: refOf(field) };
    }
    if (!isVisible(el)) return { why: `${brief(el)} is hidden` };
    const { press: on, ...point } = reachable(el, request);
    return on && isMoving(on) ? { why: `${brief(on)} does not stand still` } : point;
  }
  var STATES2 = {
    attached: () => true,
    visible: isVisible,
    enabled: (el) => !disabledWhy(el),
    disabled: (el) => disabledWhy(el) !== "",
    editable: (el) => !disabledWhy(el) && takesText(el),
    readonly: (el) => !takesText(el),
    checked: (el) => stateOf(el),
    unchecked: (el) => !stateOf(el),
    focused: (el) => el.matches(":focus"),
    detached: () => false,
    hidden: (el) => !isVisible(el)
  };
  function isAbsence(state2) {
    return state2 === "detached" || state2 === "hidden";
  }
  function takesText(el) {
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) return !el.readOnly;
    return el instanceof HTMLElement && el.isContentEditable;
  }
  function holds(el, { state: state2, text: text2, attribute: attribute2, compare }) {
    const is = STATES2[state2 ?? "attached"];
    if (is && !is(el)) return { why: `${brief(el)} is not ${state2}` };
    if (text2 === void 0) return { done: true };
    const said = textOf2(el, attribute2);
    if (saysSecret(el, said, attribute2)) throw new Refusal("refused", `what ${brief(el)} says repeats a secret: it is compared with nothing`);
    if (compares(said, text2, compare)) return { done: true };
    const what = attribute2 ? `the ${attribute2} of ${brief(el)}` : `what ${brief(el)} says`;
    return { why: compare === "not" ? `${what} is still what it should not be` : `${what} is not what it should be` };
  }
  function compares(said, wanted, how = "equals") {
    const text2 = normalize(wanted);
    const own = normalize(said);
    if (how === "contains") return own.includes(text2);
    return how === "not" ? own !== text2 : said !== void 0 && own === text2;
  }
  function textOf2(el, attribute2) {
    if (isSensitive(el)) throw new Refusal("refused", `${brief(el)} holds a secret: it is not read`);
    if (attribute2 === "label") return el instanceof HTMLSelectElement ? [...el.selectedOptions].map((o) => o.label).join("\n") : void 0;
    if (attribute2 === "value" || attribute2 === void 0 && "value" in el && isField2(el)) return String(el.value);
    if (attribute2 !== void 0) return el.getAttribute(attribute2) ?? void 0;
    return normalize(el instanceof HTMLElement ? el.innerText : el.textContent);
  }
  function isField2(el) {
    return el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;
  }
  function saysSecret(el, said, attribute2) {
    if (said === void 0 || !knowsSecrets()) return false;
    if (repeatsSecret(said)) return true;
    return inOnePass(() => attribute2 === void 0 ? repeats().within(el) || repeats().by(el, "") : repeats().by(el, attribute2) || repeats().by(el, attribute2 === "value" ? "" : attribute2));
  }
  function told(el, said, attribute2) {
    return saysSecret(el, said, attribute2) && !repeatsSecret(said) ? HIDDEN : said;
  }
  function read2(el, { attribute: attribute2, all, paths: paths2 }) {
    if (!all) {
      const said = textOf2(el, attribute2);
      return said === void 0 ? { why: `${brief(el)} has no ${attribute2}` } : { said: told(el, said, attribute2) };
    }
    const named4 = paths2.map((path) => queryPath(path, document).filter(isVisible)).find((elements) => elements.length) ?? [el];
    return { said: named4.map((one2) => told(one2, textOf2(one2, attribute2) ?? "", attribute2)) };
  }
  function kindOf3(el) {
    if (el instanceof HTMLSelectElement) return { said: "select" };
    if (el instanceof HTMLInputElement && el.type === "file") return { said: "upload" };
    const isBox = el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio");
    return { said: isBox || el.hasAttribute("aria-checked") ? "check" : "typeInput" };
  }

  // src/act/scroll.ts
  var LONGER = 2;
  var LEAST_BOX = 40;
  var STEP = 0.8;
  var BEGIN_MS = 120;
  var DRAW_MS = 600;
  var QUIET_MS = [16, 350];
  var AGAIN_MS = 500;
  var Search = class {
    place = null;
    lists = [];
    looked = -Infinity;
    /** How long a list was when it was searched, and how often it was then. */
    done = /* @__PURE__ */ new Map();
    /** Whether a list has just been scrolled, and is to be looked at soon. */
    get isUnderWay() {
      return this.place !== null;
    }
    /** Goes on to what was not seen yet, when what is there was drawn. */
    advance() {
      if (this.place?.isDrawing()) return;
      if (this.place?.next()) return;
      this.leave();
      const list = this.nextList();
      if (!list) return;
      const passes = this.passesOf(list);
      this.done.set(list, { height: list.scrollHeight, passes: passes + 1 });
      this.place = new Place(list, QUIET_MS[passes] ?? 0);
      if (!this.place.next()) this.leave();
    }
    /** Ends the search; a list in which the element was found stays where it is. */
    stop(found2) {
      if (found2) this.place?.end();
      else this.leave();
      this.place = null;
    }
    leave() {
      const { place } = this;
      if (!place) return;
      place.restore();
      if (!place.draws) this.done.set(place.list, { height: place.list.scrollHeight, passes: QUIET_MS.length });
      this.place = null;
    }
    nextList() {
      if (!this.lists.length && performance.now() - this.looked >= AGAIN_MS) {
        this.looked = performance.now();
        this.lists = longLists().filter((list) => this.passesOf(list) < QUIET_MS.length);
      }
      return this.lists.shift();
    }
    passesOf(list) {
      const before = this.done.get(list);
      return before?.height === list.scrollHeight ? before.passes : 0;
    }
  };
  var Place = class {
    constructor(list, quiet) {
      this.list = list;
      this.quiet = quiet;
      this.start = list.scrollTop;
      const box = list === document.scrollingElement ? document : list;
      this.observer.observe(box, { childList: true, characterData: true, subtree: true });
      if (list.shadowRoot) this.observer.observe(list.shadowRoot, { childList: true, characterData: true, subtree: true });
    }
    list;
    quiet;
    draws = false;
    start;
    wrapped = false;
    scrolled = 0;
    // when
    drew = 0;
    // when last
    observer = new MutationObserver(() => {
      this.draws = true;
      this.drew = performance.now();
    });
    isDrawing() {
      const now = performance.now();
      if (this.drew < this.scrolled) return now - this.scrolled < BEGIN_MS;
      return now - this.drew < this.quiet && now - this.scrolled < DRAW_MS;
    }
    /** Scrolls on; false when all was seen, or nothing is ever drawn. */
    next() {
      if (this.scrolled && !this.draws) return false;
      const { list } = this;
      const before = list.scrollTop;
      if (!this.wrapped) this.go(before + list.clientHeight * STEP);
      if (this.wrapped || list.scrollTop === before) {
        const to = this.wrapped ? before + list.clientHeight * STEP : 0;
        if (to >= this.start) return false;
        this.wrapped = true;
        this.go(to);
      }
      return true;
    }
    go(top) {
      this.scrolled = performance.now();
      this.list.scrollTo({ top, behavior: "instant" });
    }
    restore() {
      this.end();
      this.list.scrollTo({ top: this.start, behavior: "instant" });
    }
    end() {
      this.observer.disconnect();
    }
  };
  function longLists() {
    const found2 = [];
    const whole = document.scrollingElement;
    if (whole && whole.scrollHeight >= LONGER * innerHeight) found2.push({ list: whole, area: innerWidth * innerHeight });
    eachRoot(document, (root) => {
      for (const list of root.querySelectorAll("*")) {
        if (list !== whole && isLong(list)) found2.push({ list, area: list.clientWidth * list.clientHeight });
      }
    });
    return found2.sort((a, b) => b.area - a.area).map(({ list }) => list);
  }
  function isLong(el) {
    if (el.clientHeight < LEAST_BOX || el.scrollHeight < LONGER * el.clientHeight) return false;
    if (el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement) return false;
    return /auto|scroll|overlay/.test(getComputedStyle(el).overflowY) && isVisible(el);
  }

  // src/act/act.ts
  async function act(request) {
    const finder = new Finder({ ...request, hidden: mayBeHidden(request), any: request.use === "see" || !!request.all });
    const search = new Search();
    let why = "";
    let anew;
    let found2;
    let isFirst = true;
    let ready = false;
    const probe = () => {
      if (!isReady() || isAsking() || !(hasLoaded() || ONLY_LOOKS.has(request.use))) return void 0;
      if (request.guess && isFirst) refuseGuess(request.paths);
      isFirst = false;
      found2 = finder.look();
      if (request.guess && found2) refuseGuess(request.paths);
      if (!found2) {
        why = "";
        if (isAbsence(request.state)) {
          if (finder.lookEverywhere().element) return void 0;
          if (request.guess) refuseGuess(request.paths);
          return { ok: true, done: true };
        }
        if (request.optional && finder.rests()) return failure(finder, "");
        const opener = !request.hovered && BY_MOUSE.has(request.use) && finder.rests() ? openerOf(request) : void 0;
        if (opener) return { ...opener, ok: true, hover: true };
        if (!request.optional && !ONLY_LOOKS.has(request.use) && (search.isUnderWay || finder.rests())) search.advance();
        return void 0;
      }
      const { element: element2 } = found2;
      anew ??= found2.lost.length && request.fingerprint?.own ? describe(element2, request.fingerprint.key, request.fingerprint.testIdAttribute) : void 0;
      const { press: press2, ...use } = USES[request.use](element2, request);
      why = use.why ?? (press2 && isMoving(press2) ? `${brief(press2)} does not stand still` : "");
      if (why) return void 0;
      if (press2) watchPress(press2, stillUsable(element2, request), request.use === "check" ? () => stateOf(element2) : void 0);
      const { matched, confidence, drift, lost } = found2;
      ready = true;
      return { ...use, ok: true, matched, confidence, drift, lost, tried: found2.tried, ...anew ? { anew } : {} };
    };
    try {
      const reply = await until(request.timeout, probe, () => search.isUnderWay || why !== "" && isAnimated());
      if (!reply && request.guess) refuseGuess(request.paths);
      return reply ?? failure(finder, why);
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, code: error.code, why: error.message };
      throw error;
    } finally {
      search.stop(ready);
      finder.stop();
    }
  }
  var ONLY_LOOKS = /* @__PURE__ */ new Set(["see", "state", "read", "kind", "where", "away", "focused"]);
  var BY_MOUSE = /* @__PURE__ */ new Set(["click", "check", "hover", "type", "keys", "drag"]);
  var MAY_BE_HIDDEN = /* @__PURE__ */ new Set(["check", "select", "upload", "read", "kind", "where"]);
  var STATES_OF_HIDDEN = /* @__PURE__ */ new Set(["attached", "detached", "checked", "unchecked"]);
  function mayBeHidden({ use, state: state2, text: text2 }) {
    return MAY_BE_HIDDEN.has(use) || use === "state" && (text2 !== void 0 || STATES_OF_HIDDEN.has(state2 ?? ""));
  }
  var USES = {
    click: readyToClick,
    type: typeInto,
    keys: typeKeys,
    select: chooseOptions,
    check: readyToCheck,
    upload: readyForFiles,
    drag: (el, request) => {
      if (isSecretPart(el)) throw new Refusal("refused", `${brief(el)} holds or repeats a secret: it is not dragged`);
      watchDrag();
      return readyToClick(el, request);
    },
    aim: pointOn,
    focus: (el, request) => (focus(el), keyed(request.key ?? "", el)),
    hover: readyToHover,
    state: holds,
    read: read2,
    kind: kindOf3,
    where: standsAt,
    away: outOfView,
    focused: (el) => hasFocus(el) ? { done: true } : {},
    see: (el) => pointIn(el) ?? {}
  };
  function failure(finder, why) {
    const { code = "gone", tried, considered } = finder.lookEverywhere();
    if (why) return { ok: false, code: "not_actionable", why, tried, considered };
    if (!isReady()) return { ok: false, code: "not_actionable", why: "the page is still loading", tried };
    return { ok: false, code, tried, considered };
  }
  function readyToClick(el, request) {
    const off = disabledWhy(el);
    return off ? { why: off } : { ...reachable(el, request), evidence: commitEvidence(el) };
  }
  function readyToHover(el, request) {
    const { press: over, ...point } = reachable(el, request);
    return over && isMoving(over) ? { why: `${brief(over)} does not stand still` } : point;
  }
  function readyToCheck(el, request) {
    if (stateOf(el) === (request.checked ?? true)) return { done: true };
    const off = disabledWhy(el);
    if (off) return { why: off };
    const evidence = commitEvidence(el);
    const own = isVisible(el) ? { ...reachable(el, request), evidence } : { why: `${brief(el)} is hidden` };
    if (!own.why) return own;
    for (const label of labelsOf(el)) {
      const byLabel = isVisible(label) ? reachable(label, {}) : own;
      if (!byLabel.why) return { ...byLabel, evidence };
    }
    return own;
  }
  function stillUsable(el, request) {
    const still2 = stillIs(el, request.fingerprint);
    const says = saysOf(el);
    return () => !disabledWhy(el) && still2() && saysOf(el) === says;
  }
  async function frame(paths2, timeout) {
    const finder = new Finder({ paths: paths2, hidden: true });
    const found2 = await until(timeout, () => finder.look());
    finder.stop();
    return found2?.element ?? null;
  }
  var OPENER_HEIGHT = 8;
  function openerOf({ paths: paths2 }) {
    for (const path of paths2) {
      const [only, other] = queryPath(path, document);
      if (!only || other || isVisible(only)) continue;
      const { press: press2, ...point } = openerAbove(only) ?? {};
      if (press2) return point;
    }
    return void 0;
  }
  function openerAbove(el) {
    let at = composedParent(el);
    for (let height = 0; at && height < OPENER_HEIGHT; height++, at = composedParent(at)) {
      if (at === document.body || at === document.documentElement) return void 0;
      if (isVisible(at)) return reachable(at, {});
    }
    return void 0;
  }
  var OF_VALUES = /:(?:user-)?(?:in)?valid|:placeholder-shown|:(?:in|out-of)-range|:-?(?:webkit-)?autofill|aria-invalid/i;
  function refuseGuess(paths2) {
    if (knowsSecrets() && paths2.some((path) => path.some((part2) => OF_VALUES.test(part2)))) {
      throw new Refusal("refused", "a selector does not ask whether a field's value fits, in a document that knows a secret");
    }
    if (repeatsAny()) {
      throw new Refusal("refused", "the page repeats a secret: its elements are named by their references in a snapshot, and by nothing else");
    }
  }

  // src/capture/pick.ts
  var SEQUENCE2 = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  var ENDS = /* @__PURE__ */ new Set(["click", "auxclick", "contextmenu"]);
  var aiming = false;
  var swallowing2 = false;
  var hit = null;
  function watchAim() {
    for (const type of SEQUENCE2) addEventListener(type, onPress, { capture: true });
    addEventListener("keydown", onKey, { capture: true });
  }
  function forgetAim() {
    aiming = swallowing2 = false;
    for (const type of SEQUENCE2) removeEventListener(type, onPress, { capture: true });
    removeEventListener("keydown", onKey, { capture: true });
  }
  function aim(on) {
    aiming = on;
  }
  function aimedAt(forText) {
    const at = hit;
    hit = null;
    return at && pointed(at, forText);
  }
  function onPress(event) {
    if (!event.isTrusted) return;
    if (event.type === "pointerdown") swallowing2 = aiming;
    if (!swallowing2) return;
    keep(event);
    if (event.type === "pointerdown" && !hit) {
      hit = targetOf(event);
      send({ type: "aimed" });
    }
    if (ENDS.has(event.type)) swallowing2 = false;
  }
  function onKey(event) {
    if (!aiming || !event.isTrusted || event.key !== "Escape") return;
    keep(event);
    send({ type: "escaped" });
  }
  function keep(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  var LONGEST_CHECK = 120;
  function pointed(at, forText) {
    const hit2 = at instanceof Element ? at : at.parentElement;
    if (!hit2 || hit2.ownerDocument !== document) return null;
    if (!forText) return { doc: documentId, target: tell(used(hit2), true) };
    const why = whyNot(hit2);
    const told2 = { doc: documentId, target: tell(hit2, true) };
    return why ? { ...told2, why } : { ...told2, text: textOf3(hit2) };
  }
  function textOf3(el) {
    return normalize(el instanceof HTMLElement ? el.innerText : el.textContent);
  }
  function whyNot(el) {
    if (holdsField(el)) return "field";
    if (el instanceof HTMLIFrameElement) return "frame";
    for (let at = el; at; at = composedParent(at)) if (isSensitive(at)) return "secret";
    const text2 = textOf3(el);
    if (repeatsSecret(text2)) return "secret";
    if (text2 === "") return "empty";
    return text2.length > LONGEST_CHECK ? "long" : void 0;
  }

  // src/capture/shadow.ts
  var within = [];
  var observer = null;
  var watched = /* @__PURE__ */ new Set();
  var isWatched = /* @__PURE__ */ new WeakSet();
  function watchHosts(listeners) {
    within = listeners;
    if (!observer) watchCustoms(true);
    observer ??= new MutationObserver(onMutations);
    notice(document);
    if (document.body) ask(document.body);
  }
  function forget() {
    observer?.disconnect();
    watchCustoms(false);
    observer = null;
    for (const ref of watched) for (const [type, listener] of within) ref.deref()?.removeEventListener(type, listener, { capture: true });
    watched.clear();
    isWatched = /* @__PURE__ */ new WeakSet();
  }
  function onMutations(records) {
    for (const { addedNodes } of records) {
      for (const node of addedNodes) {
        if (!(node instanceof Element) || !node.isConnected) continue;
        askWithin(node);
        if (node === document.body) ask(node);
      }
    }
  }
  function notice(root) {
    observer?.observe(root, { childList: true, subtree: true });
    for (const part2 of root.children) askWithin(part2);
  }
  function watchPath(event) {
    for (const at of event.composedPath()) if (at instanceof ShadowRoot) watchRoot(at);
  }
  function watchRoot(root) {
    if (isWatched.has(root) || !observer) return;
    isWatched.add(root);
    watched.add(new WeakRef(root));
    for (const [type, listener] of within) root.addEventListener(type, listener, { capture: true, passive: true });
    notice(root);
  }
  function noticeHost(event, hit2) {
    if (mayHost(hit2) && !isOnText(hit2, event.clientX, event.clientY)) askAgain(hit2);
  }
  var reached = null;
  var presses = /* @__PURE__ */ new WeakMap();
  var typedIn = /* @__PURE__ */ new WeakSet();
  function onReached(by) {
    reached = by;
  }
  function onEarly(hit2, early) {
    if (!mayHost(hit2) || isOnText(hit2, early.x, early.y)) return;
    const { left: left2, top } = hit2.getBoundingClientRect();
    presses.set(hit2, [...presses.get(hit2) ?? [], { ...early, from: { left: left2, top }, ...hadNone(hit2) ? { unsure: true } : {} }]);
    ask(hit2);
  }
  var blind = /* @__PURE__ */ new WeakSet();
  function onBlindInput(el) {
    if (!hides(el)) return;
    if (!blind.has(el)) sendEvent({ type: "blind" });
    blind.add(el);
    const last2 = presses.get(el)?.at(-1);
    if (last2) last2.typed = true;
    else typedIn.add(el);
  }
  function hides(el) {
    if (!mayHost(el) || el.isContentEditable) return false;
    const itself = el.localName === "body" || el.hasAttribute("tabindex") && el.matches(":focus");
    if (hadNone(el) && itself) return false;
    ask(el);
    return true;
  }
  onRoot((host, root) => {
    if (!observer) return;
    watchRoot(root);
    let hit2 = null;
    for (const early of presses.get(host) ?? []) hit2 = mend(early, host, root) ?? hit2;
    presses.delete(host);
    const inner = root.activeElement;
    if (inner) hides(inner);
    if (inner && typedIn.delete(host)) reached?.focus(inner);
    const used3 = inner ?? hit2;
    if (used3 && blind.delete(host)) sighted(used3);
  });
  function sighted(inner) {
    if (hides(inner)) blind.add(inner);
    else sendEvent({ type: "sighted" });
  }
  function mend(then, host, root) {
    if (then.unsure && !then.typed) return null;
    const { left: left2, top } = host.getBoundingClientRect();
    const early = { ...then, x: then.x + left2 - (then.from?.left ?? left2), y: then.y + top - (then.from?.top ?? top) };
    const at = deepElementFromPoint(early.x, early.y);
    const hit2 = at && isIn(at, root) ? at : early.typed ? root.activeElement : null;
    if (!hit2) return null;
    reached?.press(early, hit2);
    onEarly(hit2, early);
    return hit2;
  }
  function isIn(el, root) {
    for (let at = el.getRootNode(); at instanceof ShadowRoot; at = at.host.getRootNode()) if (at === root) return true;
    return false;
  }
  function isOnText(el, x, y) {
    const range = document.createRange();
    for (const node of el.childNodes) {
      if (!(node instanceof Text) || !/\S/.test(node.data)) continue;
      range.selectNodeContents(node);
      for (const r of range.getClientRects()) if (x >= r.left && x <= r.right && y >= r.top && y <= r.bottom) return true;
    }
    return false;
  }

  // src/capture/fields.ts
  var toldSecrets = /* @__PURE__ */ new WeakSet();
  var sent = /* @__PURE__ */ new WeakMap();
  var toldFields = /* @__PURE__ */ new WeakSet();
  function tellFilled(near) {
    const around2 = near.closest("form") ?? near.getRootNode();
    const untold = (field) => !toldFields.has(field) && field.value !== "" && !field.readOnly && !field.disabled;
    if (![...around2.querySelectorAll("input[type=password]")].some(untold)) return;
    for (const field of around2.querySelectorAll("input")) if (FILLED.has(field.type) && untold(field) && isVisible(field)) tellValue(field);
    spread();
  }
  var FILLED = /* @__PURE__ */ new Set(["email", "password", "tel", "text"]);
  function onFocus(event, target) {
    watchPath(event);
    hides(target);
    if (isField(target)) isSensitive(target);
    toldSecrets = /* @__PURE__ */ new WeakSet();
  }
  function onBlur(_, target) {
    const field = fieldOf(target);
    if (!field) return;
    tellChanged(field);
    if (toldFields.has(field) && isSensitive(field) && valueOf(field) !== "") remember(field, valueOf(field));
  }
  function onInput(event, target) {
    const field = fieldOf(target);
    if (field?.isContentEditable && event instanceof InputEvent && (BY_TOOL.test(event.inputType) || sent.get(field) === valueOf(field))) {
      if (sent.has(field)) sent.set(field, valueOf(field));
      return;
    }
    if (field && !CHANGES.has(kindOf(field))) tellValue(field);
    if (!field) onBlindInput(target);
  }
  var BY_TOOL = /^(?:format|insertHorizontalRule|insertOrderedList|insertUnorderedList|insertLink)/;
  function onInnerFocus(inner) {
    isSensitive(inner);
    const field = fieldOf(inner);
    if (field && !CHANGES.has(kindOf(field)) && valueOf(field) !== "") tellValue(field);
  }
  var ownKeys = /* @__PURE__ */ new WeakSet();
  function tellOwn(field) {
    ownKeys.add(field);
    if (sent.get(field) !== valueOf(field) && valueOf(field) !== "") tellValue(field);
  }
  function tellLeft(field) {
    if (sent.has(field)) tellChanged(field);
    else tellValue(field, { late: true });
  }
  function tellValue(field, more = {}) {
    const value = valueOf(field);
    toldFields.add(field);
    if (isSensitive(field) || repeatsSecret(value)) return tellSecret(field, value, more.press);
    sent.set(field, value);
    sendEvent({ type: "input", target: tell(field, false), value, keys: ownKeys.has(field) && !PICKED.has(kindOf(field)), ...more });
  }
  function tellChanged(field) {
    if (sent.has(field) && sent.get(field) !== valueOf(field)) tellValue(field, { late: true });
  }
  function tellSecret(field, value, press2) {
    remember(field, value);
    spreadSoon();
    if (toldSecrets.has(field)) return;
    toldSecrets.add(field);
    sendEvent({ type: "input", target: tell(field, false), secret: true, ...press2 ? { press: press2 } : {} });
  }
  function onChange(_, target) {
    const field = fieldOf(target);
    if (!field) return;
    if (field instanceof HTMLSelectElement) {
      tellChosen(field);
    } else if (kindOf(field) === "checkbox" || kindOf(field) === "radio") {
      sendEvent({ type: "check", target: tell(field, false), checked: field.checked });
    } else if (kindOf(field) === "file") {
      const { files, multiple } = field;
      if (files?.length) tellFiles(field, files, { many: multiple, ...choosing ? { press: choosing } : {} });
      choosing = 0;
    } else {
      tellLeft(field);
    }
  }
  function tellChosen(field, press2) {
    const values = [...field.selectedOptions].map((o) => o.value);
    const chosen = values.some(repeatsSecret) ? { secret: true } : { values };
    sendEvent({ type: "select", target: tell(field, false), ...chosen, many: field.multiple, ...press2 ? { press: press2 } : {} });
  }
  var choosing = 0;
  function noteChooser(event, press2) {
    const target = event.composedPath()[0];
    if (target instanceof HTMLInputElement && target.type === "file") choosing = event.isTrusted ? 0 : press2;
  }
  function tellFiles(el, files, more) {
    sendEvent({ type: "files", target: tell(el, true), values: [...files].map((file2) => quote(file2.name)), ...more });
  }
  var EDITING = /* @__PURE__ */ new Set(["ArrowLeft", "ArrowRight", "Backspace", "Delete", "End", "Home", "Insert", "PageDown", "PageUp"]);
  var NO_KEY = /* @__PURE__ */ new Set(["Alt", "AltGraph", "CapsLock", "Control", "Dead", "Fn", "Meta", "NumLock", "Process", "ScrollLock", "Shift", "Unidentified"]);
  function onKeyDown(event, target) {
    const pressed = event.key;
    if (!pressed || event.isComposing || NO_KEY.has(pressed)) return;
    const element2 = used(target);
    if (hides(target) && isText(event, pressed)) return;
    if (pressed === "Enter" && isField(element2)) tellFilled(element2);
    if (isTyping(event, element2, pressed) && !marksAll(event, element2, pressed)) return typing(event, element2);
    sendEvent({ type: "key", key: pressed, target: isPage(element2) ? void 0 : tell(element2, false), ...modifiers(event) });
  }
  function typing(event, field) {
    lastKey = { event, field };
    setTimeout(settleKey);
  }
  var lastKey = null;
  function settleKey() {
    const { event, field } = lastKey ?? {};
    lastKey = null;
    if (event?.defaultPrevented && field) tellOwn(field);
  }
  function dropKey() {
    lastKey = null;
  }
  function isTyping(event, element2, pressed) {
    if (!isTextEntry(element2)) return false;
    if (isText(event, pressed)) return true;
    if (isCommand(event)) return false;
    if (pressed === "Enter") return takesLines(element2);
    return (pressed === "ArrowUp" || pressed === "ArrowDown") && !isCombobox(element2);
  }
  function isText(event, pressed) {
    if (isCommand(event)) return EDITING.has(pressed) || /^[acvxyz]$/i.test(pressed);
    return pressed.length === 1 || EDITING.has(pressed);
  }
  function isCommand(event) {
    return (event.ctrlKey || event.metaKey || event.altKey && !OPTION_WRITES) && !event.getModifierState("AltGraph");
  }
  var OPTION_WRITES = navigator.platform.startsWith("Mac");
  function marksAll(event, element2, pressed) {
    return element2.isContentEditable && isCommand(event) && /^a$/i.test(pressed);
  }
  function isPage(el) {
    return el === document.body || el === document.documentElement;
  }
  function modifiers(event) {
    const held = [event.altKey && "Alt", event.ctrlKey && "Control", event.metaKey && "Meta", event.shiftKey && "Shift"].filter((m) => m !== false);
    return held.length && !event.getModifierState("AltGraph") ? { modifiers: held } : {};
  }
  function isCombobox(el) {
    return roleOf(el) === "combobox" || el.hasAttribute("aria-autocomplete") || el.hasAttribute("list");
  }

  // src/capture/presses.ts
  var press = null;
  var pressCount = 0;
  function isFrame(hit2) {
    return hit2 instanceof HTMLIFrameElement || hit2 instanceof HTMLFrameElement;
  }
  function onPointerDown(event, hit2) {
    if (isFrame(hit2)) return dropPress();
    watchPath(event);
    const element2 = used(hit2);
    if (!isField(element2)) tellFilled(element2);
    press = { id: ++pressCount, element: element2, target: tell(element2, true), x: event.clientX, y: event.clientY, rect: element2.getBoundingClientRect(), at: event.timeStamp, events: [event] };
    sendEvent({ type: "down", press: press.id, target: press.target, control: controlOf2(element2), box: boxOf(element2, press.x, press.y), ...pointer(event, element2) });
    onEarly(hit2, { press: press.id, x: event.clientX, y: event.clientY });
  }
  function dropPress() {
    press = null;
  }
  function lastPress() {
    return press;
  }
  function onPointerUp(event) {
    const moved = press !== null && Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL_PX;
    const meant = press && moved ? meantBy(press, event) : "nothing";
    sendEvent({ type: "up", press: press?.id ?? 0, moved: moved && meant !== "click", ...heldFor(event) });
    if (press && meant === "drag") tellDrag(press, landing(press, event), event);
  }
  var LONG_MS = 500;
  function heldFor(event) {
    const held = press ? Math.round(event.timeStamp - press.at) : 0;
    return held >= LONG_MS ? { held } : {};
  }
  function onMouseDown(event) {
    press?.events.push(event);
  }
  function onPressTaken() {
    if (press) sendEvent({ type: "up", press: press.id, moved: true });
  }
  function onClick(event, hit2) {
    const byKey = event.type === "click" && event.detail === 0;
    if (!byKey && press) {
      sendEvent({ type: "click", press: press.id, count: event.detail });
      return;
    }
    if (isFrame(hit2)) return;
    const element2 = used(hit2);
    sendEvent({ type: "click", press: 0, byKey, target: tell(element2, true), control: controlOf2(element2), count: event.detail, ...pointer(event, element2) });
  }
  function controlOf2(element2) {
    return element2 instanceof HTMLLabelElement && element2.control ? refOf(element2.control) : void 0;
  }
  function pointer(event, element2) {
    const offset = event.type === "pointerdown" ? offsetIn(element2, event.clientX, event.clientY) : void 0;
    return { button: event.button, ...offset ? { offset } : {}, ...modifiers(event) };
  }
  function offsetIn(element2, x, y) {
    const rect = element2.getBoundingClientRect();
    return rect.width > 0 && rect.height > 0 ? { x: round2((x - rect.x) / rect.width), y: round2((y - rect.y) / rect.height) } : void 0;
  }
  function round2(fraction) {
    return Number.isFinite(fraction) ? Math.round(Math.min(Math.max(fraction, 0), 1) * 100) / 100 : 0.5;
  }
  var STILL_PX = 5;
  var PRESSED2 = /* @__PURE__ */ new Set(["button", "checkbox", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "radio", "switch", "tab"]);
  function meantBy(press2, event) {
    const { element: element2, x, y, rect, events } = press2;
    if (fieldOf(element2) || onScrollbar(element2, rect, x, y)) return "nothing";
    const went = hasMoved(press2);
    const hit2 = document.elementFromPoint(event.clientX, event.clientY);
    const held = isHeld(element2, event.pointerId);
    if (PRESSED2.has(roleOf(element2)) && !went && !held && hit2 && element2.contains(hit2)) return "click";
    const taken = went || held || events.some((e) => e.defaultPrevented) || element2.localName === "canvas" || getComputedStyle(element2).userSelect === "none";
    return taken ? "drag" : "nothing";
  }
  function hasMoved({ element: element2, rect }) {
    if (!element2.isConnected) return false;
    const now = element2.getBoundingClientRect();
    return Math.hypot(now.x - rect.x, now.y - rect.y) > STILL_PX;
  }
  function isHeld(element2, pointer2) {
    for (let at = element2; at; at = composedParent(at)) if (at.hasPointerCapture(pointer2)) return true;
    return false;
  }
  function onScrollbar(element2, rect, x, y) {
    return element2.clientWidth > 0 && (x > rect.x + element2.clientLeft + element2.clientWidth || y > rect.y + element2.clientTop + element2.clientHeight);
  }
  function landing(press2, event) {
    const { element: element2, rect } = press2;
    const went = hasMoved(press2);
    const isPicture = (el) => {
      const { width, height } = el.getBoundingClientRect();
      return getComputedStyle(el).position === "fixed" && Math.abs(width - rect.width) < 2 && Math.abs(height - rect.height) < 2;
    };
    return document.elementsFromPoint(event.clientX, event.clientY).find((el) => !(went && element2.contains(el)) && !isPicture(el));
  }
  function tellDrag(from, hit2, event) {
    if (!hit2) return;
    const to = used(hit2);
    sendEvent({ type: "drag", press: from.id, target: tell(to, true), offset: offsetIn(to, event.clientX, event.clientY) });
  }
  var BOX_WIDTH = 420;
  var BOX_HEIGHT = 160;
  var OPAQUE = "input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image],[type=checkbox],[type=radio]),textarea,select,[contenteditable]:not([contenteditable=false]),iframe,frame,object,embed";
  var MOST_READ2 = 2e4;
  var boxesWanted = false;
  function wantBoxes(yes) {
    boxesWanted = yes;
  }
  function boxOf(el, x, y) {
    if (!boxesWanted || window !== window.parent || holdsField(el) || isSensitive(el)) return void 0;
    if (knowsSecrets() && [el.innerText ?? el.textContent ?? "", el.outerHTML.slice(0, MOST_READ2)].some(repeatsSecret)) return void 0;
    const box = placeAround(el.getBoundingClientRect(), x, y);
    return box.width > 4 && box.height > 4 && !isOverField(box) ? { ...box, view: innerWidth, at: [x, y] } : void 0;
  }
  function standsAt2(ref, box) {
    const el = elementOf(ref);
    const now = el?.isConnected ? boxOf(el, ...box.at) : void 0;
    return now !== void 0 && now.x === box.x && now.y === box.y && now.width === box.width && now.height === box.height && now.view === box.view;
  }
  function placeAround(rect, x, y) {
    const [left2, right] = partInView(rect.left, rect.right, x, BOX_WIDTH, innerWidth);
    const [top, bottom] = partInView(rect.top, rect.bottom, y, BOX_HEIGHT, innerHeight);
    return { x: left2, y: top, width: right - left2, height: bottom - top };
  }
  function partInView(from, to, at, longest, end2) {
    const first = Math.max(from, 0, to - from > longest ? at - longest / 2 : 0);
    return [first, Math.min(to, end2, first + longest)];
  }
  function isOverField(box) {
    let found2 = false;
    eachRoot(document, (root) => {
      for (const field of found2 ? [] : root.querySelectorAll(OPAQUE)) {
        const rect = field.getBoundingClientRect();
        const apart = rect.right <= box.x || rect.left >= box.x + box.width || rect.bottom <= box.y || rect.top >= box.y + box.height;
        if (rect.width > 0 && !apart) found2 = true;
      }
    });
    return found2;
  }
  function onDrop(event, hit2) {
    const files = event.dataTransfer?.files;
    const press2 = lastPress();
    if (!files?.length && press2 && !fieldOf(hit2)) tellDrag(press2, hit2, event);
    if (!files?.length || hit2 instanceof HTMLInputElement && hit2.type === "file") return;
    const element2 = used(hit2);
    const offset = offsetIn(element2, event.clientX, event.clientY);
    tellFiles(element2, files, { many: files.length > 1, ...offset ? { offset } : {} });
  }

  // src/capture/recorder.ts
  var recording = false;
  function record(hashKey, testIdAttribute = "", more = {}) {
    describeWith(hashKey, testIdAttribute);
    wantBoxes(more.boxes ?? false);
    if (more.secrets) {
      useKey(more.secrets.key);
      rememberPieces(more.secrets);
    }
    if (more.hidden) hide(more.hidden);
    watchAim();
    for (const [type, listener] of LISTENERS) addEventListener(type, listener, { capture: true, passive: true });
    navigation()?.addEventListener("navigate", onNavigate);
    watchHosts(WITHIN);
    if (recording) return;
    recording = true;
    sendEvent({ type: "hello" });
  }
  function navigation() {
    return self.navigation;
  }
  function stop() {
    recording = false;
    dropKey();
    forgetAim();
    dropPress();
    forgetTold();
    forgetSpread();
    navigation()?.removeEventListener("navigate", onNavigate);
    for (const [type, listener] of LISTENERS) removeEventListener(type, listener, { capture: true });
    forget();
  }
  var LISTENERS = [
    ["pointerdown", trusted((event, hit2) => (spread(), onPointerDown(event, hit2)))],
    ["pointerup", trusted(onPointerUp)],
    ["pointercancel", trusted(onPressTaken)],
    ["click", trusted(onClick)],
    ["auxclick", trusted(onClick)],
    ["click", (event) => noteChooser(event, lastPress()?.id ?? 0)],
    ["mousedown", trusted(onMouseDown)],
    ["dragstart", trusted(onPressTaken)],
    ["drop", trusted(onDrop)],
    ["focusin", trusted(onFocus)],
    ["focusout", trusted((event, field) => (onBlur(event, field), spread()))],
    ["keydown", trusted(onKey2)],
    ["keyup", trusted(() => {
    })],
    // the page has dealt with the key
    ["input", trusted(onInput)],
    ["change", trusted((event, field) => (onChange(event, field), spread()))],
    ["pointerover", trusted(noticeHost)],
    ["pagehide", (event) => onLeave(event)]
  ];
  function onKey2(event, target) {
    if (knowsSecrets() && isField(target)) isSensitive(target);
    if (LEADS.has(event.key)) spread();
    onKeyDown(event, target);
  }
  var LEADS = /* @__PURE__ */ new Set(["Enter", "Tab", " ", "Escape"]);
  function onLeave(event) {
    settleKey();
    spread();
    if (event.persisted) leave();
  }
  var WITHIN = LISTENERS.filter(([type]) => ["focusin", "focusout", "change"].includes(type));
  function trusted(listener) {
    return (event) => {
      const target = targetOf(event);
      if (!event.isTrusted || !(target instanceof Element)) return;
      try {
        settleKey();
        listener(event, target);
      } catch (error) {
        sendEvent({ type: "fault", during: event.type, message: error instanceof Error ? error.name : "unknown" });
      }
    };
  }
  function onInnerPress(early, hit2) {
    const element2 = used(hit2);
    const field = fieldOf(hit2);
    if (field && early.typed && !CHANGES.has(kindOf(field))) return tellValue(field, { press: early.press });
    if (field instanceof HTMLSelectElement && field.size > 1 || hit2 instanceof HTMLOptionElement) return tellChosen(hit2.closest("select"), early.press);
    sendEvent({ type: "within", press: early.press, target: tell(element2, true), control: controlOf2(element2), offset: offsetIn(element2, early.x, early.y) });
  }
  onReached({ press: onInnerPress, focus: onInnerFocus });
  function learn(hashes) {
    rememberPieces(hashes);
    forgetTold();
  }

  // src/describe/outline.ts
  var USED = new Set(
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem".split(" ")
  );
  var SHAPING = new Set("alert alertdialog article banner complementary contentinfo dialog form main navigation region row search status table tablist".split(" "));
  var NAMED2 = /* @__PURE__ */ new Set(["heading", "img", "progressbar", "meter"]);
  var LONGEST3 = 200;
  var MOST_OPTIONS2 = 30;
  var LOADS_MS2 = 3e3;
  async function outline(secrets, most) {
    guardSecrets(secrets);
    await until(LOADS_MS2, () => isReady() && hasLoaded() || void 0);
    return inOnePass(() => {
      const walk2 = new Outline(most);
      walk2.into(document.body ?? document.documentElement, 0, true);
      return { title: words(document.title), lines: walk2.lines, more: walk2.size > most };
    });
  }
  var Outline = class {
    constructor(most) {
      this.most = most;
    }
    most;
    lines = [];
    size = 0;
    /** Adds a line, unless there are enough. */
    add(line) {
      this.size += JSON.stringify(line).length;
      if (this.size <= this.most) this.lines.push(line);
    }
    /** Tells of what is in an element, in the order in which it is seen. */
    into(el, depth, texts) {
      let said = "";
      const say = () => {
        const text2 = words(said);
        if (texts && text2) this.add({ depth, role: "text", name: text2 });
        said = "";
      };
      for (const node of childrenOf(el)) {
        if (this.size > this.most) return;
        if (node instanceof Text) said += repeats().texts.has(node) ? ` ${HIDDEN} ` : node.data;
        else if (node instanceof Element && isInline(node)) said += repeats().within(node) ? ` ${HIDDEN} ` : node.textContent;
        else if (node instanceof Element) {
          say();
          this.one(node, depth, texts);
        }
      }
      say();
    }
    one(el, depth, texts) {
      if (NOT_SHOWN2.has(el.localName) || el.getAttribute("aria-hidden") === "true" || !isShown(el)) return;
      const role = roleOf(el);
      if (isUsed(el, role)) {
        this.add(used2(el, role, depth));
        if (role === "gridcell" || role === "treeitem") this.into(el, depth + 1, false);
        return;
      }
      if (NAMED2.has(role)) {
        const name = named3(el, nameOf(el));
        if (name) this.add({ depth, role, name });
        this.into(el, depth + 1, false);
        return;
      }
      if (SHAPING.has(role) || el.localName === "iframe") {
        const before = this.lines.length;
        const line = { depth, role: role || "frame" };
        const name = repeats().by(el) ? HIDDEN : words(nameOf(el));
        this.add(name ? { ...line, name } : line);
        this.into(el, depth + 1, texts);
        if (this.lines.length === before + 1 && !name && el.localName !== "iframe") this.lines.pop();
        return;
      }
      this.into(el, depth, texts && !(el instanceof HTMLLabelElement && el.control));
    }
  };
  var NOT_SHOWN2 = /* @__PURE__ */ new Set(["script", "style", "noscript", "template", "head", "svg", "datalist", "option", "optgroup"]);
  var INLINE = /* @__PURE__ */ new Set(["b", "strong", "i", "em", "span", "small", "code", "abbr", "sub", "sup", "mark", "u", "s", "time", "br", "wbr", "bdi", "q", "cite"]);
  function isInline(el) {
    return INLINE.has(el.localName) && !el.firstElementChild && !shadowOf(el) && !el.hasAttribute("role") && !isUsed(el, "") && isShown(el);
  }
  function isShown(el) {
    return el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) || getComputedStyle(el).display === "contents";
  }
  function isUsed(el, role) {
    if (fieldOf(el) === el && el.type !== "hidden") return true;
    if (USED.has(role)) return true;
    return el.localName === "label" ? false : el.matches("[onclick],summary,[tabindex]:not([tabindex^='-'])") && isVisible(el) && !el.matches("body,main,form,[role=region]");
  }
  function used2(el, role, depth) {
    const line = { depth, role: role || "generic", ref: refOf(el) };
    const name = named3(el, nameOf(el) || (fieldOf(el) ? "" : el.textContent));
    if (name) line.name = name;
    const states = statesOf(el, role);
    if (states.length) line.states = states;
    const field = fieldOf(el);
    if (field === el && !isSensitive(el)) hold(line, el);
    return line;
  }
  function statesOf(el, role) {
    const states = [];
    if (fieldOf(el) === el && isSensitive(el)) states.push("secret");
    if (disabledWhy(el)) states.push("disabled");
    if ((role === "checkbox" || role === "radio" || role === "switch") && stateOf(el)) states.push("checked");
    if (el === document.activeElement) states.push("focused");
    for (const state2 of ["expanded", "selected", "pressed", "current", "required", ...states.includes("secret") ? [] : ["invalid"]]) {
      const said = el.getAttribute(`aria-${state2}`);
      if (said && said !== "false") states.push(state2);
    }
    if (el.required === true && !states.includes("required")) states.push("required");
    if (el.readOnly === true) states.push("readonly");
    return states;
  }
  function hold(line, field) {
    if (field instanceof HTMLSelectElement) {
      line.value = words([...field.selectedOptions].map((o) => o.label).join(", "));
      line.options = [...field.options].slice(0, MOST_OPTIONS2).map((o) => words(o.label));
      if (field.options.length > MOST_OPTIONS2) line.options.push(`and ${field.options.length - MOST_OPTIONS2} more`);
      return;
    }
    const kind = kindOf(field);
    if (["checkbox", "radio", "submit", "button", "reset", "image"].includes(kind)) return;
    if (kind === "file") {
      line.states = [...line.states ?? [], "file"];
      return;
    }
    const value = repeats().by(field, "") ? HIDDEN : words(valueOf(field));
    if (value) line.value = value;
  }
  function named3(el, name) {
    if (name && (repeats().within(el) || repeats().by(el))) return HIDDEN;
    return words(name);
  }
  function words(text2) {
    if (!text2) return "";
    const plain = text2.replaceAll(HIDDEN, "");
    if (repeatsSecret(plain)) return HIDDEN;
    const all = normalize(text2).replaceAll(TWICE, HIDDEN);
    return all.length > LONGEST3 ? `${all.slice(0, LONGEST3)}…` : all;
  }
  var TWICE = new RegExp(`(?:\\${HIDDEN.slice(0, -1)}\\] ?)+`, "g");
  function childrenOf(el) {
    if (el instanceof HTMLSlotElement) {
      const assigned = el.assignedNodes();
      if (assigned.length) return assigned;
    }
    return (shadowOf(el) ?? el).childNodes;
  }
  async function about(ref, paths2, key2, timeout) {
    if (ref) {
      const el = elementOf(ref);
      return el?.isConnected ? aboutOne(el, key2) : null;
    }
    if (repeatsAny()) return null;
    const finder = new Finder({ paths: paths2, hidden: true });
    const found2 = await until(timeout, () => finder.look());
    finder.stop();
    return found2 ? aboutOne(found2.element, key2) : null;
  }
  function aboutOne(el, key2) {
    const field = (el instanceof HTMLLabelElement ? el.control && fieldOf(el.control) : fieldOf(el)) ?? null;
    const called = field ? [...autocompleteOf(field), field.getAttribute("name") ?? "", field.id] : [];
    return {
      ...describe(el, key2),
      secret: field !== null && isSensitive(field),
      label: words(nameOf(el)),
      kind: field ? kindOf(field) : "",
      words: called.filter((word) => word && !repeatsSecret(word))
    };
  }

  // src/main.ts
  var api = { about, accessible, act, adoptRoots, aim, aimedAt, answers, breathe, carry, coverOf, covers, dragBegan, frame, describe, elementOf, guardSecrets, hide, hosts, keyed, learn, mayType, middle, outline, pieces, pointed, record, repeatsAny, standsAt: standsAt2, stop, typedSecret, flush, viewport, wall, whyNoKey };
  var token = "";
  function call(forToken, name, ...args) {
    if (forToken !== token) throw new Error("stale world");
    const result = api[name](...args);
    return result instanceof Promise ? result.then((value) => ({ value })) : { value: result };
  }
  function element(forToken, name, ...args) {
    if (forToken !== token) throw new Error("stale world");
    return api[name](...args);
  }
  function adopt(given) {
    token = given;
  }
  var outside2 = globalThis;
  outside2.__reprise ??= { call, element, adopt };
})();
