import { expect, test } from 'vitest';
import { verdictOn } from './approval-answer.ts';
import { digestOf } from './judged-files.ts';
import type { Session } from './state.ts';

const SEEN = { 'plan.md': 'one', 'notes.md': 'two' };

test.each([
  ['the files that a person saw', SEEN, { approves: true }],
  ['the same in another order', { 'notes.md': 'two', 'plan.md': 'one' }, { approves: true }],
  ['other content', { ...SEEN, 'plan.md': 'other' }, null],
  ['one file less', { 'plan.md': 'one' }, null],
  ['no file', {}, null],
])('an approval in the past counts for %s: %j', (_what, files, expected) => {
  const approvals = { gate: { approved: [digestOf(SEEN)], rejected: [], back: 0 } };
  const verdict = verdictOn({ approvals } as unknown as Session, {
    name: 'gate',
    files,
    said: null,
  });
  if (expected === null) expect(verdict).toBeNull();
  else expect(verdict).toMatchObject(expected);
});
