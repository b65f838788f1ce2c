// What a bare client needs of the page for one step: it waits until the element
// can be used, and gives the point to press or does what needs no press.
async (step) => {
  const loaded = () => document.readyState === "complete" ||
    performance.getEntriesByType("navigation")[0]?.domContentLoadedEventEnd > 0;
  const inView = ({ top, left, bottom, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  const moving = (el) => el.ownerDocument.getAnimations().some((a) => a.playState === "running" && a.effect?.target?.contains(el));
  const reached = (hit, el) => el.contains(hit) || [...(el.labels ?? [])].some((label) => label.contains(hit));

  const frames = step.cross ? [] : step.frames ?? []; // this script is in the other one then

  // root is where the element is looked for, and how far from the viewport's corner.
  function root() {
    let at = { in: document, x: 0, y: 0 };
    for (const css of frames) {
      const frame = at.in?.querySelector(css), box = frame?.getBoundingClientRect();
      at = { in: frame?.contentDocument, x: at.x + box?.x + frame?.clientLeft, y: at.y + box?.y + frame?.clientTop };
    }
    if (step.host) at.in = at.in?.querySelector(step.host)?.shadowRoot;
    return at;
  }

  function look() {
    if (step.do === "arrive") return location.pathname === step.text ? {} : undefined;
    if (step.scripted && !loaded()) return undefined;
    const el = root().in?.querySelector(step.css);
    if (!el?.checkVisibility({ visibilityProperty: true }) || el.matches(":disabled") || el.closest("[inert]")) return undefined;
    if (step.do === "see") return {};
    if (!inView(el.getBoundingClientRect()) || frames.length) el.scrollIntoView({ block: frames.length ? "nearest" : "center", behavior: "instant" });
    if (moving(el)) return undefined;
    const box = el.getBoundingClientRect(), from = root();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const hit = from.in.elementFromPoint(x, y);
    return hit && reached(hit, el) ? use(el, from.x + x, from.y + y) : undefined;
  }

  function use(el, x, y) {
    switch (step.do) {
      case "fill":
        el.focus();
        el.select();
        if (step.inside) el.ownerDocument.execCommand("insertText", false, step.text);
        return {};
      case "choose":
        el.value = [...el.options].find((option) => option.label === step.text).value;
        return tell(el);
      case "set":
        el.value = step.text;
        return tell(el);
    }
    return { x, y };
  }

  function tell(el) {
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return {};
  }

  const change = () => new Promise((resolve) => {
    const observer = new MutationObserver(done);
    const frame = requestAnimationFrame(done);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    addEventListener("load", done);
    document.addEventListener("DOMContentLoaded", loadedNow);
    function loadedNow() {
      setTimeout(done); // domContentLoadedEventEnd is set when the event is over
    }
    function done() {
      removeEventListener("load", done);
      document.removeEventListener("DOMContentLoaded", loadedNow);
      observer.disconnect();
      cancelAnimationFrame(frame);
      resolve();
    }
  });

  for (;;) {
    const found = look();
    if (found) return found;
    await change();
  }
}
