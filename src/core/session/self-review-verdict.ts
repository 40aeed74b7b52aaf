// Reads the verdict of a self-review from the reason that an agent gives. Where a verdict has
// to prove something it begins with the code of the review and says PASSED in the place of a
// verdict; what can be read in two ways is no verdict then, and is asked for again.

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
  const doubts = new Set(clausesOf(text).map(doubtIn));
  if (doubts.has('failed')) return 'failed';
  if (doubts.has('unclear')) return 'unclear';
  const parts = starts.map((start, index) => text.slice(start, starts[index + 1]));
  return parts.every(saysPassed) ? 'passed' : 'unclear';
}

/** As the review file asks for it, or alone on its line. */
const SAYS_PASSED = /\bPASSED\b|^\W*[Pp]assed\W*$/;

/**
 * What a reason says as a verdict where no code is asked for. Null: it is another reason, or
 * says both; one that speaks of both may tell of a review that was repeated.
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

/** What a clause says against a pass. "The test that failed before" says nothing. */
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
