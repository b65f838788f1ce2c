"use strict";
// The live view: frames of the page come in, presses and text go out. A press on the page is a press of
// the mouse there; text goes by the text field, so that a phone's keyboard, an input method and a paste
// all work, and keys that are no text go as keys. Nothing of it is stored here.

const $ = (id) => document.getElementById(id);
const canvas = $("page"), stage = $("stage"), text = $("text"), ask = $("ask"), notice = $("notice");
const draw = canvas.getContext("2d");

// A link is opened once: its secret leaves the address at once, and is exchanged for a cookie.
const [id, key] = location.hash.slice(1).split(".");
if (key) {
  history.replaceState(null, "", "#" + id);
}

let socket = null;
let ended = false;
let control = true;
let shape = { w: 1280, h: 720, top: 0 };
let state = null;
let asked = ""; // the deadline when more time was asked for, "" for not at all
let waits = 250; // before the next connection, in ms

function say(why) {
  notice.textContent = why;
}

// What is done goes there in order, each once: it has a number, and is sent again over the next connection until it is
// known to have arrived. Where the connection was away for long it is done no more: the page may be another by then. A
// move of the mouse, and a turn of its wheel, is not worth that.
const view = Math.random().toString(36).slice(2) + Date.now().toString(36); // this page of this device
let late = 10000; // ms
let number = 0, greeted = false;
let heardAt = 0; // a page that is slow tells all the while, so that what waits for it is not late
let unseen = []; // what is not known to have arrived, oldest first
function send(message) {
  if (!control || ended || message.t === "none") {
    return;
  }
  const lasts = message.t !== "move" && message.t !== "wheel";
  const one = lasts ? { ...message, n: ++number } : message;
  if (lasts) {
    unseen.push({ one, at: Date.now() });
  }
  if (greeted && socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(one));
  }
}

/** Forgets what has arrived. */
function arrived(upTo) {
  unseen = unseen.filter(({ one }) => one.n > upTo);
}

function sendAgain() {
  const tooLate = unseen.length > 0 && Date.now() - Math.max(unseen[0].at, heardAt) > late;
  if (tooLate || !control) {
    unseen = [];
  }
  if (tooLate) {
    say("The connection was away for long. Look at what was done, and go on from there.");
  }
  for (const { one } of unseen) {
    socket.send(JSON.stringify(one));
  }
}

async function open() {
  if (!id) {
    return end("This page is opened by a link that you were sent.");
  }
  if (key) {
    let reply = null;
    try {
      reply = await fetch("open", { method: "POST", body: JSON.stringify({ id, key }) });
    } catch {
      say("No connection. Trying again…");
      return setTimeout(open, 2000);
    }
    if (!reply.ok) {
      return end(await reply.text());
    }
  }
  connect();
}

