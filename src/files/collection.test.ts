import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { type Collection, openCollection } from './collection.ts';

const NO_PATHS: ReadonlySet<string> = new Set();

/** The texts of all `*.txt` in a folder and those directly below it. */
function openTexts(roots: () => readonly string[], watchFrom: number) {
  const parsed: string[] = [];
  const texts = openCollection<string>({
    roots,
    pattern: {
      ignores: /^\./,
      enters: (depth) => depth <= 1,
      wants: (name) => name.endsWith('.txt'),
      anyKind: false,
    },
    maxBytes: 100,
    watchFrom,
    pause: async () => {},
    async parse({ path }, content) {
      parsed.push(path);
      return content.kind === 'read' ? `${path}: ${content.bytes}` : null;
    },
  });
  onTestFinished(() => texts.close());
  return { texts, parsed };
}

async function filesOf(texts: Collection<string>): Promise<readonly string[]> {
  return (await texts.look(NO_PATHS)).flatMap(({ files }) => files);
}

/** Waits until all files are old enough for their fingerprints to be reliable. */
async function untilConclusive(texts: Collection<string>): Promise<void> {
  for (let read = -1; read !== texts.read; ) {
    read = texts.read;
    await pause(40);
    await texts.look(NO_PATHS);
  }
}

describe.each([
  ['watched', 0],
  ['looked at', Number.POSITIVE_INFINITY],
])('a collection that is %s', (_, watchFrom) => {
  it('notices that a folder above its root was moved away and replaced by another', async () => {
    const above = join(tempFolder(), 'above');
    const write = (folder: string, text: string) => {
      mkdirSync(join(folder, 'root'), { recursive: true });
      for (const name of ['a', 'b']) writeFileSync(join(folder, 'root', `${name}.txt`), text);
    };
    write(above, 'old');
    const { texts } = openTexts(() => [join(above, 'root')], watchFrom);
    await untilConclusive(texts);
    write(`${above}.new`, 'new');
    renameSync(above, `${above}.old`);
    renameSync(`${above}.new`, above);
    expect(await filesOf(texts)).toEqual(['a.txt: new', 'b.txt: new']);
  });

  it('reads only edited files, and parses only changed content', async () => {
    const root = tempFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(root, `${name}.txt`), name);
    const { texts, parsed } = openTexts(() => [root], watchFrom);
    await untilConclusive(texts);
    const [view] = await texts.look(NO_PATHS);
    const read = texts.read;
    parsed.length = 0;
    utimesSync(join(root, 'a.txt'), 1, 1);
    expect((await texts.look(NO_PATHS))[0]).toBe(view);
    expect([texts.read, parsed]).toEqual([read + 1, []]);
    await untilConclusive(texts);
    const before = texts.read;
    writeFileSync(join(root, 'b.txt'), 'B');
    expect(await filesOf(texts)).toEqual(['a.txt: a', 'b.txt: B', 'c.txt: c']);
    expect([texts.read, parsed]).toEqual([before + 1, ['b.txt']]);
  });
});
