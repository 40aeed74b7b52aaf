// A journal in files under a key that every test process knows.

import { openFileJournal } from '../../src/journal/file.ts';
import { type FileLayer, realFileLayer } from '../../src/journal/file-layer.ts';
import type { Journal, SetAsideStream } from '../../src/journal/journal.ts';
import { type Seal, sealOf } from '../../src/journal/seal.ts';

export const TEST_KEY = Buffer.alloc(32, 'a key for tests ');

export function openTestJournal(folder: string, layer: FileLayer = realFileLayer): Journal {
  return openFileJournal(folder, { key: () => TEST_KEY, layer });
}

export function testSeal(stream = 'team'): Seal {
  return sealOf(TEST_KEY, stream);
}

/** The names under which content of a stream was set aside. */
export async function keptOf(
  journal: Journal,
  stream: string,
  why: SetAsideStream['why'],
): Promise<string[]> {
  const all = await journal.setAside(stream);
  return all.flatMap((each) => (each.stream === stream && each.why === why ? [each.kept] : []));
}
