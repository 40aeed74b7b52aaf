// A judged file is recognized by its content, whatever the file's times say.

import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../test/simulation/definitions.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { changedSinceJudged } from './changed-since-judged.ts';
import type { GateMember } from './request.ts';
import { hashFile, openHashing, stampFile } from './submitted-files.ts';

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

test('an unchanged file is recognized', async () => {
  const { root, member } = await judged('text');
  expect(await changedSinceJudged(root, [member], SIGNAL)).toBeNull();
});

test('changed content is detected even if the stamp is the same', async () => {
  const { root, file, member } = await judged('text');
  writeFileSync(file, 'tixt');
  const stamps = { 'o.md': await stampFile(root, 'o.md') };
  expect(await changedSinceJudged(root, [{ ...member, stamps }], SIGNAL)).toBe('o.md');
});

test('a touched file is detected even if its content is the same', async () => {
  const { root, file, member } = await judged('text');
  writeFileSync(file, 'text');
  const stamps = { 'o.md': `${member.stamps['o.md']}x` };
  expect(await changedSinceJudged(root, [{ ...member, stamps }], SIGNAL)).toBe('o.md');
});

test('a deleted file counts as changed', async () => {
  const { root, file, member } = await judged('text');
  rmSync(file);
  expect(await changedSinceJudged(root, [member], SIGNAL)).toBe('o.md');
});
