// Classes that elements have only while the pointer is over them, while something is dragged, or
// while the focus is in them: they are noted as the pointer or the focus comes, before the page hears of it.

let calm = new WeakMap<Element, string>();

/**
 * Notes what the elements that the pointer comes over are like without it. While it drags
 * something a picture of that comes between: what was noted before counts.
 */
export function noteCalm(target: Element, { relatedTarget: from, buttons, type }: MouseEvent): void {
  const drags = (buttons & 1) !== 0 || type === "dragenter";
  for (let el: Element | null = target; el; el = el.parentElement) {
    if (from instanceof Node && el.contains(from)) return; // it was over this one, and all around it, before
    if (!drags || !calm.has(el)) calm.set(el, el.getAttribute("class") ?? "");
  }
}

/** Notes what the elements that the focus comes into are like without it, as far as they have not just been come over. */
export function noteUnfocused({ target, relatedTarget: from }: FocusEvent): void {
  for (let el = target instanceof Element ? target : null; el; el = el.parentElement) {
    if (from instanceof Node && el.contains(from)) return;
    noteCovered(el);
  }
}

/** Notes what an element is like that the pointer comes over with something in between. */
export function noteCovered(el: Element): void {
  if (!calm.has(el)) calm.set(el, el.getAttribute("class") ?? "");
}

export function forgetCalm(): void {
  calm = new WeakMap();
}

/** Whether a class has come with the pointer, or with the focus. */
export function isPassing(el: Element, name: string): boolean {
  const before = calm.get(el);
  return before !== undefined && !before.split(/\s+/).includes(name);
}
