import { expect, test } from 'vitest';
import { finished, goTo, started, stateAfter, viewText } from '../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../test/simulation/definitions.ts';
import { openViewTexts } from './view-text.ts';

const job = plainJob(plainStep('a', 'x!'), plainStep('b', 'y!'), plainStep('c', 'z!'));

function toText(pieces: ReturnType<ReturnType<typeof openViewTexts>>): string {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
}

test('a view is JSON in lines that people can read', () => {
  const notes = 'a "quote",\n  a line and \u2028';
  const text = viewText(finished(started(job), job, { x: 'x.md' }, { notes }));
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

test('whatever was written before, a view is the one of its session', () => {
  const first = started(job);
  const second = finished(first, job, { x: 'x.md' });
  const third = finished(second, job, { y: 'y.md' });
  const back = stateAfter(third, goTo(third, job, 'a'));
  const again = finished(back, job, { x: 'other.md' });
  const textOf = openViewTexts();
  for (const session of [first, second, third, back, again, second, third, first]) {
    expect(toText(textOf(session))).toBe(viewText(session));
  }
});
