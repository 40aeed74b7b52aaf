import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectPiecesAtMost } from '../../test/support/processor-time.ts';
import { limitedHints, nearest } from './nearest.ts';

test.each([
  ['sumary', 'summary'],
  ['flie', 'file'],
  ['Quality-Criteria', 'quality_criteria'],
  ['instruction_file', 'instructions_file'],
  ['askforfiles', 'askForFiles'],
  ['fix_a_bgu', 'fix-a-bug'],
  ['job', 'job_name'],
  ['instr', 'instructions_file'],
  ['jo', null],
  ['workflow', null],
  ['xyz', null],
  ['', null],
  ['s'.repeat(100_000), null],
])('guesses what %s was meant to be', (word, meant) => {
  const allowed = [
    ...['summary', 'file', 'quality_criteria', 'instructions_file', 'askForFiles', 'fix-a-bug'],
    ...['job_name', 'workflow_name', 'workflow_id'],
  ];
  expect(nearest(word, allowed)).toBe(meant);
});

test('one word is near another if few edits lead from it, of which the fewest count', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 6 }), (wanted, allowed) => {
      const edits = allowed.map((each) => editsBetween(wanted, each));
      const fewest = Math.min(...edits);
      const meant = nearest(wanted, allowed);
      if (fewest <= Math.max(1, Math.floor(wanted.length / 3))) {
        expect(meant).toBe(allowed[edits.indexOf(fewest)]);
      } else if (meant !== null) expect(meant.startsWith(wanted)).toBe(true);
    }),
  );
});

test('a hint is bounded work however many words are alike', async () => {
  const alike = Array.from(
    { length: 20_000 },
    (_, index) => `${'name_of_a_variable_'.repeat(2)}${index}`,
  );
  await expectPiecesAtMost(30, () => nearest(`${'nome_of_o_veriable_'.repeat(2)}x`, alike));
});

test('of many words only the first ones get a hint', () => {
  const { didYouMean } = limitedHints(2);
  const hints = ['flie', 'xyz', 'flie'].map((word) => didYouMean(word, ['file']));
  expect(hints).toEqual(["; did you mean 'file'?", '', '']);
});

/** The plain definition, letter by letter. */
function editsBetween(a: string, b: string): number {
  const edits = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const known = memo.get(`${i} ${j}`);
    if (known !== undefined) return known;
    const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const found = Math.min(
      edits(i - 1, j) + 1,
      edits(i, j - 1) + 1,
      edits(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      isSwap ? edits(i - 2, j - 2) + 1 : Infinity,
    );
    memo.set(`${i} ${j}`, found);
    return found;
  };
  const memo = new Map<string, number>();
  return edits(a.length, b.length);
}
