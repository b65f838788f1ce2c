// Opens the windows, and says what a child window told its opener.
for (const button of document.querySelectorAll("[data-via]")) {
  button.addEventListener("click", () => {
    window.open(`/popup/window?via=${button.dataset.via}`, "_blank", button.dataset.features ?? "");
  });
}
addEventListener("message", (event) => {
  if (event.origin !== location.origin) return;
  document.getElementById("told").textContent = `The child window wrote: ${event.data}`;
});
