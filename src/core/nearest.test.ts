import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

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
