// Where the journal of a project is kept: in files, or in a database that its machines share. The
// person's environment (`DEEPWORK_DATABASE_URL`) overrides the project's config, which needs
// trust: a repository must not make a server connect to an address, or join a workspace, without
// its person's agreement. Values that cannot be read or are not agreed to are refused, and files
// are never used instead: work recorded there would be missing on the other machines.

import { type Refused, refusedWith } from '../core/refusal.ts';
import { realPathOf } from '../files/real-path.ts';
import { nameByOrigin } from './git/origin.ts';
import { DEFAULT_SCHEMA, isStoreAddress, type StoreConfig } from './settings/store-config.ts';
import { type ProjectFolders, workspaceId } from './workspace-id.ts';

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
export function workspaceName(folders: ProjectFolders): string | null {
  return nameByOrigin(realPathOf(folders.paths.root)) ?? workspaceId(folders);
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
