import { expect, test } from 'vitest';
import { beginningOf, eventText } from './event-text.ts';

const FEEDBACK = '1. Read the file.\n2. Compare it  with the criteria.\n3. Report.';

test('a text that the server joined into one line gets its lines back', () => {
  const text = `'facts' handed in\n${FEEDBACK.replace(/\s+/g, ' ')}\nFiles: a.md (1234)`;
  const data = { failed: [{ step_id: 'facts', feedback: `${FEEDBACK}\n` }] };
  expect(eventText({ text, data })).toBe(`'facts' handed in\n${FEEDBACK}\nFiles: a.md (1234)`);
});

test('a text after other words begins on a line of its own, and a cut text is completed', () => {
  const long = `${'word '.repeat(200)}\nend`;
  const text = `Review of a.md failed (1.0 s): ${long.replace(/\s+/g, ' ').slice(0, 600)}…`;
  expect(eventText({ text, data: { evidence: [{ said: long }] } })).toBe(
    `Review of a.md failed (1.0 s): \n${long}`,
  );
});

test('a long text has a beginning of three lines, a short one is shown whole', () => {
  expect(beginningOf('a\nb\nc')).toBeNull();
  expect(beginningOf('a\nb\nc\nd')).toBe('a\nb\nc');
  expect(beginningOf('x'.repeat(280))).toBeNull();
  expect(beginningOf('x'.repeat(281))).toBe('x'.repeat(280));
});
