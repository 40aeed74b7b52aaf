// Whether the judged files are still the same. Their stamps nearly always show it, but the
// content is read again, too: a stamp can be forged by setting the clock back, and a write to
// a memory-mapped page may not update the file's times at once.

import path from 'node:path';
import { Cancelled } from './command.ts';
import type { GateMember } from './request.ts';
import { hashFile, openHashing, stampFile } from './submitted-files.ts';

/** The first file of these members that has changed since it was judged, or null. */
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
