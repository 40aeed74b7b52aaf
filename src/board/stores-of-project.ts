// The stores in which the journal of a project can be, for the commands that move it.

import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openContainment } from '../environment/containment.ts';
import { openGitIndex } from '../environment/git/git-index.ts';
import { OWN_IGNORED, pathsOf } from '../environment/paths.ts';
import { storeOfProject } from '../environment/project-store.ts';
import { journalKey, keyFile, knownJournalKey } from '../environment/signing-key.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { type CopyResult, copyStreams } from '../journal/copy-streams.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import { openFileLines } from '../journal/file-lines.ts';
import { openOnlyInFiles } from '../journal/left-in-files.ts';
import type { LineStore } from '../journal/line-store.ts';
import { listStreams } from '../journal/list-streams.ts';
import { openPostgresStore } from '../journal/postgres/open.ts';
import type { PostgresStore, StoreStatus } from '../journal/postgres/store.ts';
import { storeWarnings } from './store-warnings.ts';

export type { CopyResult, PostgresStore, StoreStatus };

export interface CopyWay {
  readonly from: 'files' | 'postgres';
  readonly to: 'files' | 'postgres';
}

export function copyJournal(
  projectRoot: string,
  env: NodeJS.ProcessEnv,
  database: PostgresStore,
  { from, to }: CopyWay,
): Promise<CopyResult> {
  const stores = {
    files: openFiles(projectRoot, env, to === 'files'),
    postgres: database,
  };
  return copyStreams(stores[from], stores[to]);
}

/** The names of the streams in files, without reading them. */
export async function namesInFiles(projectRoot: string): Promise<readonly string[]> {
  const { root, journal } = pathsOf(projectRoot);
  const layer = checkedLayer(realFileLayer, openContainment(root, () => {}).require);
  const names: string[] = [];
  for await (const { stream } of listStreams(journal, layer, '')) names.push(stream);
  return names;
}

/** What people should know about this store; a command is on a line of its own. */
export async function warningsOfStore(
  projectRoot: string,
  database: PostgresStore,
): Promise<readonly string[]> {
  const paths = pathsOf(projectRoot);
  const layer = checkedLayer(realFileLayer, openContainment(paths.root, () => {}).require);
  return storeWarnings(paths, database, openOnlyInFiles(paths.journal, layer));
}

/** Null if the journal is kept in files. `readOnly`: creates nothing, here or in the database. */
export async function openDatabaseOfProject(
  projectRoot: string,
  env: NodeJS.ProcessEnv,
  readOnly: boolean,
): Promise<PostgresStore | null> {
  const paths = pathsOf(projectRoot);
  const { require } = openContainment(paths.root, () => {});
  const prepare = () => {
    require(paths.own);
    ignoreInGit(paths.own, OWN_IGNORED);
  };
  const choice = await storeOfProject({ paths, env, ...(!readOnly && { prepare }) });
  return choice.kind === 'files' ? null : openPostgresStore({ ...choice, readOnly });
}

/** For a target, a key is created if the user has none. */
function openFiles(projectRoot: string, env: NodeJS.ProcessEnv, isTarget: boolean): LineStore {
  const file = keyFile(env);
  const paths = pathsOf(projectRoot);
  const { require } = openContainment(paths.root, () => {});
  const files = openFileLines(paths.journal, {
    // Without a key nothing here was written by this user.
    key: () => (isTarget ? journalKey(file) : (knownJournalKey(file) ?? Buffer.alloc(32))),
    cameWithClone: openGitIndex(paths.journal),
    layer: checkedLayer(realFileLayer, require),
  });
  return {
    ...files,
    async put(stream, lines) {
      forgetMarks(paths.tmp);
      await files.put(stream, lines);
    },
  };
}

/** Copied sessions may be open without having a mark (`sessions/open-marks.ts`). */
function forgetMarks(folder: string): void {
  const marks = path.join(folder, 'open');
  if (lstatSync(marks, { throwIfNoEntry: false })?.isDirectory()) {
    rmSync(path.join(marks, 'complete'), { force: true });
  }
}
