// Where the journal is kept: the keys `store`, `store_schema`, `store_lease_seconds` and
// `workspace` of `.deepwork/config.yml`. A value that cannot be read does not count as absent,
// because then work would go to files that no other machine sees; `environment/store-choice.ts`
// refuses it. An address may contain a password, so no message repeats it.

import { type Read, text } from '../../definitions/reader/fields.ts';
import { countUpTo, readChecked, setting } from './config-fields.ts';

export interface StoreConfig {
  /** The address of a database; null: the journal is kept in files. */
  readonly url: string | null;
  readonly schema: string | null;
  readonly leaseSeconds: number | null;
  /** The name of the workspace in the database; null: derived from the repository. */
  readonly workspace: string | null;
  /** Keys that were given and cannot be read. */
  readonly unreadable: readonly string[];
  /** Keys whose values no person has agreed to. */
  readonly held: readonly string[];
}

export const NO_STORE: StoreConfig = {
  url: null,
  schema: null,
  leaseSeconds: null,
  workspace: null,
  unreadable: [],
  held: [],
};

export const DEFAULT_SCHEMA = 'deepwork';

/** Other machines wait for a lease to expire before they take over. */
const MAX_LEASE_SECONDS = 3600;
const MAX_ADDRESS_LENGTH = 2000;
const MAX_WORKSPACE_LENGTH = 300;

/** PostgreSQL truncates longer names. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const ADDRESS = /^postgres(?:ql)?:\/\/[^\s\p{Cc}]+$/u;
const WORKSPACE = /^[^\s\p{Cc}]+(?: [^\s\p{Cc}]+)*$/u;

/** Whether a text has the form of a store's address. */
export function isStoreAddress(value: string): boolean {
  return value.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(value);
}

function textLike(fits: (value: string) => boolean, expected: string): Read<string | null> {
  return (node, path, to) => {
    const { value, isValid } = readChecked(text, node, path, to);
    if (!isValid) return null;
    if (fits(value.value)) return value.value;
    to.add('wrong_value', path, expected);
    return null;
  };
}

export const STORE_FIELDS = {
  store: setting(
    given(textLike(isStoreAddress, 'expected an address such as postgres://db.example.org/work')),
  ),
  store_schema: setting(
    given(textLike((value) => SCHEMA.test(value), 'expected a name of a-z, 0-9 and _')),
  ),
  store_lease_seconds: setting(countUpTo(MAX_LEASE_SECONDS)),
  workspace: setting(
    given(
      textLike(
        (value) => value.length <= MAX_WORKSPACE_LENGTH && WORKSPACE.test(value),
        `expected a name of up to ${MAX_WORKSPACE_LENGTH} characters, such as github.com/example/project`,
      ),
    ),
  ),
};

/** Distinguishes a value that cannot be read from an absent one. */
interface Given {
  readonly value: string | null;
}

function given(read: Read<string | null>): Read<Given> {
  return (node, path, to) => ({ value: read(node, path, to) });
}

export function storeConfig(fields: {
  readonly store: Given | null;
  readonly store_schema: Given | null;
  readonly store_lease_seconds: number | null;
  readonly workspace: Given | null;
}): StoreConfig {
  const { store, store_schema, workspace } = fields;
  const texts = Object.entries({ store, store_schema, workspace });
  return {
    url: store?.value ?? null,
    schema: store_schema?.value ?? null,
    leaseSeconds: fields.store_lease_seconds,
    workspace: workspace?.value ?? null,
    unreadable: texts.flatMap(([key, found]) => (found?.value === null ? [key] : [])),
    held: [],
  };
}

/**
 * An address without its password, for a person to agree to. Everything before the last `@`
 * counts as user and password, so that a password with odd characters is not shown either.
 */
export function withoutPassword(url: string): string {
  const [, scheme = '', rest = '', , query = ''] = /^(.*?:\/\/)([^?]*)(\?(.*))?$/.exec(url) ?? [];
  const at = rest.lastIndexOf('@');
  const user = at === -1 ? '' : `${rest.slice(0, at).split(':', 1)[0]}@`;
  const kept = query.split('&').filter((each) => each !== '' && !/^password=/i.test(each));
  return `${scheme}${user}${rest.slice(at + 1)}${kept.length === 0 ? '' : `?${kept.join('&')}`}`;
}
