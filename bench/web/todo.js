// A list that is drawn anew for each change, and late: what is added, and what is
// filtered, shows only after the times that such applications take.
const addingTakes = 25, filteringTakes = 65; // ms
const shown = { all: () => true, open: (item) => !item.done, done: (item) => item.done };
const byId = (id) => document.getElementById(id);
let items = [], next = 1, filter = "all";

byId("adding").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("new"), add = byId("add");
  if (!field.value) return;
  items.push({ id: next++, text: field.value, done: false });
  field.disabled = add.disabled = true;
  setTimeout(() => {
    field.value = "";
    field.disabled = add.disabled = false;
    draw();
  }, addingTakes);
});

for (const name of Object.keys(shown)) {
  byId(name).addEventListener("click", () => {
    filter = name;
    byId("list").replaceChildren();
    setTimeout(draw, filteringTakes);
  });
}

byId("save").addEventListener("click", async () => {
  const body = JSON.stringify(items.map(({ text, done }) => ({ text, done })));
  const answer = await fetch("/todo", { method: "POST", body });
  byId("saved").hidden = !answer.ok;
});

function draw() {
  byId("list").replaceChildren(...items.filter(shown[filter]).map(row));
}

function row(item) {
  const li = document.createElement("li"), label = document.createElement("label");
  const box = document.createElement("input"), remove = document.createElement("button");
  li.dataset.id = item.id;
  li.className = item.done ? "done" : "";
  box.type = "checkbox";
  box.checked = item.done;
  box.addEventListener("change", () => { item.done = box.checked; draw(); });
  remove.className = "delete";
  remove.textContent = "Delete";
  remove.setAttribute("aria-label", "Delete " + item.text);
  remove.addEventListener("click", () => { items = items.filter((other) => other !== item); draw(); });
  label.append(box, " ", item.text);
  li.append(label, " ", remove);
  return li;
}
