import { expect, test } from 'vitest';
import { lineOf, logTo, outcomeOf } from './log.ts';

const CALL = {
  tool: 'finished_step',
  agent: 'writer|opus',
  session: '0a1b2c3d',
  outcome: 'needs_work',
  refused: 'Say more',
  milliseconds: 12.345,
  stack: [
    { workflow: 'docs/write', step: 'draft', session_id: '00000001' },
    { workflow: 'docs/check', step: 'links', session_id: '0a1b2c3d' },
  ],
};

test('a call is one line that names agent, session, outcome and stack', () => {
  expect(lineOf(CALL)).toBe(
    'finished_step needs_work 12.3ms agent=writer|opus session=0a1b2c3d stack=[docs/write:draft > docs/check:links]',
  );
  expect(lineOf({ ...CALL, session: null, stack: [] })).toBe(
    'finished_step needs_work 12.3ms agent=writer|opus session=- stack=[]',
  );
});

test('nothing from outside looks like another field, moves the cursor or turns text around', () => {
  const bad = 'a session=1 \u007f\u0085\u009b31m\u2028\u2029\u202e\u2066\u061c\u200b';
  const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
  const stack = [{ workflow: `${bad}\n\u001b[2J`, step: bad, session_id: '00000001' }];
  const line = lineOf({ ...CALL, agent: bad, tool: bad, session: bad, stack });
  expect(line).not.toMatch(controls);
  expect(line).toContain('\\u009b31m');
  expect(line).toContain('agent="a session=1 ');
  const lines: string[] = [];
  logTo((each) => lines.push(each)).fault(bad, new Error(`${bad}\u001b[2J`));
  expect(lines.join('').replaceAll('\n', '')).not.toMatch(controls);
});

test('the outcome is taken from the answer', () => {
  expect(outcomeOf({ status: 'needs_work' })).toBe('needs_work');
  expect(outcomeOf({ valid: false })).toBe('invalid');
  expect(outcomeOf({ valid: true })).toBe('ok');
  expect(outcomeOf({ status: 'two words' })).toBe('ok');
  expect(outcomeOf({ text: 'prose' })).toBe('ok');
});
