// What the long table does when one of its rows is edited.
const table = document.querySelector("table");

document.querySelector("form").addEventListener("submit", () => {
  const wanted = document.getElementById("search").value;
  for (const row of table.rows) row.classList.toggle("found", row.cells[0].textContent === wanted);
});

table.addEventListener("click", (event) => {
  if (event.target.textContent === "Edit") edit(event.target.closest("tr"));
});

function edit(row) {
  const cell = row.insertCell(), label = document.createElement("label");
  const count = document.createElement("input"), save = document.createElement("button"), saved = document.createElement("span");
  count.id = "count";
  save.id = "save";
  save.textContent = "Save";
  saved.id = "saved";
  saved.textContent = "Saved";
  saved.hidden = true;
  save.addEventListener("click", async () => {
    const body = JSON.stringify({ item: row.cells[0].textContent, count: count.value });
    const answer = await fetch("/stock", { method: "POST", body });
    saved.hidden = !answer.ok;
  });
  label.append("How many ", count);
  cell.append(label, save, saved);
}
