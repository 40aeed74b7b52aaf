// The store on PostgreSQL: the journal of one workspace in a database that servers on several
// machines share, with the workspace's keys, the leases of live processes, migrations and health.
//
// Opening does not connect. Every operation connects when it needs to, waits for an unavailable
// database as long as its call may wait, and then fails with `store_unavailable` or
// `store_outcome_unknown` (`unavailable.ts`). So a server starts with any address and recovers by
// itself.

import type { Processes } from '../../core/session/ownership.ts';
import type { Journal } from '../journal.ts';
import type { Head, LineStore } from '../line-store.ts';
import type { Verified } from '../verify.ts';
import type { Diagnosis } from './diagnose.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=…` */
  readonly url: string;
  /** `deepwork` by default; letters, digits and `_`. */
  readonly schema?: string;
  /** The name of the workspace, the same on every machine. */
  readonly workspace: string;
  /** 30 by default; renewed after a third of it. */
  readonly leaseSeconds?: number;
  /** Creates nothing in the database; what is not there yet is read as empty. */
  readonly readOnly?: boolean;
  /** The processes of this machine, for leases; without them no lease is held. */
  readonly processes?: Processes;
  /** The agent that this process works for. */
  readonly agent?: string;
}

/** Derived from the workspace's key in the database, one for each purpose. */
export interface WorkspaceKeys {
  /** Seals lines of the journal. */
  readonly journal: Buffer;
  /** Signs forms that a client carries from call to call. */
  readonly forms: Buffer;
  /** Signs review codes. */
  readonly reviews: Buffer;
}

export interface StoreHealth {
  readonly ok: boolean;
  /** A sentence without credentials; null if there is none. */
  readonly problem: string | null;
}

export interface StoreLease {
  readonly host: string;
  readonly process: string;
  readonly agent: string | null;
  readonly expiresInSeconds: number;
}

export interface StoreStatus
  extends Pick<
    Diagnosis,
    | 'address'
    | 'schema'
    | 'workspace'
    | 'serverVersion'
    | 'migration'
    | 'newestMigration'
    | 'mayMigrate'
  > {
  readonly streams: number;
  readonly events: number;
  readonly leases: readonly StoreLease[];
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

export type VerifiedRows = Pick<Verified, 'events' | 'lastAt' | 'damage'>;

export interface WantedStreams {
  readonly names: readonly string[];
  /** All streams below it. */
  readonly prefix: string;
}

/** Its lines are copied with the journal's key, `keys().journal`. */
export interface PostgresStore extends LineStore {
  /** Its name, the same on every machine. */
  readonly workspace: string;
  readonly journal: Journal;
  /** The processes that act, and whether they are alive, by their leases. */
  readonly processes: Processes;
  /** Created by the first process that opens the workspace to write. */
  keys(): Promise<WorkspaceKeys>;
  /** The same without a query; null before `keys` has returned. */
  knownKeys(): WorkspaceKeys | null;
  /** Queries the database now; takes at most a second or two. */
  health(): Promise<StoreHealth>;
  status(): Promise<StoreStatus>;
  /** Checks versions, rights and clocks; changes nothing. */
  diagnose(): Promise<Diagnosis>;
  /** Brings the schema up to date; only this needs the right to create tables. */
  migrate(): Promise<Migrated>;
  /** Those of these streams that are not there, without listing all others. */
  missing(streams: readonly string[]): Promise<readonly string[]>;
  /**
   * Heads of the streams that changed since a mark of the journal, and of the wanted ones, without
   * listing all others; null if the mark is not from this database.
   */
  changedSince(mark: string, wanted: WantedStreams): Promise<readonly Head[] | null>;
  /** Verifies every line, every link, and the copies in other columns. */
  verify(stream: string): Promise<VerifiedRows>;
  /** Removes these streams, each only if this is still its last event. */
  remove(heads: readonly Head[]): Promise<void>;
  /** Gives up the lease and closes every connection. May be called twice. */
  close(): Promise<void>;
}
