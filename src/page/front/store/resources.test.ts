import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AnswerCache } from '../server/answer-cache.ts';
import { RequestFailed } from '../server/api.ts';
import { concerns } from './affected-answers.ts';
import { openResources } from './resources.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function memoryCache(): AnswerCache & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    async get(path) {
      const text = kept.get(path);
      return text === undefined ? null : { text, at: 42 };
    },
    put: (path, text) => void kept.set(path, text),
    async clear() {
      kept.clear();
    },
  };
}

test('an equal answer renders nothing; many hints become few requests, and the last one counts', async () => {
  let asked = 0;
  let answer = '{"workspace":"w","at":"1","n":0}';
  const resources = openResources(memoryCache(), async () => {
    asked += 1;
    return answer;
  });
  let drawn = 0;
  resources.watch('/api/board', () => {
    drawn += 1;
  });
  await vi.advanceTimersByTimeAsync(1000);
  answer = '{"workspace":"w","at":"2","n":0}';
  resources.refresh(() => true);
  await vi.advanceTimersByTimeAsync(1000);
  expect([asked, drawn]).toEqual([2, 1]);

  for (let n = 1; n <= 100; n += 1) {
    answer = `{"n":${n}}`;
    resources.refresh(() => true);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toBeLessThanOrEqual(4);
  expect(resources.read('/api/board').value).toEqual({ n: 100 });
});

test('while the server is away, the cached answer is shown with its age; after a refusal it is not', async () => {
  const cache = memoryCache();
  cache.put('/api/board', '{"n":1}');
  cache.put('/api/runs/x', '{"n":1}');
  let status = 0;
  const resources = openResources(cache, async () => {
    throw status === 0
      ? new TypeError('fetch failed')
      : new RequestFailed({ status, code: 'c', message: 'm', next: null });
  });
  resources.watch('/api/board', () => {});
  await vi.advanceTimersByTimeAsync(1000);
  const { value, at, problem } = resources.read('/api/board');
  expect({ value, at, status: problem?.status }).toEqual({ value: { n: 1 }, at: 42, status: 0 });
  status = 404;
  resources.watch('/api/runs/x', () => {});
  await vi.advanceTimersByTimeAsync(1000);
  expect(resources.read('/api/runs/x').value).toBeNull();
});

test('a hint concerns the board, its own run, and for the team also questions', () => {
  const paths = ['/api/board?all=1', '/api/runs/abc', '/api/runs/abc/at/3', '/api/runs/xyz'];
  const others = ['/api/team?limit=200', '/api/questions', '/api/definitions'];
  const all = [...paths, ...others];
  expect(all.filter((path) => concerns(path, 'sessions/abc'))).toEqual(paths.slice(0, 2));
  expect(all.filter((path) => concerns(path, 'team/log'))).toEqual([
    ...['/api/board?all=1', '/api/runs/abc', '/api/runs/xyz'],
    ...['/api/team?limit=200', '/api/questions'],
  ]);
  expect(all.filter((path) => concerns(path, '*'))).toEqual(
    all.filter((path) => !path.includes('/at/')),
  );
});
