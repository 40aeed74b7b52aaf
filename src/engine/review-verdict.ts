// Reads the verdict of a self-review where it has to prove something: it begins with the code
// of the review, and it says PASSED where a verdict stands. What can be read in two ways is
// no verdict, and is asked for again.

/** Reviewers like to set a code apart from their text. */
const MARKUP = /^[\s`*_"'#>-]+/;

/** With the code, or at the end of the last line that has a word. */
const PASSED_FIRST = /^\w+\W*\bPASSED\b[^\S\n]*([^\w\s]|\n|$)/;
const PASSED_LAST = /(^|\W)PASSED[^\w\n]*$|^\W*Passed\W*$/;

/**
 * What a reason says as the verdict of a review with one code for each member: after each
 * code, and before the next one, it has to say PASSED. Null: it is no verdict on these files.
 */
export function verdictOn(
  codes: readonly string[],
  reason: string,
): 'passed' | 'failed' | 'unclear' | null {
  const text = reason.replace(/\r\n?/g, '\n').replace(MARKUP, '');
  const starts = codes.map((code) => text.indexOf(code)).sort((a, b) => a - b);
  if (starts[0] !== 0) return null;
  const doubts = new Set(text.split(/[.:;,=\n]/).map(doubtIn));
  if (doubts.has('failed')) return 'failed';
  if (doubts.has('unclear')) return 'unclear';
  const parts = starts.map((start, index) => text.slice(start, starts[index + 1]));
  return parts.every(saysPassed) ? 'passed' : 'unclear';
}

const DENIAL = /^(no|none|nothing|not|never|nor|neither|cannot|\w+n['’]t)$/i;

/** What a clause says against a pass. "The test that failed before" says nothing. */
function doubtIn(clause: string): 'failed' | 'unclear' | null {
  const words: readonly string[] = clause.match(/[\w'’]+/g) ?? [];
  if (words.includes('FAILED') || words.includes('Failed')) return 'failed';
  if (words.length === 1 && words[0]?.toLowerCase() === 'failed') return 'failed';
  const denial = words.findIndex((word) => DENIAL.test(word));
  const denied = denial === -1 ? [] : words.slice(denial);
  if (denied.some((word) => word.toLowerCase() === 'passed')) return 'unclear';
  return denial === -1 && words.at(-1)?.toLowerCase() === 'failed' ? 'unclear' : null;
}

function saysPassed(part: string): boolean {
  const last = part.split('\n').findLast((line) => /\w/.test(line)) ?? '';
  return PASSED_FIRST.test(part) || PASSED_LAST.test(last);
}

export const VERDICT_UNCLEAR =
  'The reason begins with the code of the review, but does not say clearly that it passed. Give the verdict of the subagent so that it ends with a line that says only PASSED (with several codes: one such line after each), and nowhere says that something failed or has not passed; without such a verdict, call finished_step without quality_review_override_reason for a review.';
