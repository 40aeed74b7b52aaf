// One row of the bench's table, and its verdict on a bound. A measure either compares us with
// a reference (the ratio counts) or a value with a limit. Rows without a bound are only
// reported.

const ERROR_LIMIT = 300;

/**
 * @typedef {object} Bound
 * @property {'ratio' | 'value'} of   which number is compared with it
 * @property {number} must            above this the bench fails
 * @property {number} [aim]           above this it is worth a look
 */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} unit
 * @property {number} ours
 * @property {number | null} reference
 * @property {string | null} against   what the reference is
 * @property {number | null} ratio
 * @property {Bound | null} bound
 * @property {'ok' | 'aim missed' | 'over' | 'failed' | 'report'} verdict
 * @property {object} [spread]         quartiles and sample counts, for `--json`
 * @property {string} [error]
 */

/**
 * Us against a reference.
 *
 * @param {string} name
 * @param {string} against
 * @param {{ ours: import('./samples.mjs').Summary, reference: import('./samples.mjs').Summary }} pair
 * @param {{ must: number, aim?: number }} [bound] of the ratio
 * @returns {Row}
 */
export function compared(name, against, { ours, reference }, bound) {
  const ratio = ours.median / reference.median;
  return judged({
    name,
    unit: ours.unit,
    ours: ours.median,
    reference: reference.median,
    against,
    ratio,
    bound: bound === undefined ? null : { of: 'ratio', ...bound },
    spread: { ours, reference },
  });
}

/**
 * A value of ours against a limit.
 *
 * @param {string} name
 * @param {string} unit
 * @param {number} value
 * @param {number} [must]
 * @returns {Row}
 */
export function limited(name, unit, value, must) {
  return judged({
    name,
    unit,
    ours: value,
    reference: null,
    against: null,
    ratio: null,
    bound: must === undefined ? null : { of: 'value', must },
  });
}

/**
 * A measure that could not be taken never counts as good.
 *
 * @param {string} name
 * @param {unknown} error
 * @returns {Row}
 */
export function failed(name, error) {
  return {
    name,
    unit: '',
    ours: Number.NaN,
    reference: null,
    against: null,
    ratio: null,
    bound: null,
    verdict: 'failed',
    error: oneLine(error instanceof Error ? error.message : String(error)),
  };
}

/** @param {readonly Row[]} rows */
export function isBroken(rows) {
  return (
    rows.length === 0 || rows.some(({ verdict }) => verdict === 'over' || verdict === 'failed')
  );
}

/** A table has no room for a stack trace. */
function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > ERROR_LIMIT ? `${line.slice(0, ERROR_LIMIT)}…` : line;
}

/**
 * @param {Omit<Row, 'verdict'>} row
 * @returns {Row}
 */
function judged(row) {
  return { ...row, verdict: verdictOf(row) };
}

function verdictOf({ ours, ratio, bound }) {
  const value = bound?.of === 'value' ? ours : ratio;
  // A division by zero must not count as fast.
  if (!Number.isFinite(ours) || (ratio !== null && !Number.isFinite(ratio))) return 'failed';
  if (bound === null) return 'report';
  if (value > bound.must) return 'over';
  return value > (bound.aim ?? bound.must) ? 'aim missed' : 'ok';
}
