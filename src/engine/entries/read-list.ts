// The items of a `for_each`: the paths of a list of files, or the items in one file that was
// handed in. That file must still have the content that a person approved or the gate accepted.

import { createHash } from 'node:crypto';
import { Refused } from '../../core/refusal.ts';
import type { Need } from '../../core/session/facts.ts';
import { itemsChanged, noItemsIn, pathItems, readItems } from '../../core/session/for-each.ts';
import type { Json } from '../../core/session/state.ts';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { checkOutputPath } from '../../gate/output-path.ts';
import { readFileUpTo } from '../../gate/submitted-files.ts';

/** Enough for a thousand items of any sensible size. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Refuses what is not a list, or is too long. */
export async function readList(
  root: string,
  { entry, output }: Extract<Need, { kind: 'items' }>,
): Promise<readonly Json[]> {
  const { paths, files } = output;
  const reading =
    typeof paths === 'string'
      ? readItems(entry, paths, await readText(root, paths))
      : pathItems(entry, paths);
  if (reading.kind === 'refused') throw new Refused(reading.refusal);
  return reading.items;

  async function readText(project: string, given: string): Promise<string> {
    const found = await checkOutputPath(project, given);
    if (found.kind === 'problem') throw notReadable(given, found.problem);
    const bytes = await readFileUpTo(project, found.absolute, MAX_BYTES);
    if (bytes === null) throw notReadable(given, 'it is larger than 5 MiB');
    const accepted = files[found.path] ?? files[given];
    if (accepted !== undefined && sha256(bytes) !== accepted) {
      throw new Refused(itemsChanged(entry, given));
    }
    const text = decodeUtf8(bytes);
    if (text === null) throw notReadable(given, 'it is not UTF-8 text');
    return text;
  }

  function notReadable(given: string, problem: string): Refused {
    return new Refused(noItemsIn(entry, given, problem));
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
