import { expect, test, vi } from 'vitest';
import * as limits from './run-within.ts';

const runWithin = <T>(milliseconds: number, work: () => T) =>
  limits.withoutPauses(limits.runWithin(milliseconds, work));
const runWithinProcessorTime = <T>(milliseconds: number, work: () => T) =>
  limits.withoutPauses(limits.runWithinProcessorTime(milliseconds, work));

test('returns the result of the work', () => {
  expect(runWithin(100, () => 7)).toEqual({ kind: 'done', value: 7 });
  expect(runWithin(100, () => undefined)).toEqual({ kind: 'done', value: undefined });
});

test('stops an endless loop, and can be used again', () => {
  const endless = () => {
    for (;;);
  };
  expect(runWithin(20, endless)).toEqual({ kind: 'interrupted', reason: 'took longer than 20 ms' });
  expect(runWithin(20, () => 7)).toEqual({ kind: 'done', value: 7 });
});

test('reports what the work throws, truncated', () => {
  const failing = (message: string) => () => {
    throw new Error(message);
  };
  expect(runWithin(20, failing('Invalid: /x/: too large'))).toEqual({
    kind: 'interrupted',
    reason: 'too large',
  });
  const long = runWithin(20, failing('x'.repeat(10_000)));
  expect(long.kind === 'interrupted' && long.reason.length).toBe(200);
});

test('can be nested', () => {
  expect(runWithin(100, () => runWithin(100, () => 7))).toEqual({
    kind: 'done',
    value: { kind: 'done', value: 7 },
  });
});

test('work that did not get the processor is run again', () => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let runs = 0;
  // Other threads of this process use the processor, too: half of the limit is more than they take.
  const result = runWithin(300, () => {
    runs += 1;
    if (runs === 1) Atomics.wait(cell, 0, 0, 600);
    return runs;
  });
  expect(result).toEqual({ kind: 'done', value: 2 });
});

test('a processor time limit stops work that uses it up, and waits for work that could not run', () => {
  const endless = () => {
    for (;;);
  };
  const slow = { kind: 'interrupted', reason: 'took longer than 20 ms' };
  expect(runWithinProcessorTime(20, endless)).toEqual(slow);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let runs = 0;
  const result = runWithinProcessorTime(20, () => {
    runs += 1;
    Atomics.wait(cell, 0, 0, 200);
    return 'done';
  });
  expect(result).toEqual({ kind: 'done', value: 'done' });
  expect(runs).toBeGreaterThan(1);
});

test('work that the clock stops just before its processor time is used up is not run again', () => {
  const cpuUsage = vi.spyOn(process, 'cpuUsage');
  cpuUsage.mockReturnValue({ user: 19_700, system: 0 });
  let runs = 0;
  const endless = () => {
    runs += 1;
    for (;;);
  };
  expect(runWithinProcessorTime(20, endless).kind).toBe('interrupted');
  cpuUsage.mockRestore();
  expect(runs).toBe(1);
});

test.each([limits.runWithin, limits.runWithinProcessorTime])(
  'other work may run between two runs of the same work: %o',
  (limit) => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    let runs = 0;
    const running = limit(20, () => {
      runs += 1;
      Atomics.wait(cell, 0, 0, 200);
    });
    while (!running.next().done) {
      expect(runs).toBe(1);
      runs = 0;
    }
    expect(runs).toBeLessThanOrEqual(1);
  },
);

test('work that is stopped leaves the traces of errors as they were', () => {
  const before = Error.stackTraceLimit;
  runWithin(20, () => {
    Error.stackTraceLimit = 0;
    try {
      for (;;);
    } finally {
      Error.stackTraceLimit = before;
    }
  });
  const after = Error.stackTraceLimit;
  Error.stackTraceLimit = before;
  expect(after).toBe(before);
});
