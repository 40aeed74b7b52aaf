// Reads the verdict of a self-review from the reason that an agent gives. It is a verdict only if it
// begins with the code of the review, which stands for exactly these files; and it says PASSED or FAILED
// last, not in the middle of a sentence. Any other reason is a reason, whatever words it contains.

/** Reviewers often format the code. */
const MARKUP = /^[\s`*_"'#>-]+/;

/** At the beginning of the line or of a sentence: "it has not PASSED" is no verdict. */
const LAST_WORD = /(?:^|\n|[^\w\s])\W*(PASSED|FAILED)\W*$/;

/** As much of the end as is searched: blanks and marks around the word. */
const MAX_END = 100;

/**
 * The verdict of a review with one code for each member: each code has to be followed by a verdict,
 * before the next one. Null if the reason does not begin with one of the codes or lacks one.
 */
export function verdictWithCodes(
  codes: readonly string[],
  reason: string,
): 'passed' | 'failed' | 'unclear' | null {
  const text = reason.replace(MARKUP, '');
  const starts = codes.map((code) => text.indexOf(code)).sort((a, b) => a - b);
  if (starts[0] !== 0) return null;
  const verdicts = starts.map((start, index) => verdictIn(text.slice(start, starts[index + 1])));
  if (verdicts.includes('FAILED')) return 'failed';
  return verdicts.every((verdict) => verdict === 'PASSED') ? 'passed' : 'unclear';
}

/** Of a text that begins with a code, which may be all that precedes the verdict. */
function verdictIn(part: string): string | null {
  const end = part.replace(/^\w+/, '').trimEnd().slice(-MAX_END);
  return LAST_WORD.exec(end)?.[1] ?? null;
}

export const VERDICT_UNCLEAR =
  'The reason begins with the code of the review, but does not say clearly whether it passed. Give the verdict of the subagent so that it ends with a line that says only PASSED or FAILED (with several codes: one such line after each); without such a verdict, call finished_step without quality_review_override_reason for a review.';