function connect() {
  greeted = false;
  socket = new WebSocket(new URL(id + "/live?view=" + view, location.href).href.replace(/^http/, "ws").replace(/#.*/, ""));
  socket.binaryType = "blob";
  let was = false;
  socket.onopen = () => {
    was = true;
    waits = 250;
    say("");
  };
  socket.onmessage = (event) => (typeof event.data === "string" ? heard(JSON.parse(event.data)) : paint(event.data));
  socket.onclose = async () => {
    if (ended) {
      return;
    }
    if (!was) { // why it was refused is told to a request only
      const reply = await fetch(id + "/live").catch(() => null);
      if (reply && (reply.status === 410 || reply.status === 401)) {
        end(await reply.text());
        return reply.status === 410 && offered();
      }
    }
    say("The connection broke. Trying again…");
    setTimeout(connect, waits);
    waits = Math.min(waits * 2, 5000);
  };
}

function end(why, more) {
  ended = true;
  document.body.classList.add("ended");
  $("what").textContent = why.trim();
  $("why").textContent = (more ?? "") + "You can close this page.";
  $("unmet").hidden = true;
  $("left").textContent = "";
  ask.close();
  say("");
}

const ENDS = { FINISHED: "Thank you. The page is returned.", CANCELLED: "The request has ended.", TIMED_OUT: "The time for this request is over." };

function heard(message) {
  switch (message.t) {
    case "hello":
      control = message.control;
      document.body.classList.toggle("watching", !control);
      greeted = true;
      arrived(message.seen);
      sendAgain();
      heardAt = Date.now();
      break;
    case "seen":
      arrived(message.n);
      heardAt = Date.now();
      break;
    case "frame":
      shape = message;
      break;
    case "state":
      state = message;
      show();
      if (asked) { // for more time
        const until = new Date(state.deadline).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
        say(state.deadline === asked ? `There is no more time to be had: the page is yours until ${until}.` : `The page is yours until ${until}. You can close this, and open it again on this device.`);
        asked = "";
        setTimeout(() => say(""), 8000);
      }
      break;
    case "control":
      drawControl(message.control);
      break;
    case "end":
      end(ENDS[message.status] ?? "The request has ended.", message.lost && `What you did cannot be saved: ${message.lost}. `);
      if (message.offer) {
        offered();
      }
      break;
  }
}

// Frames are drawn in the order in which they came.
let painting = Promise.resolve();
function paint(blob) {
  painting = painting.then(async () => {
    const image = await createImageBitmap(blob);
    if (canvas.width !== image.width || canvas.height !== image.height) {
      canvas.width = image.width;
      canvas.height = image.height;
      place();
    }
    draw.drawImage(image, 0, 0);
    image.close();
    canvas.dataset.frames = Number(canvas.dataset.frames ?? 0) + 1;
  }, () => {});
}

// What of the page is seen: zoom 1 is as wide as the screen, and 0 before the first frame.
let zoom = 0, left = 0, top_ = 0;
function place() {
  const box = stage.getBoundingClientRect();
  if (!canvas.width || !box.width) {
    return;
  }
  const fit = Math.min(box.width / canvas.width, Math.max(box.height / canvas.height, box.width / canvas.width / 3));
  zoom ||= Math.min(2, Math.max(1, box.height / (canvas.height * fit))); // a phone begins with what it can read
  const scale = fit * zoom;
  left = Math.min(Math.max(left, box.width - canvas.width * scale), 0);
  top_ = Math.min(Math.max(top_, box.height - canvas.height * scale), 0);
  const centred = Math.max(0, (box.width - canvas.width * scale) / 2);
  canvas.style.transform = `translate(${left + centred}px, ${top_}px) scale(${scale})`;
}
new ResizeObserver(place).observe(stage); // what is asked, and what is missing, take their place, too

/** Where something on the screen is in the page, in its pixels. */
function at(event) {
  const box = canvas.getBoundingClientRect();
  return { x: ((event.clientX - box.left) / box.width) * shape.w, y: ((event.clientY - box.top) / box.height) * shape.h - shape.top };
}

const MODIFIERS = { altKey: "Alt", ctrlKey: "Control", metaKey: "Meta", shiftKey: "Shift" };
const modifiers = (event) => Object.keys(MODIFIERS).filter((key) => event[key]).map((key) => MODIFIERS[key]);
const BUTTONS = ["left", "middle", "right"];

// A mouse is a mouse.
let clicks = 0, lastPress = { at: 0, x: 0, y: 0 };
function countClicks(event) {
  const near = Math.hypot(event.clientX - lastPress.x, event.clientY - lastPress.y) < 6;
  clicks = near && event.timeStamp - lastPress.at < 500 ? clicks + 1 : 1;
  lastPress = { at: event.timeStamp, x: event.clientX, y: event.clientY };
  return Math.min(clicks, 3);
}

let moved = null; // the last move, which is sent with the next frame of the screen
function move(event, button) {
  if (!moved) {
    requestAnimationFrame(() => {
      send(moved);
      moved = null;
    });
  }
  moved = { t: "move", ...at(event), button, modifiers: modifiers(event) };
}

canvas.addEventListener("pointerdown", (event) => {
  event.preventDefault();
  canvas.setPointerCapture(event.pointerId);
  if (event.pointerType === "touch") {
    return touched(event);
  }
  commitText();
  send({ t: "move", ...at(event) });
  send({ t: "down", ...at(event), button: BUTTONS[event.button], count: countClicks(event), modifiers: modifiers(event) });
  text.focus({ preventScroll: true });
});
canvas.addEventListener("pointermove", (event) => {
  if (event.pointerType === "touch") {
    return touchMoved(event);
  }
  move(event, BUTTONS[{ 1: 0, 2: 2, 4: 1 }[event.buttons] ?? -1] ?? "");
});
canvas.addEventListener("pointerup", (event) => {
  if (event.pointerType === "touch") {
    return touchEnded(event, true);
  }
  flushMove();
  send({ t: "up", ...at(event), button: BUTTONS[event.button], count: clicks, modifiers: modifiers(event) });
});
canvas.addEventListener("pointercancel", (event) => touchEnded(event, false));
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
stage.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey) {
    return zoomBy(Math.exp(-event.deltaY / 200), event);
  }
  const lines = event.deltaMode === 1 ? 16 : 1;
  send({ t: "wheel", ...at(event), dx: event.deltaX * lines, dy: event.deltaY * lines });
}, { passive: false });

