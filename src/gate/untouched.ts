// Whether what was judged is still what is there. The stamps of the files tell it nearly
// always; content is read again all the same, since a stamp can be made to look the same
// (a clock that was set back) and a page that is mapped into memory can be written without
// the file's times being touched at once.

import path from 'node:path';
import { Cancelled } from './command.ts';
import { hashFile, openHashing, stampFile } from './files.ts';
import type { GateMember } from './request.ts';

/** The first file of these members that is not the one that was judged, or null. */
export async function changedSinceJudged(
  root: string,
  members: readonly GateMember[],
  signal: AbortSignal,
): Promise<string | null> {
  const hashing = openHashing(signal);
  for (const { stamps, files } of members) {
    for (const [file, stamp] of Object.entries(stamps)) {
      const now = await stampFile(root, file).catch(() => null);
      if (now !== stamp) return file;
      const hash = await hashFile(root, path.join(root, file), hashing).catch((error: unknown) => {
        if (error instanceof Cancelled) throw error;
        return null;
      });
      if (hash !== files[file]) return file;
    }
  }
  return null;
}
