// The recording desk: shows the steps as they are told, and sends what is pressed.
// Whatever it shows goes in as text: much of it was written by the recorded pages.

const $ = (id) => document.getElementById(id);
const steps = $("steps");
const shown = new Map(); // number of a step → its parts
let now = { steps: [], name: "" };
let lifted = null; // the step that is being dragged

/** Spends the link that led here, which then is of no use to anybody. */
async function enter() {
  const secret = location.hash.slice(1);
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  const reply = await fetch("session", { method: "POST", body: secret });
  if (!reply.ok) note("This link was used already. Ask for another one where the recording was begun.");
}

function listen() {
  const events = new EventSource("events");
  events.onmessage = (event) => show(JSON.parse(event.data));
  events.onerror = () => {
    if (!now.ended) $("state").textContent = events.readyState === EventSource.CLOSED ? "Not connected" : "Connecting…";
  };
}

async function send(command) {
  note("");
  try {
    const reply = await fetch("do", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command) });
    if (!reply.ok) note(await reply.text());
    return reply.ok;
  } catch {
    note("The recording has ended.");
    return false;
  }
}

function note(text) {
  $("note").textContent = text.trim();
  $("note").hidden = text.trim() === "";
}

// What is shown

function show(state) {
  const before = now;
  now = state;
  document.body.classList.toggle("paused", state.paused);
  document.body.classList.toggle("ended", state.ended);
  const count = `${state.steps.length} ${state.steps.length === 1 ? "step" : "steps"}`;
  $("state").textContent = state.ended ? `Ended · ${count}` : state.paused ? `Paused · ${count}` : `Recording · ${count}`;
  document.title = `${state.ended ? "" : state.paused ? "⏸ " : "● "}${state.name || "Recording"} (${state.steps.length})`;
  set($("name"), state.name);
  $("pause").textContent = state.paused ? "Go on" : "Pause";
  $("pause").setAttribute("aria-pressed", state.paused);
  for (const what of ["check", "hover"]) $(what).setAttribute("aria-pressed", state.pointing === what);
  $("pointing").hidden = state.pointing === "";
  $("pointing").textContent = state.pointing === "check" ? "Press a text in the page that must be there. Escape gives it up." : "Press in the page what the pointer is to rest on. Escape gives it up.";
  for (const button of document.querySelectorAll(".bar button, #name")) button.disabled = state.ended;
  if (state.note.count > (before.note?.count ?? 0)) note(state.note.text);
  $("empty").hidden = state.steps.length > 0;
  showSteps(before);
}

function showSteps(before) {
  if (lifted) return; // it is put down first
  const atEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 120;
  const there = new Set(now.steps.map((step) => step.id));
  for (const [id, parts] of shown) {
    if (there.has(id)) continue;
    keepFocus(parts.root);
    parts.root.remove();
    shown.delete(id);
  }
  now.steps.forEach((step, i) => {
    const parts = shown.get(step.id) ?? make(step.id);
    update(parts, step, i);
    if (steps.children[i] !== parts.root) place(parts.root, i);
  });
  const last = now.steps.at(-1);
  if (last && now.steps.length > (before.steps?.length ?? 0)) {
    $("news").textContent = `Step ${now.steps.length}: ${last.does} ${last.on}`;
    if (atEnd) scrollTo({ top: document.documentElement.scrollHeight });
  }
}

/** Puts a step in its place, and the focus back where moving it took it away. */
function place(root, i) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  steps.insertBefore(root, steps.children[i] ?? null);
  focused?.focus();
}

/** Gives the focus of a step that goes to its neighbour. */
function keepFocus(root) {
  if (!root.contains(document.activeElement)) return;
  const next = root.nextElementSibling ?? root.previousElementSibling;
  (next?.querySelector(".grip") ?? $("undo")).focus();
}

