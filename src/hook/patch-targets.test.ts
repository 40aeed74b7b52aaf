// Patches are read as the clients that apply them do: with blanks around headers, and any line ends.

import { expect, test } from 'vitest';
import { codex } from './clients/codex.ts';
import { patchTargets } from './patch-targets.ts';

test.each([
  '*** Begin Patch\n*** Add File: a/b.txt\n+x\n*** End Patch',
  '*** Begin Patch\n *** Add File: a/b.txt\n+x\n*** End Patch',
  '*** Begin Patch\n\t*** Update File:   a/b.txt  \n+x\n*** End Patch',
  '*** Begin Patch\r\n*** Delete File: a/b.txt\r\n*** End Patch',
  '*** Begin Patch\n*** Move to: a/b.txt\n*** End Patch',
])('the target of %j is found', (patch) => {
  expect(patchTargets(patch)).toEqual(['a/b.txt']);
});

test('a patch of Codex is read as a text, as words, and as input', () => {
  const patch = '*** Begin Patch\n*** Add File: a/b.txt\n+x\n*** End Patch';
  for (const tool_input of [
    { command: patch },
    { command: ['apply_patch', patch] },
    { input: patch },
  ]) {
    expect(codex.readCall({ tool_name: 'apply_patch', tool_input }).writes).toEqual(['a/b.txt']);
  }
  expect(codex.readCall({ tool_name: 'apply_patch' }).writes).toEqual([]);
});
