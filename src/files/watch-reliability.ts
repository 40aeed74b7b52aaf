// When the silence of a watched folder means that nothing happened. Both libraries that
// watch folders, guides and knowledge, rely on this and on nothing less:
//   - on Linux the kernel queues an event before the call that causes it returns, so an
//     edit made before a request is in the queue when the request is read;
//   - on file systems that nobody changes from another machine, or from below;
//   - as long as the queue cannot have overflowed. The system drops events then, and Node
//     does not tell; but an overflow is read together with a queue full of events, and the
//     kernel counts what a process reads. Less than a queue's worth read: nothing lost.

import { readFileSync, statfsSync } from 'node:fs';

export interface QueueGuard {
  /** True if events may have been dropped since the last time it was asked. */
  lost(): boolean;
}

/** bcachefs, btrfs, ext, f2fs, ramfs, tmpfs, xfs, zfs: by their magic numbers. */
const LOCAL = new Set([
  0xca451a4e, 0x9123683e, 0xef53, 0xf2f52010, 0x858458f6, 0x01021994, 0x58465342, 0x2fc12fc1,
]);
const SMALLEST_EVENT_BYTES = 16;

export function isOnLocalDisk(folder: string): boolean {
  return LOCAL.has(statfsSync(folder).type);
}

/** Null where silence would mean nothing. */
export function openQueueGuard(): QueueGuard | null {
  const queue = watchLimit('max_queued_events');
  const start = bytesRead();
  if (process.platform !== 'linux' || queue === null || start === null) return null;
  let before = start;
  return {
    lost() {
      const now = bytesRead();
      const lost = now === null || now - before >= queue * SMALLEST_EVENT_BYTES;
      before = now ?? 0;
      return lost;
    },
  };
}

/** What the system grants to one user. */
export function watchLimit(name: 'max_queued_events' | 'max_user_watches'): number | null {
  return readNumber(`/proc/sys/fs/inotify/${name}`, /^(\d+)/);
}

/**
 * Ends when every event that was queued before it began has been told. The first turn may
 * end the very round of the event loop that is under way; the second is a whole round.
 */
export async function settleEvents(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** By this process, ever, from whatever it reads. */
function bytesRead(): number | null {
  return readNumber('/proc/self/io', /^rchar: (\d+)/m);
}

function readNumber(file: string, pattern: RegExp): number | null {
  try {
    const found = pattern.exec(readFileSync(file, 'latin1'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}
