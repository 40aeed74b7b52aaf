// Notices changes by other processes below the journal's folder.
//
// The system reports changes of one folder, so each folder is watched on its own: the
// journal's, and those below it as they appear. Existing folders are watched before
// `watchFolder` returns, so that no change is missed. Twice a second a poll finds what the
// system does not report: that the journal's folder was created, or removed and created
// again. If a folder cannot be watched at all (the machine has no watches left), the same poll
// compares the versions of all streams. Nothing here keeps the process alive.

import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { journalFileIdentity } from './file-layer.ts';
import type { StreamInfo, Unsubscribe } from './journal.ts';
import { isAside, isStreamName, streamOf } from './stream-name.ts';

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

const POLL_MS = 500;
const MAX_FOLDERS = 256;

export function watchFolder(
  root: string,
  listStreams: () => AsyncIterable<StreamInfo>,
  changed: (stream: string) => void,
): Unsubscribe {
  const watched = new Map<string, Watched>();
  const unwatchable = new Set<string>();
  let versions = new Map<string, string>();
  let comparing = false;
  let stopped = false;

  function identify(folder: string): string | null {
    const stats = lstatSync(join(root, folder), { throwIfNoEntry: false });
    return stats?.isDirectory() ? journalFileIdentity(stats) : null;
  }

  function detach(folder: string): void {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  }

  function attach(folder: string, report: boolean): void {
    unwatchable.delete(folder);
    try {
      const identity = identify(folder);
      if (watched.get(folder)?.identity === identity) return;
      detach(folder);
      if (identity === null) return;
      if (watched.size >= MAX_FOLDERS) throw new Error('too many folders');
      const path = join(root, folder);
      const watcher = watch(path, { persistent: false }, (_, name) => notice(folder, name));
      watcher.on('error', () => detach(folder));
      watched.set(folder, { watcher, identity });
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const name = nameIn(folder, entry.name);
        if (entry.isDirectory() && isFolderOfStreams(name)) attach(name, report);
        const stream = streamOf(name);
        if (report && stream !== null) changed(stream);
      }
    } catch {
      unwatchable.add(folder);
    }
  }

  function notice(folder: string, entry: string | null): void {
    if (entry === null) return void compare();
    const name = nameIn(folder, entry);
    const stream = streamOf(name);
    if (stream !== null) changed(stream);
    else if (isFolderOfStreams(name)) attach(name, true);
  }

  async function compare(): Promise<void> {
    if (comparing) return;
    comparing = true;
    try {
      const seen = new Map<string, string>();
      for await (const { stream, version } of listStreams()) seen.set(stream, version);
      if (stopped) return;
      const names = new Set([...versions.keys(), ...seen.keys()]);
      for (const name of names) if (versions.get(name) !== seen.get(name)) changed(name);
      versions = seen;
    } catch {
      // If listing fails, the next poll tries again.
    } finally {
      comparing = false;
    }
  }

  function poll(): void {
    for (const folder of new Set(['', ...watched.keys(), ...unwatchable])) attach(folder, true);
    if (unwatchable.size > 0) void compare();
  }

  attach('', false);
  const timer = setInterval(poll, POLL_MS).unref();

  return () => {
    stopped = true;
    clearInterval(timer);
    for (const folder of [...watched.keys()]) detach(folder);
  };
}

function nameIn(folder: string, entry: string): string {
  return folder === '' ? entry : `${folder}/${entry}`;
}

function isFolderOfStreams(name: string): boolean {
  return !isAside(name) && isStreamName(name);
}
