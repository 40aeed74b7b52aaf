// Reclaims a quarantined stream at the request of a person: a journal from another machine, or
// whose key was lost, may still be this user's. Its signatures cannot be verified, but everything
// else must be in order: the lines must be consecutive events. They are signed again, and get the
// stream's name only if no other file has it. The quarantined file is kept unchanged under a name
// that is no longer listed.

import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../files/system-errors.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { openFolders } from './folders.ts';
import type { StoredEvent } from './journal.ts';
import { FOLD_START, type FoldState } from './judge-lines.ts';
import { checkEvent, writeLine } from './line.ts';
import { scan } from './scan.ts';
import { sealOf, UNPROVED } from './seal.ts';
import { closeQuietly, openStreamFile, writeAll } from './stream-file.ts';
import { fileOf, QUARANTINE, setAsideOf } from './stream-name.ts';

export interface Quarantined {
  /** Relative to the journal's folder. */
  readonly name: string;
  readonly stream: string;
  /** The number of events, and the times of the first and the last. */
  readonly events: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Why it cannot be taken over; null if it can. */
  readonly damage: string | null;
}

export type Reclaimed =
  | { readonly kind: 'taken over'; readonly events: number }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** Another file has the stream's name. */
  | { readonly kind: 'in the way' };

/** All quarantined files, oldest first. */
export async function listQuarantined(
  folder: string,
  layer: FileLayer = realFileLayer,
): Promise<Quarantined[]> {
  const root = resolve(folder);
  await openFolders(root, layer).check(join(root, QUARANTINE));
  const found: Quarantined[] = [];
  for (const entry of await layer.list(join(root, QUARANTINE))) {
    const stream = setAsideOf(entry.name);
    if (entry.kind !== 'file' || stream === null) continue;
    const name = `${QUARANTINE}/${entry.name}`;
    const summary = { events: 0, from: null as string | null, to: null as string | null };
    const damage = await readUnproved(layer, stream, join(root, name), (event) => {
      summary.events = event.seq;
      summary.from ??= event.at;
      summary.to = event.at;
    });
    found.push({ name, stream, ...summary, damage });
  }
  return found.sort((a, b) => (tailOf(a.name) < tailOf(b.name) ? -1 : 1));
}

export async function reclaim(
  folder: string,
  { name, stream }: Pick<Quarantined, 'name' | 'stream'>,
  key: Buffer,
  layer: FileLayer = realFileLayer,
): Promise<Reclaimed> {
  const root = resolve(folder);
  const folders = openFolders(root, layer);
  const path = join(root, fileOf(stream));
  await folders.check(join(root, QUARANTINE));
  await folders.make(dirname(path));

  const seal = sealOf(key, stream);
  const copy = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = await layer.open(copy, 'making');
  try {
    let last: Pick<FoldState, 'seq' | 'hash'> = FOLD_START;
    let text: Buffer[] = [];
    const damage = await readUnproved(layer, stream, join(root, name), (event) => {
      const line = writeLine(checkEvent(event), event.seq, last.hash, seal);
      last = { seq: event.seq, hash: line.hash };
      text.push(line.bytes);
    });
    if (damage !== null) return { kind: 'damaged', reason: damage };
    const bytes = Buffer.concat(text);
    text = [];
    await writeAll(file, bytes);
    await file.sync();
    await layer.link(copy, path);
    await folders.makeDurable(dirname(path));
    await layer.move(join(root, name), join(root, `${name}.taken-over`));
    return { kind: 'taken over', events: last.seq };
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return { kind: 'in the way' };
    throw error;
  } finally {
    await closeQuietly(file);
    await layer.removeName(copy).catch(() => {});
  }
}

/** Passes on each event; returns the problem, or null. */
async function readUnproved(
  layer: FileLayer,
  stream: string,
  path: string,
  each: (event: StoredEvent) => void,
): Promise<string | null> {
  const opened = await openStreamFile(layer, stream, path, 'reading');
  if (opened === null) return 'it is gone';
  try {
    for await (const { events, damage } of scan(opened.file, FOLD_START, UNPROVED)) {
      for (const event of events) each(event);
      if (damage !== null) return `line ${damage.line}: ${damage.reason}`;
    }
    return null;
  } catch (error) {
    // Times and types are validated again when a line is written.
    return (error as Error).message;
  } finally {
    await closeQuietly(opened.file);
  }
}

/** The time in the name of a file that was set aside. */
function tailOf(name: string): string {
  return name.slice(-'20250131T235959123Z-0f1e2d3c.jsonl'.length);
}
