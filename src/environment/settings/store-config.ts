// Where the journal is kept, as `.deepwork/config.yml` says: `store`, `store_schema`,
// `store_lease_seconds` and `workspace`. A value that cannot be read does not count as absent,
// because then work would go to files that no other machine sees; it is noted, and refused
// where the store is chosen (`environment/store-choice.ts`). An address may hold a password, so
// no message repeats it.

import { type Read, text } from '../../definitions/reader/fields.ts';
import type { Report } from '../../definitions/reader/issues.ts';
import { countUpTo, setting } from './config-fields.ts';

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

/** A lease that a machine can be late for, and that others can still wait for. */
const MAX_LEASE_SECONDS = 3600;
const MAX_ADDRESS = 2000;
const MAX_WORKSPACE = 300;

/** PostgreSQL cuts longer names off. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const ADDRESS = /^postgres(?:ql)?:\/\/[^\s\p{Cc}]+$/u;
const WORKSPACE = /^[^\s\p{Cc}]+(?: [^\s\p{Cc}]+)*$/u;

/** Whether a text is an address that the store could be at. */
export function isStoreAddress(value: string): boolean {
  return value.length <= MAX_ADDRESS && ADDRESS.test(value);
}

function textLike(fits: (value: string) => boolean, expected: string): Read<string | null> {
  return (node, path, to) => {
    let wrong = false;
    const { value } = text(
      node,
      path,
      noting(to, () => (wrong = true)),
    );
    if (wrong || fits(value)) return wrong ? null : value;
    to.add('wrong_value', path, expected);
    return null;
  };
}

function noting(to: Report, note: () => void): Report {
  return {
    add: (...issue) => {
      note();
      to.add(...issue);
    },
    full: to.full,
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
        (value) => value.length <= MAX_WORKSPACE && WORKSPACE.test(value),
        `expected a name of up to ${MAX_WORKSPACE} characters, such as github.com/example/project`,
      ),
    ),
  ),
};

/** Tells a value that cannot be read from one that was not given. */
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
  const [, scheme = '', place = '', , query = ''] = /^(.*?:\/\/)([^?]*)(\?(.*))?$/.exec(url) ?? [];
  const at = place.lastIndexOf('@');
  const user = at === -1 ? '' : `${place.slice(0, at).split(':', 1)[0]}@`;
  const kept = query.split('&').filter((each) => each !== '' && !/^password=/i.test(each));
  return `${scheme}${user}${place.slice(at + 1)}${kept.length === 0 ? '' : `?${kept.join('&')}`}`;
}
