// The tables that the bench prints.

const HEADS = ['measure', 'ours', 'reference', 'ratio', 'bound', 'verdict'];
/** The columns that hold numbers, in every table. */
const NUMBERS = new Set([1, 3]);

/** @param {readonly import('./rows.mjs').Row[]} rows */
export function printable(rows) {
  const cells = rows.map((row) => [
    row.name,
    quantity(row.ours, row.unit),
    row.reference === null ? '-' : `${quantity(row.reference, row.unit)}  ${row.against}`,
    row.ratio === null ? '-' : `${row.ratio.toFixed(2)}x`,
    boundText(row),
    row.error === undefined ? row.verdict : `${row.verdict}: ${row.error}`,
  ]);
  return aligned(HEADS, cells);
}

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly string[])[]} cells
 */
export function aligned(heads, cells) {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const line = (texts) =>
    texts
      .map((text, column) =>
        NUMBERS.has(column) ? text.padStart(widths[column]) : text.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join(
    '\n',
  );
}

function boundText({ bound, unit }) {
  if (bound === null) return '-';
  const show = (limit) => (bound.of === 'ratio' ? `${limit}x` : quantity(limit, unit));
  const must = `<= ${show(bound.must)}`;
  return bound.aim === undefined ? must : `${must}, aim ${show(bound.aim)}`;
}

function quantity(value, unit) {
  if (!Number.isFinite(value)) return '-';
  const digits =
    Number.isInteger(value) || value >= 1000 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return unit === '' ? value.toFixed(digits) : `${value.toFixed(digits)} ${unit}`;
}
