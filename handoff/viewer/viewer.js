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
let waits = 250; // before the next connection, in ms

function say(why) {
  notice.textContent = why;
}

function send(message) {
  if (control && socket?.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(message));
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
  socket = new WebSocket(new URL(id + "/live", location.href).href.replace(/^http/, "ws").replace(/#.*/, ""));
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

function end(why) {
  ended = true;
  document.body.classList.add("ended");
  $("what").textContent = why.trim();
  $("why").textContent = "You can close this page.";
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
      break;
    case "frame":
      shape = message;
      break;
    case "state":
      state = message;
      show();
      break;
    case "control":
      drawControl(message.control);
      break;
    case "end":
      end(ENDS[message.status] ?? "The request has ended.");
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
addEventListener("resize", place);

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
    send({ t: "move", ...at(event) });
    send({ t: "down", ...at(event), button: "left", count });
    send({ t: "up", ...at(event), button: "left", count });
    text.focus({ preventScroll: true });
  }
}

// Text. The field holds one invisible character, so that a phone reports a deletion; all else in it is
// what was typed, and goes to the page when the input method has ended its composition.
const EMPTY = "\u200b";
let composing = false;
function emptyText() {
  text.value = EMPTY;
  text.setSelectionRange(1, 1);
}
text.addEventListener("focus", emptyText);
text.addEventListener("blur", () => (text.value = "")); // which shows what the field is for
text.addEventListener("compositionstart", () => (composing = true));
text.addEventListener("compositionend", () => {
  composing = false;
  flushText();
});
text.addEventListener("input", () => {
  if (!composing) {
    flushText();
  }
});

function flushText() {
  const typed = text.value;
  if (typed === "") {
    send({ t: "key", key: "Backspace" });
  } else {
    const lines = typed.replaceAll(EMPTY, "").split("\n");
    lines.forEach((line, i) => {
      if (i > 0) {
        send({ t: "key", key: "Enter" });
      }
      if (line) {
        send({ t: "text", text: line });
      }
    });
  }
  emptyText();
}

const KEYS = new Set(["Enter", "Tab", "Escape", "Backspace", "Delete", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);
function keyed(event) {
  if (event.isComposing || composing || event.keyCode === 229) {
    return;
  }
  if (event.key === "Tab" && event.target === canvas && !event.ctrlKey) {
    return; // one who uses the keyboard alone leaves the page so
  }
  const shortcut = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.length === 1;
  if (shortcut && event.key.toLowerCase() === "v") {
    return; // the paste comes as text
  }
  if (!KEYS.has(event.key) && !shortcut) {
    return;
  }
  event.preventDefault();
  const key = shortcut ? event.key.toLowerCase() : event.key;
  const held = modifiers(event).map((name) => (name === "Meta" ? "ControlOrMeta" : name));
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
  button.addEventListener("click", () => send({ t: "key", key: button.dataset.key }));
}

// What the view draws itself.
function asking(build) {
  const form = ask.querySelector("form");
  form.replaceChildren();
  build(form);
  if (!ask.open) {
    ask.showModal();
  }
}

function add(parent, tag, properties) {
  const el = Object.assign(document.createElement(tag), properties);
  parent.append(el);
  return el;
}

function drawControl(c) {
  asking((form) => {
    if (c.kind === "select") {
      let group = "";
      c.options.forEach((option, index) => {
        if (option.group !== group) {
          group = option.group;
          add(form, "h2", { textContent: group });
        }
        const button = add(form, "button", { textContent: option.text || "—", disabled: option.disabled, ariaPressed: String(option.selected) });
        button.onclick = () => send({ t: "choose", index });
      });
    } else {
      const input = add(form, "input", { type: c.kind, value: c.value, min: c.min, max: c.max, step: c.step || "", ariaLabel: c.kind });
      add(form, "button", { textContent: "Set", className: "main" }).onclick = () => send({ t: "choose", text: input.value });
    }
    add(form, "button", { textContent: "Cancel" });
  });
}

function drawDialog(d) {
  asking((form) => {
    add(form, "p", { textContent: d.message });
    const input = d.type === "prompt" ? add(form, "input", { value: d.default, ariaLabel: "Answer" }) : null;
    const ok = d.type === "beforeunload" ? "Leave" : "OK";
    add(form, "button", { textContent: ok, className: "main" }).onclick = () => send({ t: "dialog", accept: true, text: input?.value ?? "" });
    if (d.type !== "alert") {
      add(form, "button", { textContent: "Cancel" }).onclick = () => send({ t: "dialog", accept: false });
    }
  });
}

function drawFile(f) {
  asking((form) => {
    add(form, "p", { textContent: "The page asks for a file." });
    const input = add(form, "input", { type: "file", multiple: f.multiple, ariaLabel: "File" });
    add(form, "button", { textContent: "Upload", className: "main", type: "button" }).onclick = async () => {
      const data = new FormData();
      for (const file of input.files) {
        data.append("file", file, file.name);
      }
      const reply = await fetch(id + "/file", { method: "POST", body: data }).catch(() => null);
      say(reply?.ok ? "" : ((await reply?.text()) ?? "No connection: try again."));
      if (reply?.ok) {
        ask.close();
      }
    };
    add(form, "button", { textContent: "Cancel" }).onclick = () => send({ t: "nofile" });
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

let drawn = ""; // the dialog or file choice that is shown
function show() {
  $("what").textContent = state.instruction || state.doing || "Your help is needed";
  $("why").textContent = [state.instruction && state.doing, state.reason && "Reason: " + state.reason, state.until && "Until: " + state.until].filter(Boolean).join("\n");
  $("unmet").hidden = !state.unmet;
  $("unmet").textContent = state.unmet ? `Not yet: ${state.unmet}. You can try ${state.left} more times.` : "";
  $("address").textContent = state.url;
  $("done").disabled = false;
  $("keeping").hidden = state.keep === undefined;
  $("keep").checked = !!state.keep;
  if (state.keepFailed) {
    say("It is not kept: " + state.keepFailed);
  }
  $("tabs").hidden = state.tabs.length < 2;
  $("tabs").replaceChildren(...state.tabs.map((tab) => new Option(tab.url || "New tab", tab.id, tab.shown, tab.shown)));
  const mode = state.field?.mode || { email: "email", tel: "tel", url: "url", number: "decimal", search: "search" }[state.field?.type] || "text";
  if (text.inputMode !== mode) {
    text.inputMode = mode;
  }
  text.classList.toggle("secret", !!state.field?.secret);
  const now = JSON.stringify([state.dialog, state.file]);
  if (now !== drawn) {
    drawn = now;
    if (state.dialog) {
      drawDialog(state.dialog);
    } else if (state.file) {
      drawFile(state.file);
    } else {
      ask.close();
    }
  }
}

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
  $("done").disabled = true;
  send({ t: "done" });
};
$("keep").onchange = () => send({ t: "keep", on: $("keep").checked });
$("abort").onclick = () => {
  if (confirm("Give the page back undone?")) {
    send({ t: "abort" });
  }
};

open();
