import { expect, test } from 'vitest';
import { judgeRoom } from './disk.ts';

const GIB = 1024 ** 3;

test('a nearly full disk is a warning, and a full one is a problem', () => {
  expect(judgeRoom(75 * GIB, 1000)).toEqual({ state: 'ok', detail: '75 GiB free', fix: null });
  expect(judgeRoom(1.5 * GIB, null)).toMatchObject({ state: 'ok', detail: '1.5 GiB free' });
  expect(judgeRoom(0.25 * GIB, null)).toMatchObject({
    state: 'warning',
    detail: 'only 256 MiB free',
  });
  expect(judgeRoom(1024, 1000)).toMatchObject({ state: 'problem', detail: 'only 0.0 MiB free' });
  expect(judgeRoom(75 * GIB, 0)).toMatchObject({ state: 'problem' });
});
