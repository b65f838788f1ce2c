// Both steps of the sign-in happen in this document. The password's panel does not exist before the
// server has said that the e-mail address has an account; then the address bar changes without a
// navigation, the card slides, and only when it stands still does the panel take input.
const card = document.getElementById("card");
const stage = document.getElementById("stage");
const emailPanel = document.getElementById("email-panel");
const emailForm = document.getElementById("email-form");
const delay = Number(stage.dataset.delay);
let shown = emailPanel;
let passwordPanel = null;

stage.style.setProperty("--slide", `${delay}ms`);
emailForm.addEventListener("submit", (event) => {
  event.preventDefault();
  lookUp();
});
addEventListener("popstate", () => {
  const wanted = location.pathname === "/signin" ? emailPanel : passwordPanel;
  if (wanted && wanted !== shown) slideTo(wanted);
});

if (stage.dataset.first === "password") {
  passwordPanel = makePasswordPanel(stage.dataset.identifier);
  emailPanel.remove();
  emailPanel.hidden = false;
  stage.append(passwordPanel);
  shown = passwordPanel;
}
if (!document.getElementById("consent")) focusField(shown);

async function lookUp() {
  const field = document.getElementById("identifierId");
  if (field.value.trim() === "") return complain("Enter an email address.");
  busy(true);
  try {
    const answer = await fetch(emailForm.action, { method: "POST", body: new URLSearchParams(new FormData(emailForm)) });
    const said = await answer.json();
    if (said.error) return complain(said.error);
    complain("");
    passwordPanel = makePasswordPanel(said.email);
    history.pushState(null, "", said.next);
    await slideTo(passwordPanel);
  } catch {
    complain("Meadow cannot be reached. Try again.");
  } finally {
    busy(false);
  }
}

function makePasswordPanel(email) {
  const panel = document.getElementById("password-template").content.firstElementChild.cloneNode(true);
  const field = panel.querySelector("#password");
  panel.querySelector("#profileIdentifier").textContent = email;
  panel.querySelector("#hiddenEmail").value = email;
  panel.querySelector("#showPassword").addEventListener("change", (event) => {
    field.type = event.target.checked ? "text" : "password";
  });
  panel.querySelector("form").addEventListener("submit", (event) => {
    if (card.ariaBusy === "true") return event.preventDefault();
    if (field.value !== "") return busy(true);
    event.preventDefault();
    mark(field, panel.querySelector("#password-error"), "Enter a password.");
  });
  return panel;
}

async function slideTo(panel) {
  const from = shown;
  const forward = panel === passwordPanel;
  shown = panel;
  from.inert = panel.inert = true;
  panel.dataset.at = forward ? "right" : "left";
  stage.append(panel);
  panel.getBoundingClientRect(); // so that it starts from where it was put
  panel.dataset.at = "";
  from.dataset.at = forward ? "left" : "right";
  await Promise.race([stillness(from, panel), patience()]);
  from.remove();
  from.inert = panel.inert = false;
  focusField(panel);
}

function stillness(...panels) {
  return Promise.allSettled(panels.flatMap((panel) => panel.getAnimations()).map((animation) => animation.finished));
}

// A hidden tab draws no frames, so its animations do not end by themselves.
function patience() {
  return new Promise((resolve) => setTimeout(resolve, 2 * delay));
}

function complain(message) {
  mark(document.getElementById("identifierId"), document.getElementById("identifier-error"), message);
}

function mark(field, place, message) {
  place.textContent = message;
  field.ariaInvalid = message ? "true" : null;
  if (message) field.focus();
}

function busy(on) {
  card.ariaBusy = on ? "true" : null;
}

function focusField(panel) {
  panel.querySelector("input:not([type=hidden]):not([hidden])").focus({ preventScroll: true });
}
