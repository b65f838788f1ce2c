// Tells the page that opened this window, where there is one, what was written.
const form = document.getElementById("guest-book");
form.addEventListener("submit", () => {
  window.opener?.postMessage(form.elements.message.value, location.origin);
});
