// A small form whose insides are an open shadow root, which the server's HTML declares.
class LetterBox extends HTMLElement {
  connectedCallback() {
    const form = this.shadowRoot.querySelector("form");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const body = new URLSearchParams(new FormData(form));
      body.set("source", "shadow");
      const answer = await fetch("/seen", { method: "POST", body });
      if (answer.ok) this.shadowRoot.getElementById("received").hidden = false;
    });
  }
}
customElements.define("letter-box", LetterBox);