function flushMove() {
  if (moved) {
    send(moved);
    moved = { t: "none" };
  }
}

function zoomBy(factor, about) {
  const box = stage.getBoundingClientRect();
  const x = about.clientX - box.left, y = about.clientY - box.top;
  const before = zoom;
  zoom = Math.min(Math.max(zoom * factor, 1), 6);
  left = x - ((x - left) * zoom) / before;
  top_ = y - ((y - top_) * zoom) / before;
  place();
}

// A finger: a tap presses, a drag scrolls, a long press and then a drag drags, two fingers zoom.
const LONG_PRESS = 400, SLIP = 10;
const fingers = new Map();
let finger = null; // the first: what it does
function touched(event) {
  fingers.set(event.pointerId, event);
  if (fingers.size > 1) {
    if (finger?.drags) {
      send({ t: "up", ...at(finger.last), button: "left", count: 1 });
    }
    clearTimeout(finger?.timer);
    finger = null;
    return;
  }
  finger = { first: event, last: event, drags: false, scrolls: false };
  finger.timer = setTimeout(() => {
    if (finger && !finger.scrolls) {
      finger.drags = true;
      navigator.vibrate?.(20);
      send({ t: "move", ...at(event) });
      send({ t: "down", ...at(event), button: "left", count: 1 });
    }
  }, LONG_PRESS);
}

function touchMoved(event) {
  const before = fingers.get(event.pointerId);
  if (!before) {
    return;
  }
  if (fingers.size === 2) {
    const [a, b] = fingers.values();
    const was = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    fingers.set(event.pointerId, event);
    const [c, d] = fingers.values();
    left += (c.clientX + d.clientX - a.clientX - b.clientX) / 2;
    top_ += (c.clientY + d.clientY - a.clientY - b.clientY) / 2;
    return zoomBy(Math.hypot(c.clientX - d.clientX, c.clientY - d.clientY) / (was || 1), { clientX: (c.clientX + d.clientX) / 2, clientY: (c.clientY + d.clientY) / 2 });
  }
  fingers.set(event.pointerId, event);
  if (!finger) {
    return;
  }
  const dx = event.clientX - finger.last.clientX, dy = event.clientY - finger.last.clientY;
  if (finger.drags) {
    finger.last = event;
    return move(event, "left");
  }
  if (!finger.scrolls && Math.hypot(event.clientX - finger.first.clientX, event.clientY - finger.first.clientY) < SLIP) {
    return;
  }
  clearTimeout(finger.timer);
  finger.scrolls = true;
  finger.last = event;
  const leftBefore = left, topBefore = top_;
  left += dx;
  top_ += dy;
  place(); // what is zoomed out of sight comes first, then the page itself scrolls
  const restX = dx - (left - leftBefore), restY = dy - (top_ - topBefore);
  const scale = shape.w / canvas.getBoundingClientRect().width;
  if (Math.abs(restX) > 0.5 || Math.abs(restY) > 0.5) {
    send({ t: "wheel", ...at(event), dx: -restX * scale, dy: -restY * scale });
  }
}

function touchEnded(event, pressed) {
  fingers.delete(event.pointerId);
  const was = finger;
  if (!was || was.first.pointerId !== event.pointerId) {
    return;
  }
  finger = null;
  clearTimeout(was.timer);
  if (was.drags) {
    flushMove();
    send({ t: "up", ...at(event), button: "left", count: 1 });
  } else if (!was.scrolls && pressed) {
    const count = countClicks(event);
    commitText();
    send({ t: "move", ...at(event) });
    send({ t: "down", ...at(event), button: "left", count });
    send({ t: "up", ...at(event), button: "left", count });
    text.focus({ preventScroll: true });
  }
}