function update(parts, step, i) {
  const { root, does, on, value, sub, chip, more } = parts;
  parts.step = step;
  root.classList.toggle("wait", step.tool === "waitForNav");
  parts.number.textContent = String(i + 1);
  parts.grip.setAttribute("aria-label", `Step ${i + 1}, ${step.does} ${step.on}: move with the arrow keys`);
  does.textContent = step.does;
  on.textContent = step.on || step.selector;
  value.hidden = !step.with && !step.variable;
  value.classList.toggle("variable", step.variable !== "");
  value.textContent = step.variable ? `${step.secret ? "secret " : ""}\${${step.variable}}` : step.with;
  sub.textContent = [step.intent, step.where, step.then && `then ${step.then}`, step.optional && "may be missing"].filter(Boolean).join(" · ");
  chip.hidden = step.effect === "";
  chip.dataset.effect = step.effect;
  set(chip, step.effect);
  showPicture(parts, step);
  set(more.intent, step.intent);
  if (document.activeElement !== more.optional) more.optional.checked = step.optional;
  more.typed.hidden = !step.typed;
  more.variableLabel.textContent = step.variable ? "Name of the variable" : "Make it a variable named";
  set(more.variable, step.variable);
  more.secret.hidden = !step.typed || step.secret;
  more.found.textContent = step.selector;
}

function showPicture(parts, step) {
  const wanted = step.picture ? `picture/${step.id}` : `icon ${step.secret ? "lock" : step.tool}`;
  if (parts.picture === wanted) return;
  parts.picture = wanted;
  if (!step.picture) return parts.shot.replaceChildren(icon(step.secret ? "lock" : step.tool));
  const img = document.createElement("img");
  img.alt = "";
  img.src = wanted;
  img.onerror = () => parts.shot.replaceChildren(icon(step.tool));
  parts.shot.replaceChildren(img);
}

/** Sets a field, unless somebody is in it. */
function set(field, value) {
  if (document.activeElement !== field) field.value = value;
}

// How a step is made

function make(id) {
  const root = el("li", "step");
  const number = el("span");
  const grip = el("button", "grip", { type: "button", title: "Drag, or move with the arrow keys" }, number);
  const shot = el("div", "shot");
  const does = el("span", "does"), on = el("span", "on"), value = el("span", "value"), sub = el("div", "sub");
  const text = el("div", "text", {}, does, " ", on, " ", value, sub);
  const chip = el("select", "chip", { title: "What it does to the world", ariaLabel: "Effect" });
  for (const effect of ["read", "write", "commit"]) chip.append(el("option", "", { value: effect }, effect));
  const open = el("button", "tool", { type: "button", title: "More", ariaLabel: "More about this step" }, icon("more"));
  const remove = el("button", "tool remove", { type: "button", title: "Delete", ariaLabel: "Delete this step" }, icon("remove"));
  const more = makeMore(id);
  root.append(grip, shot, text, el("div", "tools", {}, chip, open, remove), more.root);
  open.ariaExpanded = "false";
  open.onclick = () => {
    more.root.hidden = !more.root.hidden;
    open.ariaExpanded = String(!more.root.hidden);
  };
  remove.onclick = () => send({ do: "remove", id });
  chip.onchange = () => send({ do: "effect", id, text: chip.value });
  movable(root, grip, id);
  const parts = { root, number, grip, shot, does, on, value, sub, chip, more };
  shown.set(id, parts);
  return parts;
}

function makeMore(id) {
  const intent = el("input", "", { maxLength: 120, placeholder: "why it is done, for people" });
  const optional = el("input", "", { type: "checkbox" });
  const variable = el("input", "", { maxLength: 64, spellcheck: false, autocomplete: "off" });
  const variableLabel = el("span");
  const secret = el("button", "", { type: "button" }, "It is a secret");
  const typed = el("label", "", {}, variableLabel, variable);
  const found = el("div", "found");
  const root = el("div", "more", { hidden: true }, el("label", "intent", {}, el("span", "", {}, "Intent"), intent), typed, secret, el("label", "tick", {}, optional, "May be missing"), found);
  commit(intent, () => send({ do: "intent", id, text: intent.value.trim() }));
  commit(variable, () => {
    const was = shown.get(id).step.variable;
    const name = variable.value.trim();
    if (name && name !== was) return send(was ? { do: "renameVariable", from: was, text: name } : { do: "variable", id, text: name });
  });
  optional.onchange = () => send({ do: "optional", id, on: optional.checked });
  secret.onclick = () => send({ do: "secret", id });
  return { root, intent, optional, variable, variableLabel, typed, secret, found };
}

