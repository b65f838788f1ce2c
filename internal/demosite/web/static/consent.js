// The consent banner. The answer is a cookie that is set before the click is over, so that the next
// request, however soon it comes, carries it.
const banner = document.getElementById("consent");
const page = document.querySelector(".page");
const oneYear = 365 * 24 * 60 * 60;

banner.querySelector("[role=dialog]").focus();
banner.addEventListener("click", (event) => {
  const button = event.target.closest("[data-choice]");
  if (!button) return;
  document.cookie = `${banner.dataset.cookie}=${button.dataset.choice}; path=/; max-age=${oneYear}; samesite=lax`;
  banner.remove();
  page.inert = false;
  page.querySelector("main input:not([type=hidden])")?.focus();
});
