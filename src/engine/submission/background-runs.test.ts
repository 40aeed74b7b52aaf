import { expect, test } from 'vitest';
import { type BackgroundWork, openBackgroundRuns } from './background-runs.ts';

function newWork() {
  const running = openBackgroundRuns<string>();
  let begun: BackgroundWork | undefined;
  let end: (value: string) => void = () => {};
  const start = (work: BackgroundWork) => {
    begun = work;
    return new Promise<string>((resolve, reject) => {
      end = resolve;
      work.signal.addEventListener('abort', () => reject(new Error('ended')));
    });
  };
  return {
    call() {
      const controller = new AbortController();
      const { signal } = controller;
      const joining = {
        session: 's',
        call: 'c',
        start,
        within: 20_000,
        signal,
        progress: () => {},
      };
      const ended = running.join('key', joining);
      ended.catch(() => {});
      return { ended, cancel: () => controller.abort() };
    },
    end: (value: string) => end(value),
    isAborted: () => begun?.signal.aborted,
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a caller that cancels does not end work that another caller waits for', async () => {
  const work = newWork();
  const [one, other] = [work.call(), work.call()];
  await nextTurn();
  one.cancel();
  await nextTurn();
  expect(work.isAborted()).toBe(false);
  work.end('done');
  expect(await other.ended).toEqual({ kind: 'done', value: 'done' });
});

test('when every caller has cancelled, the work ends', async () => {
  const work = newWork();
  const [one, other] = [work.call(), work.call()];
  await nextTurn();
  one.cancel();
  other.cancel();
  await expect(other.ended).rejects.toThrow('ended');
  await expect(one.ended).rejects.toThrow('ended');
  expect(work.isAborted()).toBe(true);
});

test('however many runs there are, one that still runs is joined and not begun again', async () => {
  const running = openBackgroundRuns<string>();
  const begun: string[] = [];
  const join = (key: string) => {
    const start = () => {
      begun.push(key);
      return new Promise<string>(() => {});
    };
    const { signal } = new AbortController();
    const joining = { session: key, call: key, start, within: 0, signal, progress: () => {} };
    return running.join(key, joining);
  };
  for (let nth = 0; nth < 100; nth += 1) await join(`s${nth}`);
  await join('s0');
  expect(begun).toHaveLength(100);
});