/** Calls done when a field was changed, and left or Enter was pressed. */
function commit(field, done) {
  field.onkeydown = (event) => {
    if (event.key === "Enter") field.blur();
  };
  field.onchange = done;
}

function el(tag, className = "", properties = {}, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

// Moving

function movable(root, grip, id) {
  grip.onkeydown = (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const to = now.steps.findIndex((step) => step.id === id) + by;
    if (event.key === "Delete") send({ do: "remove", id });
    if (!by || to < 0 || to >= now.steps.length) return;
    event.preventDefault();
    send({ do: "move", id, to });
  };
  grip.onpointerdown = (event) => {
    if (event.button !== 0 || now.ended) return;
    grip.setPointerCapture(event.pointerId);
    lifted = root;
    root.classList.add("lifted");
  };
  grip.onpointermove = (event) => {
    if (lifted !== root) return;
    const others = [...steps.children].filter((other) => other !== root);
    const next = others.find((other) => event.clientY < other.getBoundingClientRect().top + other.offsetHeight / 2) ?? null;
    if (root.nextElementSibling !== next) {
      steps.insertBefore(root, next);
      grip.setPointerCapture(event.pointerId);
    }
  };
  const drop = async (sent) => {
    if (lifted !== root) return;
    root.classList.remove("lifted");
    const to = [...steps.children].indexOf(root);
    const moved = to !== now.steps.findIndex((step) => step.id === id);
    if (sent && moved) await send({ do: "move", id, to });
    lifted = null;
    showSteps(now);
  };
  grip.onpointerup = () => drop(true);
  grip.onpointercancel = () => drop(false);
}

// Icons: of tools, where there is no picture

const PATHS = {
  navigate: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  waitForNav: "M4 12h14M13 6l6 6l-6 6",
  click: "M6 4l13 7l-6 2l-2 6z",
  typeInput: "M4 7V5h16v2M12 5v14M9 19h6",
  keypress: "M4 6h16v12H4zM8 14h8M8 10h1M12 10h1M16 10h0",
  select: "M5 5h14v14H5zM9 11l3 3l3-3",
  check: "M5 5h14v14H5zM9 12l2 2l4-4",
  upload: "M12 16V5M7 10l5-5l5 5M5 19h14",
  drag: "M12 4v16M4 12h16M12 4l-2 2M12 4l2 2M12 20l-2-2M12 20l2-2M4 12l2-2M4 12l2 2M20 12l-2-2M20 12l-2 2",
  dialog: "M4 5h16v11H10l-4 4v-4H4z",
  assert: "M12 3l8 3v6c0 5-4 8-8 9c-4-1-8-4-8-9V6zM9 12l2 2l4-4",
  hover: "M2 12c4-8 16-8 20 0c-4 8-16 8-20 0M12 9a3 3 0 1 0 0 6a3 3 0 0 0 0-6",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", PATHS[name] ?? PATHS.click);
  svg.append(path);
  return svg;
}

// The bar

$("pause").onclick = () => send({ do: now.paused ? "resume" : "pause" });
$("undo").onclick = () => send({ do: "undo" });
$("stop").onclick = () => send({ do: "stop" });
for (const what of ["check", "hover"]) $(what).onclick = () => send(now.pointing === what ? { do: "rest" } : { do: "point", text: what });
commit($("name"), async () => {
  if ($("name").value !== now.name && !(await send({ do: "rename", text: $("name").value.trim() }))) $("name").value = now.name;
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && now.pointing) send({ do: "rest" });
});

await enter();
listen();
