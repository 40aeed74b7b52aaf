// Where the journal of a project is kept: in files, or in a database that its machines share. The
// person's environment (`DEEPWORK_DATABASE_URL`) overrides the project's config, which needs
// trust: a repository must not make a server connect to an address, or join a workspace, without
// its person's agreement. Values that cannot be read or are not agreed to are refused, and files
// are never used instead: work recorded there would be missing on the other machines.

import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Refused, refusedWith } from '../core/refusal.ts';
import { readSmallText } from '../files/read-contained.ts';
import { realPathOf } from '../files/real-path.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { nameByOrigin } from './git/origin.ts';
import type { Paths } from './paths.ts';
import { DEFAULT_SCHEMA, isStoreAddress, type StoreConfig } from './settings/store-config.ts';

const DATABASE_URL = 'DEEPWORK_DATABASE_URL';

export type StoreChoice =
  | { readonly kind: 'files' }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      readonly from: 'environment' | 'config';
      readonly schema: string;
      readonly leaseSeconds: number;
      /** Empty for callers that only read, if it has no name yet; so nothing is recorded there. */
      readonly workspace: string;
    };

const DEFAULT_LEASE_SECONDS = 30;
const MAX_ID_BYTES = 200;
const ID = /^[0-9a-f]{32}$/;

export interface ProjectFolders {
  readonly paths: Pick<Paths, 'root' | 'own'>;
  /** Called before anything is written under `.deepwork`; callers that only read omit it. */
  readonly prepare?: () => void;
}

/** Throws a refusal if it is unclear, or not agreed to, where the journal is. */
export function chooseStore(
  store: StoreConfig,
  env: NodeJS.ProcessEnv,
  folders: ProjectFolders,
): StoreChoice {
  const given = env[DATABASE_URL] || null;
  const { held, unreadable, schema, leaseSeconds, workspace } = store;
  const matters = (key: string) => given === null || key !== 'store';
  const unclear = unreadable.filter(matters);
  if (given === null && store.url === null && ![...held, ...unreadable].includes('store')) {
    return { kind: 'files' };
  }
  if (unclear.length > 0) throw cannotRead(unclear);
  if (held.some(matters)) throw notAgreed(held.filter(matters));
  if (given !== null && !isStoreAddress(given)) throw notAnAddress();
  return {
    kind: 'postgres',
    url: given ?? (store.url as string),
    from: given === null ? 'config' : 'environment',
    schema: schema ?? DEFAULT_SCHEMA,
    leaseSeconds: leaseSeconds ?? DEFAULT_LEASE_SECONDS,
    workspace: workspace ?? workspaceName(folders) ?? '',
  };
}

/** The same in every checkout of a repository that has an `origin`; else this folder's own. */
export function workspaceName({ paths, prepare }: ProjectFolders): string | null {
  return nameByOrigin(realPathOf(paths.root)) ?? ownId(paths.own, prepare);
}

function ownId(folder: string, prepare: (() => void) | undefined): string | null {
  const file = path.join(folder, 'workspace.id');
  const known = readId(file);
  if (known !== null || prepare === undefined) return known;
  prepare();
  const id = randomBytes(16).toString('hex');
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(temporary, `${id}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(temporary, file);
    syncFolder(folder);
    return id;
  } catch (error) {
    // If several processes create an id at once, all use the first one.
    const first = readId(file);
    if (first !== null) return first;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readId(file: string): string | null {
  const text = readSmallText(file, MAX_ID_BYTES)?.trim() ?? '';
  return ID.test(text) ? text : null;
}

function cannotRead(keys: readonly string[]): Refused {
  return refusedWith(
    'config_invalid',
    `.deepwork/config.yml says where the journal is, but ${list(keys)} cannot be read`,
    'correct .deepwork/config.yml (`deepwork lint` shows what is wrong) and call again.',
  );
}

function notAgreed(keys: readonly string[]): Refused {
  return refusedWith(
    'store_not_trusted',
    `${list(keys)} in .deepwork/config.yml ${keys.length === 1 ? 'is' : 'are'} not what a person has agreed to, so the database is not used. Nothing was recorded in files instead`,
    `ask your user to look at it with \`deepwork trust\`, or to set ${DATABASE_URL}; then call again.`,
  );
}

function notAnAddress(): Refused {
  return refusedWith(
    'store_invalid',
    `${DATABASE_URL} is not an address such as postgres://db.example.org/work`,
    `ask your user to correct ${DATABASE_URL} and to start the server again.`,
  );
}

function list(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(' and ');
}
