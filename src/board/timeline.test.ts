import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { REFUSED_IN_TURN } from './describe-unattended.ts';
import type { RunQuestion, ShownEvent } from './run.ts';
import { timelineOf } from './timeline.ts';

const at = (second: number) => `2026-01-05T09:00:0${second}.000Z`;

function event(type: string, second: number, text: string, data = {}): ShownEvent {
  return { seq: second, at: at(second), type, step_id: 'a', by: null, text, data };
}

test('an event that asks a person says what was asked, without all that the question shows', () => {
  verifies('BOARD-2');
  const question: RunQuestion = {
    id: 'q-1',
    text: 'May it go out?\nThese files:\na.md',
    asked_by: null,
    asked_at: at(1),
    outcome: null,
  };
  const asked = event('asked', 1, "A person was asked about 'go' (q-1)", { question: 'q-1' });
  expect(timelineOf([asked], [question]).map(({ text }) => text)).toEqual([
    "A person was asked about 'go' (q-1)\nMay it go out?",
  ]);
});

test('what the run says of a submission is not said again by the turn that handed it in', () => {
  verifies('BOARD-2', 'RUN-1');
  const judged = event('judged', 2, "'a' turned down by the rules\nToo short");
  const ended = `Turn 1 ended\n${REFUSED_IN_TURN}: Too short\nBye`;
  const turns = [event('turn_started', 1, 'Turn 1 began'), event('turn_ended', 3, ended)];
  const texts = (events: readonly ShownEvent[]) =>
    timelineOf(events, [], turns).map(({ text }) => text);
  expect(texts([judged])).toEqual(['Turn 1 began', judged.text, 'Turn 1 ended\nBye']);
  // It was refused before anything could be judged.
  expect(texts([])).toEqual(['Turn 1 began', ended]);
});
