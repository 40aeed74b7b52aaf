// The store on PostgreSQL: the journal of one workspace in a database that several servers on
// several machines share, with what belongs to it: the workspace's keys, the leases that tell
// who is still at work, migrations and health.
//
// Opening does not connect. Every operation connects when it needs to, waits for a database
// that is away as long as its call may wait, and then fails with `store_unavailable` or
// `store_outcome_unknown` (`unavailable.ts`). So a server starts with any address and recovers
// by itself.

import type { Processes } from '../../core/session/ownership.ts';
import type { Journal } from '../journal.ts';
import type { Head, StoredLine } from '../line-store.ts';
import type { Diagnosis } from './diagnose.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=…` */
  readonly url: string;
  /** `deepwork` by default; letters, digits and `_`. */
  readonly schema?: string;
  /** The name of the workspace, the same on every machine. */
  readonly workspace: string;
  /** 30 by default; renewed at a third of it. */
  readonly leaseSeconds?: number;
  /** Those of this machine, for leases; without them none is held. */
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
  /** Why not, in a sentence without credentials; null if it is well. */
  readonly problem: string | null;
}

export interface StoreLease {
  readonly host: string;
  readonly process: string;
  readonly agent: string | null;
  readonly expiresInSeconds: number;
}

export interface StoreStatus {
  /** The address without user, password and parameters. */
  readonly address: string;
  readonly schema: string;
  readonly workspace: string;
  /** Of PostgreSQL, such as `15.4`. */
  readonly serverVersion: string;
  /** The newest migration in the database, and the newest that this program knows. */
  readonly migration: number;
  readonly newestMigration: number;
  readonly streams: number;
  readonly events: number;
  readonly leases: readonly StoreLease[];
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

export interface VerifiedRows {
  /** Up to the damage, if there is any. */
  readonly events: number;
  readonly lastAt: string | null;
  readonly damage: { readonly line: number; readonly reason: string } | null;
}

export interface WantedStreams {
  readonly names: readonly string[];
  /** All streams below it. */
  readonly prefix: string;
}

export interface PostgresStore {
  /** Its name, the same on every machine. */
  readonly workspace: string;
  readonly journal: Journal;
  /** Who acts, and whether those who acted still do: by leases. */
  readonly processes: Processes;
  /** Made by whoever opens the workspace first. */
  keys(): Promise<WorkspaceKeys>;
  /** The same without asking the database; null before `keys` was answered. */
  knownKeys(): WorkspaceKeys | null;
  /** Asks the database now; takes at most a second or two. */
  health(): Promise<StoreHealth>;
  status(): Promise<StoreStatus>;
  /** The same for one who wants to know whether all is as it has to be; changes nothing. */
  diagnose(): Promise<Diagnosis>;
  /** Brings the schema up to date; the only thing that needs rights to create. */
  migrate(): Promise<Migrated>;
  /** Every stream of the workspace with the number and hash of its last event, in name order. */
  heads(): Promise<readonly Head[]>;
  /**
   * Heads of the streams that changed since a mark of the journal, and of those that are wanted
   * besides, without listing all others; null if the mark is not of this database's past.
   */
  changedSince(mark: string, wanted: WantedStreams): Promise<readonly Head[] | null>;
  /** Every line, every link, and the copies in other columns. */
  verify(stream: string): Promise<VerifiedRows>;
  /** Lines as they are, for copying. */
  lines(stream: string, afterSeq: number): AsyncIterable<StoredLine>;
  /**
   * Stores a line that was sealed with this workspace's journal key (`line.ts`, `reseal`), if
   * it continues the stream. False if the stream is elsewhere by now.
   */
  putLine(stream: string, line: StoredLine): Promise<boolean>;
  /** Removes these streams, each whole and only if this is still its last event. */
  remove(heads: readonly Head[]): Promise<void>;
  /** Gives the lease back and closes every connection. May be called twice. */
  close(): Promise<void>;
}
