import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { appendNext, readAll, someEvent } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { linkProblem } from '../files/folder-links.ts';
import { checkedLayer } from './checked-layer.ts';
import { realFileLayer } from './file-layer.ts';

function openChecked(root: string) {
  const layer = checkedLayer(realFileLayer, (folder) => {
    const problem = linkProblem(root, folder);
    if (problem !== null) throw new Error(problem);
  });
  return openTestJournal(join(root, 'journal'), layer);
}

it.each(['journal', 'journal/session'])(
  'nothing is written or read through %s after it has become a link out of the project',
  async (name) => {
    const top = tempFolder();
    const root = join(top, 'project');
    mkdirSync(root);
    const journal = openChecked(root);
    await appendNext(journal, 'session/a', { n: 1 });
    const moved = join(top, 'moved');
    renameSync(join(root, name), moved);
    symlinkSync(moved, join(root, name));
    const before = readdirSync(moved, { recursive: true });
    // Which check refuses depends on what this process has seen of the folder.
    const refusal = /leads outside the project|is not a folder/;
    await expect(journal.append('session/a', 1, someEvent())).rejects.toThrow(refusal);
    await expect(journal.append('session/b', 0, someEvent())).rejects.toThrow(refusal);
    await expect(readAll(journal, 'session/a')).rejects.toThrow(refusal);
    expect(await journal.names('session/').catch(() => [])).toEqual([]);
    expect(readdirSync(moved, { recursive: true })).toEqual(before);
    expect(existsSync(join(moved, 'session/b.jsonl'))).toBe(false);
  },
);
