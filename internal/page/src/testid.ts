// The attributes that teams mark elements with for their own tests: those that are
// in wide use, and before them one that the user has named.

/** Most used first; selectors/rank.go has the same. */
const KNOWN = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-pw", "data-automation-id", "data-hook"];

/** The one that the user has named, "" for none. It goes with a recording, and with what was recorded. */
let named = "";

/** Answers a question with an attribute of the user's own. */
export function withTestId<T>(attribute: string | undefined, answer: () => T): T {
  const before = named;
  named = attribute ?? "";
  try {
    return answer();
  } finally {
    named = before;
  }
}

/** What an element is marked with: the attribute and its value; null where it is not. */
export function testIdOf(el: Element): { attribute: string; value: string } | null {
  for (const attribute of named ? [named, ...KNOWN] : KNOWN) {
    const value = el.getAttribute(attribute);
    if (value) return { attribute, value };
  }
  return null;
}

export function isTestId(attribute: string): boolean {
  return attribute === named || KNOWN.includes(attribute);
}

/** Whether a selector of the kind testid finds the attribute wherever it is played. */
export function isKnownTestId(attribute: string): boolean {
  return KNOWN.includes(attribute);
}

export function hasTestId(el: Element, value: string): boolean {
  return KNOWN.some((attribute) => el.getAttribute(attribute) === value);
}

/** The CSS selector of what is marked with a value. */
export function testIdSelector(value: string): string {
  const quoted = CSS.escape(value);
  return KNOWN.map((attribute) => `[${attribute}="${quoted}"]`).join(",");
}
