// Semantic Versioning 2.0: three numbers, an optional pre-release and optional build metadata.
// The text is split first, so that no regular expression can backtrack.

const NUMBER = /^(?:0|[1-9]\d*)$/;
const DIGITS = /^\d+$/;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;

export function isSemVer(text: string): boolean {
  const [version, build] = splitAt(text, '+');
  const [core, prerelease] = splitAt(version, '-');
  const numbers = core.split('.');
  if (numbers.length !== 3 || !numbers.every((part) => NUMBER.test(part))) return false;
  if (build !== null && !build.split('.').every((part) => IDENTIFIER.test(part))) return false;
  return prerelease === null || prerelease.split('.').every(isPrerelease);
}

/** A number in a pre-release has no leading zeros; build metadata may have them. */
function isPrerelease(part: string): boolean {
  return IDENTIFIER.test(part) && (!DIGITS.test(part) || NUMBER.test(part));
}

function splitAt(text: string, mark: string): [string, string | null] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
