// Changes how fast time passes for waits that are measured with `performance.now`, so that no test
// depends on how fast the machine is. Timers are not changed.

import { onTestFinished, vi } from 'vitest';

/** 0: no time passes at all. Returns what ends it, at the latest with the test. */
export function passTime(speed: number): () => void {
  const real = performance.now.bind(performance);
  const from = real();
  const clock = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => from + (real() - from) * speed);
  const end = () => clock.mockRestore();
  onTestFinished(end);
  return end;
}