// Text. The field holds one invisible character, so that a phone reports a deletion, and after it the word that is
// being typed, so that a phone's keyboard can correct it: what changes in the field is changed in the page. It goes
// there when the input method has ended its composition. Nothing of a secret stays in the field.
const EMPTY = "\u200b";
let composing = false;
let sent = ""; // what of the field the page has
function emptyText(keeps = "") {
  sent = keeps;
  text.value = EMPTY + keeps;
  text.setSelectionRange(text.value.length, text.value.length);
}
text.addEventListener("focus", () => emptyText());
text.addEventListener("blur", () => {
  commitText();
  sent = text.value = ""; // which shows what the field is for
});
text.addEventListener("compositionstart", () => (composing = true));
text.addEventListener("compositionend", () => {
  composing = false;
  flushText();
});
text.addEventListener("input", (event) => {
  if (!composing) {
    flushText(event.inputType);
  }
});

/** Sends what is being composed, too: what is pressed next comes after it. */
function commitText() {
  if (composing) {
    composing = false;
    flushText();
  }
  if (document.activeElement === text) {
    emptyText();
  }
}

/** The last word of a text, with the space after it, which a keyboard may still correct. */
const lastWord = (typed) => (typed.length > 1000 ? "" : (/\S*[ \u00a0]?$/u.exec(typed)?.[0] ?? ""));

function flushText(how = "") {
  const typed = text.value.replaceAll(EMPTY, "");
  if (text.value === "" && sent === "") {
    send({ t: "key", key: "Backspace" });
  } else if (how === "insertLineBreak" || how === "insertParagraph") { // the key of a phone's keyboard
    send({ t: "key", key: "Enter" });
    return emptyText();
  } else {
    const before = Array.from(sent), now = Array.from(typed);
    let same = 0;
    while (same < before.length && same < now.length && before[same] === now[same]) {
      same++;
    }
    for (let i = same; i < before.length; i++) {
      send({ t: "key", key: "Backspace" });
    }
    if (same < now.length) {
      send({ t: "text", text: now.slice(same).join("") });
    }
  }
  emptyText(state?.field?.secret ? "" : lastWord(typed));
}

