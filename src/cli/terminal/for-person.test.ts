import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { answerForPerson, forPerson } from './for-person.ts';

const src = fileURLToPath(new URL('../..', import.meta.url));

/** Every text in the sources that mentions the user of an agent and may be shown to a person. */
function texts(): string[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    // Only agents read the texts of hooks.
    (file) => file.endsWith('.ts') && !/\.test\.ts$|for-person|help\.ts$|^hook/.test(file),
  );
  return files.flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
      .filter((line) => /your user/i.test(line)),
  );
}

it('leaves no message that mentions a user to a person', () => {
  expect(texts().length).toBeGreaterThan(10);
  expect(
    texts()
      .map(forPerson)
      .filter((text) => /your user|ask them/i.test(text)),
  ).toEqual([]);
});

it.each([
  [
    'ask your user to look at them and run: deepwork trust --path /p',
    'look at them and run: deepwork trust --path /p',
  ],
  ['restore it, or ask your user to agree: deepwork trust', 'restore it, or agree: deepwork trust'],
  ['call again, or ask your user.', 'call again.'],
  [
    'Nothing was recorded. Tell your user, and make the call again.',
    'Nothing was recorded. Make the call again.',
  ],
  [
    'ask your user to make it writable, or to set HOME; then go on.',
    'make it writable, or set HOME; then go on.',
  ],
  ['tell your user; the bytes are kept.', 'the bytes are kept.'],
  ['No one is spoken to. e.g. this', 'No one is spoken to. e.g. this'],
])('%s', (written, said) => {
  expect(forPerson(written)).toBe(said);
});

it("changes only deepwork's own text", () => {
  const words = 'ask your user to run it.';
  expect(
    answerForPerson({
      error: { code: 'x', next: words },
      warnings: [{ warning: words }],
      feedback: words,
      begin_step: { step_instructions: words },
    }),
  ).toEqual({
    error: { code: 'x', next: 'run it.' },
    warnings: [{ warning: 'run it.' }],
    feedback: 'run it.',
    begin_step: { step_instructions: words },
  });
});
