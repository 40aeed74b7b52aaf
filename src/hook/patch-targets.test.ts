// Patches are read as the clients that apply them do: with blanks around headers, and any line ends.

import { expect, test } from 'vitest';
import { codex } from './clients/codex.ts';
import { opencode } from './clients/opencode.ts';
import { patchTargetsIn } from './patch-targets.ts';

test.each([
  '*** Begin Patch\n*** Add File: a/b.txt\n+x\n*** End Patch',
  '*** Begin Patch\n *** Add File: a/b.txt\n+x\n*** End Patch',
  '*** Begin Patch\n\t*** Update File:   a/b.txt  \n+x\n*** End Patch',
  '*** Begin Patch\r\n*** Delete File: a/b.txt\r\n*** End Patch',
  '*** Begin Patch\n*** Move to: a/b.txt\n*** End Patch',
  '*** Begin Patch\n\u00a0*** Add File: a/b.txt\n+x\n*** End Patch',
  '*** Begin Patch\n\u000b*** Add File: a/b.txt\u0085\n+x\n*** End Patch',
  '\u0085\u2028*** Add File:\u3000a/b.txt\ufeff',
])('the target of %j is found', (patch) => {
  expect(patchTargetsIn(patch)).toEqual(['a/b.txt']);
});

test.each(['a\u2028b.txt', 'a\u2029/b.txt', 'a\u0085b', 'a\rb', 'a\u000bb'])(
  'the path %j does not end in the middle',
  (file) => {
    expect(patchTargetsIn(`*** Begin Patch\n*** Add File: ${file}\n+x`)).toEqual([file]);
  },
);

test('a patch is found wherever it is in the input of the tool', () => {
  const patch = '*** Begin Patch\n*** Add File: a/b.txt\n+x\n*** End Patch';
  for (const tool_input of [
    patch,
    [patch],
    { command: patch },
    { command: ['apply_patch', patch] },
    { input: patch },
    { patch },
    { patchText: patch },
    { other: [{ deep: patch }] },
  ]) {
    for (const client of [codex, opencode]) {
      const { writes } = client.readCall({ tool_name: 'apply_patch', tool_input });
      expect(writes, JSON.stringify(tool_input)).toEqual(['a/b.txt']);
    }
  }
  expect(codex.readCall({ tool_name: 'apply_patch' }).writes).toEqual([]);
});
