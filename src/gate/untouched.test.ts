// What was judged is known by its content, whatever the file's times say.

import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../test/simulation/definitions.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { hashFile, openHashing, stampFile } from './files.ts';
import type { GateMember } from './request.ts';
import { changedSinceJudged } from './untouched.ts';

const { signal: SIGNAL } = new AbortController();

async function judged(text: string) {
  const root = tempFolder();
  const file = path.join(root, 'o.md');
  writeFileSync(file, text);
  const member: GateMember = {
    step: toStep(plainStep('a', 'o!')),
    sharedNames: [],
    outputs: { o: 'o.md' },
    files: { 'o.md': (await hashFile(root, file, openHashing(SIGNAL))) ?? '' },
    stamps: { 'o.md': await stampFile(root, 'o.md') },
  };
  return { root, file, member };
}

test('a file that is the same is the same', async () => {
  const { root, member } = await judged('text');
  expect(await changedSinceJudged(root, [member], SIGNAL)).toBeNull();
});

test('other content is seen even if the stamp of the file is as before', async () => {
  const { root, file, member } = await judged('text');
  writeFileSync(file, 'tixt');
  const stamps = { 'o.md': await stampFile(root, 'o.md') };
  expect(await changedSinceJudged(root, [{ ...member, stamps }], SIGNAL)).toBe('o.md');
});

test('a touched file is seen even if its content is as before', async () => {
  const { root, file, member } = await judged('text');
  writeFileSync(file, 'text');
  const stamps = { 'o.md': `${member.stamps['o.md']}x` };
  expect(await changedSinceJudged(root, [{ ...member, stamps }], SIGNAL)).toBe('o.md');
});

test('a file that is gone is another one', async () => {
  const { root, file, member } = await judged('text');
  rmSync(file);
  expect(await changedSinceJudged(root, [member], SIGNAL)).toBe('o.md');
});
