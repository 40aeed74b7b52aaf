// Reads the verdict of a self-review from the reason that an agent gives. If the verdict must be
// proven, the reason begins with the code of the review and says PASSED where a verdict belongs;
// an ambiguous text is not accepted and is asked for again.

/** Reviewers often format the code. */
const MARKUP = /^[\s`*_"'#>-]+/;

/** Directly after the code, or at the end of the last line with a word. */
const PASSED_FIRST = /^\w+\W*\bPASSED\b[^\S\n]*([^\w\s]|\n|$)/;
const PASSED_LAST = /(^|\W)PASSED[^\w\n]*$|^\W*Passed\W*$/;

/**
 * The verdict of a review with one code for each member: PASSED has to follow each code, before
 * the next one. Null if the reason is not a verdict on these files.
 */
export function verdictWithCodes(
  codes: readonly string[],
  reason: string,
): 'passed' | 'failed' | 'unclear' | null {
  const text = reason.replace(/\r\n?/g, '\n').replace(MARKUP, '');
  const starts = codes.map((code) => text.indexOf(code)).sort((a, b) => a - b);
  if (starts[0] !== 0) return null;
  const doubts = new Set(clausesOf(text).map(doubtIn));
  if (doubts.has('failed')) return 'failed';
  if (doubts.has('unclear')) return 'unclear';
  const parts = starts.map((start, index) => text.slice(start, starts[index + 1]));
  return parts.every(saysPassed) ? 'passed' : 'unclear';
}

/** In capitals, as the review file asks for, or alone on its line. */
const SAYS_PASSED = /\bPASSED\b|^\W*[Pp]assed\W*$/;

/**
 * The verdict of a review without codes. Null if the reason is not a verdict, or mentions both
 * outcomes: it may describe a review that was repeated.
 */
export function statedVerdict(reason: string): 'passed' | 'failed' | null {
  const clauses = clausesOf(reason);
  const doubts = new Set(clauses.map(doubtIn));
  if (clauses.some((clause) => SAYS_PASSED.test(clause) && doubtIn(clause) === null)) {
    return doubts.has('failed') || doubts.has('unclear') ? null : 'passed';
  }
  const isDenied = clauses.some((clause) => NOT_PASSED.test(clause));
  return isDenied || doubts.has('failed') ? 'failed' : null;
}

function clausesOf(text: string): string[] {
  return text.split(/[.:;,=\n]/);
}

const DENIAL = /^(no|none|nothing|not|never|nor|neither|cannot|\w+n['’]t)$/i;

const FAILURE = /^fail(s|ed)?$/i;
const NOT_PASSED =
  /^\W*((it|(the )?(self-)?review) )?(did not|didn['’]t|does not|has not|was not|not) pass(ed)?\W*$/i;

/** What in a clause contradicts a pass. "The test that failed before" does not. */
function doubtIn(clause: string): 'failed' | 'unclear' | null {
  const words: readonly string[] = clause.match(/[\w'’]+/g) ?? [];
  if (words.some((word) => /^(FAIL|FAILED|Failed)$/.test(word))) return 'failed';
  if (words.length === 1 && FAILURE.test(words[0] ?? '')) return 'failed';
  const denial = words.findIndex((word) => DENIAL.test(word));
  const denied = denial === -1 ? [] : words.slice(denial);
  if (denied.some((word) => /^pass(ed|es)?$/i.test(word))) return 'unclear';
  return denial === -1 && words.at(-1)?.toLowerCase() === 'failed' ? 'unclear' : null;
}

function saysPassed(part: string): boolean {
  const last = part.split('\n').findLast((line) => /\w/.test(line)) ?? '';
  return PASSED_FIRST.test(part) || PASSED_LAST.test(last);
}

export const VERDICT_UNCLEAR =
  'The reason begins with the code of the review, but does not say clearly that it passed. Give the verdict of the subagent so that it ends with a line that says only PASSED (with several codes: one such line after each), and nowhere says that something failed or has not passed; without such a verdict, call finished_step without quality_review_override_reason for a review.';