const KEYS = new Set(["Enter", "Tab", "Escape", "Backspace", "Delete", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);
const ZOOMS = new Set(["+", "-", "=", "0"]); // of the viewer's browser
let leaves = false; // the next Tab leaves the field

/** Whether a key opens what the page's focus is on, in a window that the view draws itself. */
const opens = (event) => state?.field?.drawn && (event.key === "Enter" || event.key === " " || (event.key === "ArrowDown" && event.altKey));

function keyed(event) {
  if (event.isComposing || composing || event.keyCode === 229) {
    return;
  }
  if (event.key === "Tab" && !event.ctrlKey && (event.target === canvas || leaves)) {
    return; // one who uses the keyboard alone leaves the page so
  }
  if (event.key !== "Shift") {
    leaves = event.key === "Escape";
  }
  if (opens(event)) {
    event.preventDefault();
    return send({ t: "open" });
  }
  const shortcut = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.length === 1;
  if (shortcut && (event.key.toLowerCase() === "v" || ZOOMS.has(event.key))) {
    return; // the paste comes as text
  }
  // Where nothing is typed a space is the key that presses a button, or scrolls.
  const space = event.key === " " && !state?.field?.type;
  if (!KEYS.has(event.key) && !shortcut && !space) {
    return;
  }
  event.preventDefault();
  const key = shortcut ? event.key.toLowerCase() : event.key;
  const held = modifiers(event).map((name) => (name === "Meta" ? "ControlOrMeta" : name));
  if (document.activeElement === text) {
    emptyText();
  }
  send({ t: "key", key, modifiers: held });
}
text.addEventListener("keydown", keyed);
canvas.addEventListener("keydown", (event) => {
  keyed(event);
  if (!event.defaultPrevented && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    send({ t: "text", text: event.key });
  }
});
$("typing").addEventListener("submit", (event) => event.preventDefault());
for (const button of document.querySelectorAll("[data-key]")) {
  button.addEventListener("pointerdown", (event) => event.preventDefault()); // the keyboard stays
  button.addEventListener("click", () => {
    commitText();
    send(button.dataset.key === "Enter" && state?.field?.drawn ? { t: "open" } : { t: "key", key: button.dataset.key });
  });
}

// What the view draws itself. Who leaves it by the Escape key answers as by its button Cancel.
let leave = null;
function asking(name, build) {
  const form = ask.querySelector("form");
  form.replaceChildren();
  ask.ariaLabel = name;
  leave = null;
  build(form);
  if (!ask.open) {
    ask.showModal();
  }
}
ask.addEventListener("cancel", () => leave?.());

function add(parent, tag, properties) {
  const el = Object.assign(document.createElement(tag), properties);
  parent.append(el);
  return el;
}

const PICKS = { date: "Date", time: "Time", "datetime-local": "Date and time", month: "Month", week: "Week", color: "Colour", select: "Choose" };

function drawControl(c) {
  const name = c.name || PICKS[c.kind];
  asking(name, (form) => {
    add(form, "h2", { textContent: name });
    if (c.kind !== "select") {
      const input = add(form, "input", { type: c.kind, min: c.min, max: c.max, step: c.step || "", value: c.value, ariaLabel: name });
      add(form, "button", { textContent: "Set", className: "main" }).onclick = () => send({ t: "choose", text: input.value });
      add(form, "button", { textContent: "Clear" }).onclick = () => send({ t: "choose", text: "" });
    } else if (c.multiple) {
      drawOptions(form, c, (option, index) => {
        const label = add(form, "label", { className: "check" });
        add(label, "input", { type: "checkbox", checked: option.selected, disabled: option.disabled, value: index });
        label.append(option.text || "—");
      });
      add(form, "button", { textContent: "Set", className: "main" }).onclick = () => {
        const all = [...form.querySelectorAll("input:checked:not(:disabled)")];
        send({ t: "choose", indexes: all.map((box) => Number(box.value)) });
      };
    } else {
      drawOptions(form, c, (option, index) => {
        const button = add(form, "button", { textContent: option.text || "—", disabled: option.disabled, ariaPressed: String(option.selected) });
        button.onclick = () => send({ t: "choose", indexes: [index] });
      });
      form.querySelector("[aria-pressed=true]:not(:disabled)")?.setAttribute("autofocus", "");
    }
    add(form, "button", { textContent: "Cancel" });
  });
}

function drawOptions(form, c, each) {
  let group = "";
  c.options.forEach((option, index) => {
    if (option.group !== group) {
      group = option.group;
      add(form, "h3", { textContent: group });
    }
    each(option, index);
  });
}

function drawDialog(d) {
  const answer = (accept, text) => send({ t: "dialog", number: d.number, accept, text });
  asking("The page asks", (form) => {
    add(form, "p", { textContent: d.message || (d.type === "beforeunload" ? "Leave the page? What was typed may be lost." : "") });
    const input = d.type === "prompt" ? add(form, "input", { value: d.default, ariaLabel: "Answer" }) : null;
    const ok = d.type === "beforeunload" ? "Leave" : "OK";
    add(form, "button", { textContent: ok, className: "main" }).onclick = () => answer(true, input?.value ?? "");
    if (d.type !== "alert") {
      add(form, "button", { textContent: d.type === "beforeunload" ? "Stay" : "Cancel" }).onclick = () => answer(false, "");
    }
    leave = () => answer(d.type === "alert", "");
  });
}

function drawFile(f) {
  asking("The page asks for a file", (form) => {
    add(form, "p", { textContent: f.multiple ? "The page asks for files." : "The page asks for a file." });
    const input = add(form, "input", { type: "file", multiple: f.multiple, ariaLabel: "File" });
    const why = add(form, "p", { className: "wrong", role: "alert" });
    const upload = add(form, "button", { textContent: "Upload", className: "main", type: "button" });
    upload.onclick = async () => {
      if (!input.files.length) {
        why.textContent = "Choose a file first.";
        return;
      }
      const data = new FormData();
      for (const file of input.files) {
        data.append("file", file, file.name);
      }
      upload.disabled = true;
      why.textContent = "Uploading…";
      const reply = await fetch(id + "/file", { method: "POST", body: data }).catch(() => null);
      upload.disabled = false;
      why.textContent = reply?.ok ? "" : ((await reply?.text()) ?? "No connection: try again.");
      if (reply?.ok) {
        ask.close();
      }
    };
    add(form, "button", { textContent: "Cancel" }).onclick = leave = () => send({ t: "nofile" });
  });
}

// What was kept is offered once the page is returned: the run goes on meanwhile, and waits for no answer.
async function offered() {
  const reply = await fetch(id + "/offer").catch(() => null);
  if (!reply?.ok) {
    return;
  }
  const offer = await reply.json();
  $("why").textContent = "";
  $("forWhat").textContent = `The page is returned, and nothing waits for your answer. ${offer.replaces ? "What was saved before is replaced. " : ""}Saved, it is played before anyone is asked, where ${offer.site} is blocked like this again. You can save it until ${new Date(offer.deadline).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.`;
  $("offerName").value = offer.name;
  $("offerSteps").replaceChildren();
  for (const step of offer.steps) {
    add($("offerSteps"), "li", { textContent: step });
  }
  const fields = $("offerFields");
  fields.replaceChildren();
  if (offer.fields.length && offer.vault) {
    add(fields, "h2", { textContent: "What is typed" });
    add(fields, "small", { textContent: "Nothing that you typed was kept. What you enter here is sealed in the vault" + (offer.account ? ` for ${offer.account}` : "") + ", and typed at the addresses below only. Leave a field empty to be asked again." });
  } else if (offer.fields.length) {
    add(fields, "small", { textContent: "Nothing that you typed was kept, and there is no vault here: put " + offer.fields.map((f) => f.name).join(", ") + " there with reprise credential set." });
  }
  for (const f of offer.vault ? offer.fields : []) {
    add(fields, "label", { textContent: f.label || f.name, htmlFor: "value-" + f.name });
    const input = add(fields, "input", { id: "value-" + f.name, name: f.name, type: f.hidden ? "password" : "text", autocapitalize: "off", spellcheck: false, placeholder: f.stored ? "In the vault already: leave it empty" : "" });
    input.setAttribute("autocomplete", f.hidden ? "new-password" : "off");
    add(fields, "small", { textContent: (f.origins ?? []).join(", ") });
  }
  $("onlyLabel").hidden = !offer.account;
  $("onlyLabel").querySelector("span").textContent = `Only for ${offer.account}. Otherwise other accounts use it, too, each with its own values.`;
  $("offer").hidden = false;
}

async function answerOffer(answer, thanks) {
  const buttons = $("offer").querySelectorAll("button");
  buttons.forEach((button) => (button.disabled = true));
  const reply = await fetch(id + "/offer", { method: "POST", body: JSON.stringify(answer) }).catch(() => null);
  buttons.forEach((button) => (button.disabled = false));
  if (reply?.ok || reply?.status === 410) {
    $("offerFields").replaceChildren(); // with what was entered
    $("offer").hidden = true;
    return end(reply.ok ? thanks : await reply.text());
  }
  $("offerSaid").textContent = (await reply?.text()) ?? "No connection: try again.";
}

$("offer").addEventListener("submit", (event) => {
  event.preventDefault();
  const values = {};
  for (const input of $("offerFields").querySelectorAll("input")) {
    values[input.name] = input.value;
  }
  answerOffer({ save: true, name: $("offerName").value, onlyAccount: $("only").checked, values }, "Saved. Thank you.");
});
$("dontSave").onclick = () => answerOffer({ save: false }, "Nothing is saved. Thank you.");

/** What a screen reader says of what has the focus in the page. */
function said(field) {
  if (!field) {
    return "";
  }
  const kind = field.drawn ? "list, Enter opens it" : field.type ? (field.secret ? "secret field" : "field") : field.role;
  return [field.name || "Without a name", kind].filter(Boolean).join(", ");
}

function showSuggestions(options) {
  const list = $("suggested");
  if ([...list.options].slice(1).map((o) => o.value).join("\n") === options.join("\n")) {
    return;
  }
  list.hidden = !options.length;
  list.replaceChildren(new Option("Suggestions", ""), ...options.map((text) => new Option(text, text)));
}
$("suggested").onchange = () => {
  if ($("suggested").value) {
    commitText();
    send({ t: "key", key: "a", modifiers: ["ControlOrMeta"] });
    send({ t: "text", text: $("suggested").value });
    $("suggested").value = "";
  }
};

let drawn = "[null,null]"; // the dialog or file choice that is shown
let crashed = false; // as the page was last told to be
function show() {
  if (!!state.crashed !== crashed) {
    crashed = !!state.crashed;
    say(crashed ? "This page has crashed. Load it again with the button at the top." : "");
  }
  $("what").textContent = state.instruction || state.doing || "Your help is needed";
  $("why").textContent = [state.instruction && state.doing, state.reason && "Reason: " + (REASONS[state.reason] ?? state.reason), state.until && "Until: " + state.until].filter(Boolean).join("\n");
  const unmet = state.unmet ? `It is not done yet: ${state.unmet}. ${state.left === 1 ? "You can try once more." : `You can try ${state.left} more times.`}` : "";
  $("unmet").hidden = !unmet;
  if ($("unmet").textContent !== unmet) {
    $("unmet").textContent = unmet;
  }
  $("address").textContent = state.url;
  $("done").disabled = false;
  $("keeping").hidden = state.keep === undefined;
  $("keep").checked = !!state.keep;
  if (state.keepFailed) {
    say("It is not kept: " + state.keepFailed);
  }
  const tabs = state.tabs.map((tab) => [tab.url || "New tab", tab.id, tab.shown]);
  if ($("tabs").dataset.of !== JSON.stringify(tabs)) { // one that is open stays open
    $("tabs").dataset.of = JSON.stringify(tabs);
    $("tabs").hidden = tabs.length < 2;
    $("tabs").replaceChildren(...tabs.map(([url, id, shown], i) => new Option(`${i + 1}/${tabs.length} ${url.replace(/^https?:\/\//, "")}`, id, shown, shown)));
  }
  const mode = state.field?.mode || { email: "email", tel: "tel", url: "url", number: "decimal", search: "search" }[state.field?.type] || "text";
  if (text.inputMode !== mode) {
    text.inputMode = mode;
  }
  const isSecret = !!state.field?.secret;
  if (text.classList.toggle("secret", isSecret) && sent && document.activeElement === text && !composing) {
    emptyText();
  }
  text.spellcheck = !isSecret && !!state.field?.lines;
  text.setAttribute("autocorrect", isSecret ? "off" : "on");
  if ($("focused").textContent !== said(state.field)) {
    $("focused").textContent = said(state.field);
  }
  showSuggestions(state.field?.options ?? []);
  const now = JSON.stringify([state.dialog, state.file]);
  if (now !== drawn) {
    drawn = now;
    if (!control) {
      say(state.dialog ? "The page asks something in a dialog." : state.file ? "The page asks for a file." : "");
    } else if (state.dialog) {
      drawDialog(state.dialog);
    } else if (state.file) {
      drawFile(state.file);
    } else {
      ask.close();
    }
  }
}

const REASONS = { login: "a sign-in", "2fa": "a code", captcha: "a check for humans", permission: "a permission", approval: "an approval", manual_recovery: "the way is lost", other: "other" };

setInterval(() => {
  if (state && !ended) {
    const s = Math.max(0, Math.round((Date.parse(state.deadline) - Date.now()) / 1000));
    $("left").textContent = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
  }
}, 500);

$("back").onclick = () => send({ t: "back" });
$("forward").onclick = () => send({ t: "forward" });
$("reload").onclick = () => send({ t: "reload" });
$("tabs").onchange = () => send({ t: "tab", id: $("tabs").value });
$("done").onclick = () => {
  commitText();
  $("done").disabled = true;
  send({ t: "done" });
};
$("keep").onchange = () => send({ t: "keep", on: $("keep").checked });
$("not-yet").onclick = () => {
  commitText();
  send({ t: "not_yet" });
  asked = state?.deadline;
};
$("abort").onclick = () => {
  if (confirm("Give the page back undone?")) {
    send({ t: "abort" });
  }
};

open();
