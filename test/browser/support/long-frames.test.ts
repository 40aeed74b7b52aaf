import { expect, test } from 'vitest';
import { MARK, processorTime } from './long-frames.ts';

/** In ms, on the clock of the page. */
const task = (at: number, dur: number, onProcessor = dur) => ({
  name: 'RunTask',
  pid: 1,
  tid: 1,
  ts: at * 1000,
  dur: dur * 1000,
  tdur: onProcessor * 1000,
});
const mark = { name: MARK, pid: 1, tid: 1, ts: 0, args: { data: { startTime: 0 } } };
const frame = { entryType: 'long-animation-frame', startTime: 1000, duration: 68 };

test('a task that ends as the frame begins does not count as part of it', () => {
  expect(processorTime(frame, [task(690, 311), task(1002, 60, 50), mark])).toBe(51);
});

test('a frame that lies within a task takes no more processor time than it lasts', () => {
  expect(processorTime(frame, [task(500, 2000), mark])).toBe(68);
});

test('a thread that waited for a processor took no time on it', () => {
  expect(processorTime(frame, [task(0, 10), mark])).toBe(0);
});
