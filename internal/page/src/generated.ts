// Telling names that a person gave from names that a build or a framework made:
// the latter change with the next release, or with the next visit.

const GUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}/i;
const LONG_NUMBER = /\d{4,}/;
const FRAMEWORK = /^(ember|ext-gen|gwt-|yui_|jsx-|css-|sc-|svelte-|mui-|radix-|react-aria|headlessui-|:r|«r|_r_|mat-(input|select|radio|checkbox)-|ng-|cdk-|__next|input-|field-|el-id-|rc[-_])[\w:«»-]*\d/i;
const HASHED_SUFFIX = /(__|--|[-_])(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{5,}$/i;

/** Whether an id, class or attribute value looks made by a machine. */
export function isGenerated(token: string): boolean {
  return (
    token.length > 64 ||
    GUID.test(token) ||
    LONG_NUMBER.test(token) ||
    FRAMEWORK.test(token) ||
    HASHED_SUFFIX.test(token) ||
    isRandom(token)
  );
}

/** Mixed cases and digits changing faster than words do: xK3jQz9. */
function isRandom(token: string): boolean {
  if (token.length < 5) return false;
  let changes = 0;
  let last = "";
  for (const char of token) {
    const kind = /[a-z]/.test(char) ? "a" : /[A-Z]/.test(char) ? "A" : /\d/.test(char) ? "1" : "-";
    const camel = last === "A" && kind === "a";
    if (last && kind !== last && kind !== "-" && last !== "-" && !camel) changes++;
    last = kind;
  }
  return changes >= Math.max(3, token.length / 3);
}
