// Pays without leaving the page, and goes on when the server has taken it.
const button = document.getElementById("pay");
const trouble = document.getElementById("trouble");

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const answer = await fetch("/bill/pay", { method: "POST" });
    if (!answer.ok) throw new Error(await answer.text());
    const { paid } = await answer.json();
    location.assign(paid);
  } catch (error) {
    trouble.textContent = `It was not taken: ${error.message}`;
    trouble.hidden = false;
    button.disabled = false;
  }
});
