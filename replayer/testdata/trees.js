// Pages made of a few bytes, and changes made of a few more. What is right and
// what is wrong about a click is told here by a reading of the rules that shares
// nothing with the engine's: it looks at words, twins and places in the plainest way.
globalThis.trees = (() => {
  const WORDS = ("save delete open edit buy send close print copy share archive restore invite approve reject refund transfer pay order ship track rate " +
    "review follow block report mute pin star merge split clone fork sync upload download import export publish draft preview schedule cancel confirm " +
    "renew upgrade login logout profile account wallet budget invoice receipt ticket coupon basket checkout address delivery warehouse supplier customer " +
    "partner contract salary holiday calendar meeting reminder message contact group channel project milestone release branch pipeline metric alert " +
    "device sensor battery camera garden kitchen bedroom ceiling window mirror violin trumpet planet comet river canyon desert glacier harbour lantern").split(" ");
  const CLASSES = ["btn", "primary", "ghost", "wide", "link", "tool", "row", "cell", "icon", "item"];
  const ICONS = ["M0 0h16v16H0z", "M2 2l9 9", "M5 0v12H1z", "M8 1a7 7 0 1 0 1 0z"];
  const ITEM = "button,a[href],input,[role=button],[role=tab]";
  const ROWS = "li,tr,article,.card";
  const AT_THE_PRESS = "when the pointer had come:";

  let random, vocabulary, target, recorded, log, late, clicks, clicked, flags;

  // Chance: a small generator (mulberry32), the same for the same bytes.
  function seeded(bytes) {
    let h = 0x811c9dc5;
    for (const b of bytes) h = Math.imul(h ^ b, 0x01000193);
    return () => {
      h = (h + 0x6d2b79f5) | 0;
      let t = Math.imul(h ^ (h >>> 15), 1 | h);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
  }
  const below = (n) => Math.floor(random() * n);
  const one = (list) => list[below(list.length)];
  const often = (part) => random() < part;
  const word = () => vocabulary[below(vocabulary.length)];
  const phrase = () => (often(0.6) ? word() : `${word()} ${word()}`);

  // Making a page

  function element(tag, attributes = {}, ...inside) {
    const el = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== "") el.setAttribute(name, value);
    el.append(...inside);
    return el;
  }
  const classes = () => (often(0.6) ? [...new Set([one(CLASSES), ...(often(0.4) ? [one(CLASSES)] : [])])].join(" ") : "");
  const common = () => ({ class: classes(), id: often(0.25) ? `${word()}-${word()}` : "", "data-testid": often(0.12) ? `${word()}-${word()}` : "" });

  const ITEMS = [
    () => element("button", common(), phrase()),
    () => element("button", common(), element("span", { class: classes() }, phrase())),
    () => element("a", { ...common(), href: often(0.7) ? `/${word()}/${word()}` : "#" }, phrase()),
    () => element("div", { ...common(), role: often(0.8) ? "button" : "tab", tabindex: "0" }, phrase()),
    () => element("input", { ...common(), type: "submit", value: phrase() }),
    () => element("input", { ...common(), type: "text", name: often(0.5) ? word() : "", placeholder: often(0.5) ? phrase() : "", "aria-label": often(0.5) ? phrase() : "" }),
    () => element("button", { ...common(), "aria-label": often(0.5) ? phrase() : "" }, icon()),
    () => {
      const box = element("input", { ...common(), type: "checkbox", name: often(0.5) ? word() : "" });
      return element("label", {}, box, ` ${phrase()}`);
    },
  ];
  function icon() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    for (const side of ["width", "height"]) svg.setAttribute(side, "16");
    path.setAttribute("d", one(ICONS));
    svg.append(path);
    return svg;
  }

  const PARTS = [
    (n, depth) => fill(element("div", { class: classes() }), n, depth),
    (n, depth) => fill(element("section", { class: classes() }, element("h2", {}, phrase())), n, depth),
    (n, depth) => fill(element(one(["main", "nav", "form", "aside", "footer", "p"]), { class: classes() }), n, depth),
    (n) => rows("ul", "li", n),
    (n) => rows("div", "div", n, "card"),
    (n) => table(n),
    (n) => copies(element("div", { class: "bar" }), n), // twins that nothing tells apart
    (n, depth) => {
      const host = element("div", { class: classes(), id: often(0.5) ? `${word()}-host` : "" });
      fill(host.attachShadow({ mode: "open", serializable: true }), n, depth);
      return host;
    },
    (n, depth) => fill(element("dialog", { open: "open", style: "position:static", "aria-label": phrase() }), n, depth),
  ];
  function rows(list, entry, n, name = "") {
    const all = element(list, { class: classes() });
    const make = often(0.7) ? repeated(one(ITEMS)) : one(ITEMS);
    const same = often(0.3) ? phrase() : "";
    for (let i = 0; i < n; i++) all.append(element(entry, { class: name }, element("span", {}, same || phrase()), " ", make()));
    return all;
  }
  function table(n) {
    const body = element("tbody");
    const make = often(0.8) ? repeated(one(ITEMS)) : one(ITEMS);
    const same = often(0.3) ? phrase() : "";
    for (let i = 0; i < n; i++) body.append(element("tr", {}, element("td", {}, same || phrase()), element("td", {}, make())));
    return element("table", {}, body);
  }
  function repeated(make) {
    const first = make();
    first.removeAttribute("id");
    return () => first.cloneNode(true);
  }
  function copies(bar, n) {
    const make = repeated(one(ITEMS));
    for (let i = 0; i < n; i++) bar.append(make(), " ");
    return bar;
  }
  function fill(parent, n, depth) {
    while (n > 0) {
      const part = depth < 4 && n > 1 && often(0.45) ? Math.min(n, 1 + below(6)) : 0;
      if (part) parent.append(one(PARTS)(part, depth + 1), " ");
      else if (often(0.15)) parent.append(element("p", {}, `${phrase()} ${phrase()}`));
      else parent.append(one(ITEMS)(), " ");
      n -= part || 1;
    }
    return parent;
  }

  function roots(root = document) {
    return [root, ...[...root.querySelectorAll("*")].flatMap((el) => (el.shadowRoot ? roots(el.shadowRoot) : []))];
  }
  const items = () => roots().flatMap((root) => [...root.querySelectorAll(ITEM)]);
  const parents = () => roots().flatMap((root) => [...root.querySelectorAll("div:not([role]),section,main,nav,form,aside,footer,dialog,body")]);

  // Reading a page: the plain way

  const plain = (text) => (text ?? "").toLowerCase().replace(/\s+/g, " ").trim();
  function saysOf(el) {
    const label = el.closest("label");
    return plain(el.getAttribute("aria-label")) || (el.matches("input[type=submit]") ? plain(el.value) : plain(el.textContent)) ||
      (label ? plain(label.textContent) : "") || plain(el.getAttribute("title"));
  }
  const wordsOf = (el) => [...new Set(`${saysOf(el)} ${plain(el.getAttribute("placeholder"))}`.split(" ").filter(Boolean))];
  const identityOf = (el) => ["data-testid", "id", "name", "href"].map((name) => [name, el.getAttribute(name)]).filter(([, value]) => value && value !== "#");
  /** What an element looks like, state aside: two that have it in common are twins. */
  function looksOf(el) {
    const copy = el.cloneNode(true);
    for (const name of ["style", "hidden", "disabled", "inert"]) copy.removeAttribute(name);
    return `${copy.outerHTML} ${saysOf(el)}`;
  }
  /** Words that belong to an element: those of its row, before it, after it, and what it stands under. */
  function aroundOf(el) {
    const row = el.closest(ROWS);
    const without = (whole) => {
      const copy = whole.cloneNode(true);
      for (const inner of copy.querySelectorAll(ITEM)) inner.remove();
      return plain(copy.textContent);
    };
    return {
      row: row && row !== el ? without(row) : "", heading: plain(el.closest("section")?.querySelector("h2")?.textContent),
      before: textBeside(el, "previousSibling"), after: textBeside(el, "nextSibling"),
    };
  }
  /** Text next to an element; "" where another control comes first. */
  function textBeside(el, side) {
    for (let at = el; at && at.parentNode !== document.body && !at.matches?.(ROWS); at = at.parentElement) {
      for (let node = at[side]; node; node = node[side]) {
        if (node instanceof Element && (node.matches(ITEM) || node.querySelector(ITEM) || node.shadowRoot)) return "";
        if (plain(node.textContent)) return plain(node.textContent);
      }
    }
    return "";
  }
  function read() {
    const all = items();
    return { all, of: new Map(all.map((el) => [el, { says: saysOf(el), words: wordsOf(el), looks: looksOf(el), around: aroundOf(el), identity: identityOf(el) }])) };
  }
  const texts = () => roots().flatMap((root) => [...root.querySelectorAll(`${ITEM},h2,label`)]).map(saysOf).filter(Boolean);

  function isShown(el) {
    const rect = el.getBoundingClientRect();
    return el.isConnected && rect.width > 0 && rect.height > 0 && getComputedStyle(el).visibility === "visible";
  }
  function isOff(el) {
    if (el.matches(":disabled")) return "disabled";
    for (let at = el; at; at = at.parentElement ?? at.getRootNode().host) {
      if (at.hasAttribute("inert")) return "inert";
      if (at.getAttribute("aria-disabled") === "true") return "disabled";
    }
    return "";
  }

  /** Where an element is, as child indices from the document, "s" into a shadow root. */
  function placeOf(el) {
    const place = [];
    for (let at = el; at !== document; ) {
      if (at instanceof ShadowRoot) {
        place.unshift("s");
        at = at.host;
        continue;
      }
      place.unshift([...at.parentNode.children].indexOf(at));
      at = at.parentNode;
    }
    return place;
  }

  // Changing it

  const other = () => one(items().filter((el) => el !== target)) ?? target;
  const victim = () => (often(0.6) && target.isConnected ? target : other());
  const unit = (el) => el.closest("label") ?? el; // what is moved and removed
  function rename(el, text) {
    if (el.hasAttribute("aria-label")) el.setAttribute("aria-label", text);
    else if (el.matches("input[type=submit]")) el.setAttribute("value", text);
    else if (el.closest("label")) el.closest("label").lastChild.data = ` ${text}`;
    else if (el.hasAttribute("placeholder")) el.setAttribute("placeholder", text);
    else if (el.firstElementChild?.matches("span")) el.firstElementChild.textContent = text;
    else if (!el.firstElementChild && !el.matches("input")) el.textContent = text;
  }
  function fresh(el) { // another element, dressed like it
    const made = one(ITEMS)();
    const inner = made.matches("label") ? made.firstElementChild : made;
    if (often(0.6) && el.className) inner.className = el.className;
    if (often(0.2) && el.id) inner.id = el.id;
    return made;
  }
  function decoy(el) { // the same, but for its words
    const made = unit(el).cloneNode(true);
    const inner = made.matches(ITEM) ? made : made.querySelector(ITEM);
    rename(inner, phrase());
    if (often(0.7)) for (const name of ["id", "data-testid", "name"]) inner.removeAttribute(name);
    return made;
  }
  function overlay(el) {
    const cover = element("div", { style: "position:fixed;inset:0;background:#fffa;z-index:9" });
    if (often(0.5)) {
      const rect = el.getBoundingClientRect();
      cover.setAttribute("style", `position:absolute;z-index:9;background:#fff;left:${rect.x + scrollX - 2}px;top:${rect.y + scrollY - 2}px;width:${rect.width + 4}px;height:${rect.height + 4}px`);
    }
    document.body.append(cover);
  }
  const translation = (text) => text.replace(/\p{L}+/gu, (w) => [...w].reverse().join("") + "o");
  const CHANGES = {
    remove: (el) => unit(el).remove(),
    removeRow: (el) => (el.closest(ROWS) ?? unit(el)).remove(),
    replace: (el) => unit(el).replaceWith(fresh(el)),
    dressUp: (el) => unit(el).replaceWith(decoy(el)),
    relabel: (el) => rename(el, phrase()),
    addWord: (el) => rename(el, `${saysOf(el)} ${WORDS.find((w) => !saysOf(el).includes(w))}`),
    swapTexts: (el) => {
      const with_ = other();
      const [a, b] = [saysOf(el), saysOf(with_)];
      rename(el, b);
      rename(with_, a);
    },
    duplicate: (el) => unit(el)[one(["before", "after"])](unit(el).cloneNode(true)),
    duplicateRow: (el) => {
      const row = el.closest(ROWS) ?? unit(el);
      row[one(["before", "after"])](row.cloneNode(true));
    },
    lookAlike: (el) => unit(el)[one(["before", "after"])](decoy(el)),
    hide: (el) => el.setAttribute("style", one(["display:none", "visibility:hidden"])),
    disable: (el) => el.setAttribute(el.matches("button,input") ? "disabled" : "aria-disabled", "true"),
    inert: (el) => el.parentElement?.setAttribute("inert", ""),
    move: (el) => one(parents().filter((to) => !unit(el).contains(to))).append(unit(el)),
    swapPlaces: (el) => {
      const [a, b] = [unit(el), unit(other())];
      if (a === b || a.contains(b) || b.contains(a)) return;
      const mark = document.createComment("");
      a.replaceWith(mark);
      b.replaceWith(a);
      mark.replaceWith(b);
    },
    wrap: (el) => {
      const box = element("div", { class: classes() });
      unit(el).replaceWith(box);
      box.append(unit(el));
    },
    reverseRows: (el) => {
      const list = el.closest(ROWS)?.parentElement ?? el.parentElement;
      list?.append(...[...list.children].reverse());
    },
    renameId: (el) => (el.id = `${word()}-${word()}`),
    renameIds: () => items().forEach((el) => el.id && (el.id = translation(el.id))),
    renameClasses: () => roots().forEach((root) => root.querySelectorAll("[class]:not(.card)").forEach((el) => (el.className = translation(el.className)))),
    becomeLink: (el) => {
      if (!el.matches("button,[role=button]")) return;
      const made = element("a", { href: "#", class: el.className, id: el.id, "aria-label": el.getAttribute("aria-label") ?? undefined }, ...el.childNodes);
      if (el === target) target = made;
      el.replaceWith(made);
    },
    rebuild: (el) => { // the same anew, as a framework does
      const made = unit(el).cloneNode(true);
      unit(el).replaceWith(made);
      if (el === target) target = made.matches(ITEM) ? made : made.querySelector(ITEM);
    },
    cover: overlay,
    modal: () => {
      const dialog = element("dialog", {}, fill(element("div"), 2, 3));
      document.body.append(dialog);
      dialog.showModal();
    },
    add: () => one(parents())[one(["append", "prepend"])](one(ITEMS)()),
    translate: () => {
      for (const root of roots()) {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) walker.currentNode.data = translation(walker.currentNode.data);
        for (const name of ["aria-label", "placeholder", "title", "value"]) {
          for (const el of root.querySelectorAll(`[${name}]`)) el.setAttribute(name, translation(el.getAttribute(name)));
        }
      }
    },
  };
  /** Changes that come between the look and the press. */
  const LATE = ["replace", "dressUp", "remove", "relabel", "disable", "inert", "hide", "cover", "lookAlike", "duplicate", "swapTexts", "swapPlaces", "move", "rebuild", "modal"];

  function change(name) {
    const el = victim();
    if (!el.isConnected) return;
    log.push(`${name} ${el === target ? "TARGET" : brief(el)}`);
    CHANGES[name](el);
  }
  const brief = (el) => `${el.localName}${el.id ? `#${el.id}` : ""} "${saysOf(el)}"`;

  // Playing

  addEventListener("mousemove", (event) => {
    if (!event.isTrusted || !late) return;
    const names = late;
    late = null;
    log.push(AT_THE_PRESS);
    names.forEach(change);
  }, true);
  document.addEventListener("click", (event) => {
    event.preventDefault();
    if (!event.isTrusted || !recorded) return;
    const path = event.composedPath();
    // The click that a label sends on to its field is none of the mouse's.
    if (event.detail === 0 && event.screenX === 0 && event.screenY === 0) return;
    const at = path.find((node) => node instanceof Element && node.matches(ITEM)) ??
      path.find((node) => node instanceof HTMLLabelElement)?.querySelector(ITEM) ?? path[0];
    clicks.push({ at, path, faults: faultsOf(at) });
  }, true);

  /** What a click on an element breaks of the rules. */
  function faultsOf(el) {
    const faults = [];
    const now = read();
    const is = now.of.get(el);
    const was = recorded.of.get(recorded.target);
    if (!is) return [`it went to ${el.localName}, which is nothing that can be pressed`];
    if (!isShown(unit(el))) faults.push("it cannot be seen");
    if (isOff(el)) faults.push(`it is ${isOff(el)}`);
    const kept = recorded.texts.filter((text) => text !== was.says);
    const there = new Set(texts());
    const stays = kept.filter((text) => there.has(text)).length / kept.length;
    const same = was.identity.filter(([name, value]) => is.identity.some(([n, v]) => n === name && v === value));
    if (kept.length >= 3 && stays >= 0.9 && was.words.length && is.words.length && !same.length && !is.words.some((w) => was.words.includes(w))) {
      faults.push(`it says ${is.words}, the recorded one ${was.words}, nothing identifies it, and ${Math.round(stays * 100)} % of the other words are still there`);
    }
    const twins = recorded.all.filter((other) => other !== recorded.target && recorded.of.get(other).looks === was.looks).map((other) => recorded.of.get(other));
    const count = now.all.filter((other) => now.of.get(other).looks === was.looks).length;
    if (twins.length && is.looks === was.looks && count !== twins.length + 1) {
      const tells = Object.keys(was.around).filter((side) => was.around[side] && twins.every((twin) => twin.around[side] !== was.around[side] && (twin.around[side] || side === "row" || side === "heading")));
      if (!tells.some((side) => is.around[side] === was.around[side])) faults.push(`of ${twins.length + 1} twins there are ${count} now, told apart by ${tells.join(", ") || "nothing"}`);
    }
    return faults;
  }

  return {
    /** Makes a page, and says where its target is; null where it has nothing to press. */
    build(bytes) {
      random = seeded(bytes);
      [log, late, clicks, recorded] = [[], null, [], null];
      const [size = 0, words = 0, changes = 0, kind = 0] = bytes;
      vocabulary = WORDS.slice(0, [4, 12, WORDS.length][words % 3]);
      if (words % 3 === 2) vocabulary.sort(() => random() - 0.5);
      flags = { changes: changes % 5, late: kind % 4 === 3 };
      document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
      document.body.replaceChildren();
      document.body.removeAttribute("inert");
      scrollTo(0, 0);
      fill(document.body, 2 + (size % 28), 0);
      const can = items().filter((el) => isShown(el) && !isOff(el));
      if (!can.length) return null;
      target = one(can);
      target.scrollIntoView({ block: "center" });
      return placeOf(target);
    },
    /** Changes the page after it was recorded. */
    change() {
      recorded = { ...read(), target, texts: texts(), html: html(), place: brief(target) };
      const names = Object.keys(CHANGES);
      for (let i = 0; i < flags.changes; i++) change(one(names));
      if (flags.late) late = Array.from({ length: 1 + below(2) }, () => one(LATE));
    },
    /** What became of it. */
    outcome() {
      const [first] = clicks;
      return {
        clicks: clicks.length, faults: clicks.flatMap((click) => click.faults), on: first ? brief(first.at) : "",
        right: !!first && first.at === target, gone: !target.isConnected || !isShown(unit(target)) || !!isOff(target),
        log, was: recorded.html, is: html(), target: recorded.place,
      };
    },
    /** Whether the page was changed while it was played; else it is played once more, and what it clicked before is kept. */
    again() {
      const changed = log.includes(AT_THE_PRESS);
      if (!changed) [clicked, clicks] = [clicks[0].at, []];
      return changed;
    },
    /** Whether what is clicked now is what was clicked before. */
    isSame() {
      return clicks.length === 1 && clicks[0].at === clicked;
    },
    /** Whether the only element that a path of selectors names is the clicked one; null where it is not known. */
    isNamed(path) {
      if (log.includes(AT_THE_PRESS)) return null; // it was named before
      let found = [document];
      for (const [i, part] of path.entries()) {
        if (i > 0) found = found.map((el) => el.shadowRoot).filter(Boolean);
        found = found.flatMap((root) => look(part, root));
        if (!found.length) return null;
      }
      const shown = found.filter((el) => isShown(unit(el)));
      if (shown.length !== 1) return null;
      return clicks.some(({ at, path: through }) => through.includes(shown[0]) || at === shown[0]);
    },
  };

  function look(selector, root) {
    if (selector.startsWith("testid/")) return [...root.querySelectorAll(`[data-testid="${CSS.escape(selector.slice(7))}"]`)];
    if (selector.startsWith("xpath/")) {
      const found = document.evaluate(selector.slice(6), root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
      return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i));
    }
    return /^(aria|text|pierce)\//.test(selector) ? [] : [...root.querySelectorAll(selector)];
  }
  function html() {
    return document.body.getHTML({ serializableShadowRoots: true });
  }
})();
