// Opens the store on PostgreSQL from its parts.

import { createHash } from 'node:crypto';
import type { Processes } from '../../core/session/ownership.ts';
import { readEvent } from '../line.ts';
import { StreamMoved } from '../line-store.ts';
import { createNotifier } from '../notify.ts';
import { checkStreamName } from '../stream-name.ts';
import { openAppend } from './append.ts';
import { openChanges } from './changes.ts';
import { openDatabase } from './database.ts';
import { diagnose } from './diagnose.ts';
import { openHeads } from './heads.ts';
import { openPostgresJournal } from './journal.ts';
import { openKeyRing } from './keys.ts';
import { openLeases } from './leases.ts';
import { pagesOfLines } from './lines.ts';
import { removeStreams } from './remove.ts';
import { NEWEST } from './schema.ts';
import type { PostgresOptions, PostgresStore, StoreStatus } from './store.ts';
import { openVerify } from './verify.ts';
import { openWakeUp } from './wake-up.ts';

const DEFAULT_SCHEMA = 'deepwork';
const DEFAULT_LEASE_SECONDS = 30;

export function openPostgresStore(options: PostgresOptions): PostgresStore {
  const { url, schema = DEFAULT_SCHEMA, workspace, readOnly = false } = options;
  const db = openDatabase(url, schema, readOnly);
  const notifier = createNotifier();
  const channel = channelOf(schema, workspace);
  const keyRing = openKeyRing(db, workspace, readOnly);
  const heads = openHeads(db, workspace, notifier.changed);
  const leases = openLeases({
    db,
    workspace,
    agent: options.agent ?? null,
    seconds: options.leaseSeconds ?? DEFAULT_LEASE_SECONDS,
    system: options.processes ?? NO_PROCESSES,
  });
  const changes = openChanges(db, workspace, `${db.address}/${schema}/${workspace}`);
  const wakeUp = openWakeUp({
    url,
    channel,
    refresh: heads.refresh,
    onWake(stream) {
      heads.invalidate();
      notifier.changed(stream);
    },
  });
  const append = openAppend(db, workspace, channel);
  const journal = openPostgresJournal({
    db,
    workspace,
    keyRing,
    append,
    notifier,
    heads: {
      ...heads,
      // Leases are refreshed together with the heads.
      refresh: async () => {
        await Promise.all([heads.refresh(), options.processes ? leases.refresh() : null]);
      },
    },
    listen: wakeUp.start,
    hold: async () => {
      if (options.processes) await leases.hold();
    },
    mark: () => changes.markOf(heads.upTo()),
  });
  let closing: Promise<void> | undefined;

  async function status(): Promise<StoreStatus> {
    const found = await diagnose(db, schema, workspace);
    const { address, serverVersion, migration, newestMigration, mayMigrate } = found;
    const [count] = await db.query<{ streams: string; events: string }>(
      `select count(*) as streams, coalesce(sum(seq), 0) as events
       from ${db.schema}stream where workspace = $1`,
      [workspace],
    );
    return {
      address,
      schema,
      workspace,
      migration,
      newestMigration,
      mayMigrate,
      serverVersion,
      streams: Number(count?.streams ?? 0),
      events: Number(count?.events ?? 0),
      leases: await leases.list(),
    };
  }

  async function close(): Promise<void> {
    await journal.close();
    wakeUp.stop();
    await leases.end();
    await db.close();
  }

  return {
    workspace,
    journal,
    processes: leases.processes,
    key: async () => (await keyRing.keys()).journal,
    keys: keyRing.keys,
    knownKeys: keyRing.known,
    async health() {
      try {
        await db.probe();
        return { ok: true, problem: null };
      } catch (error) {
        return { ok: false, problem: db.refusalOf(error).message };
      }
    },
    status,
    diagnose: () => diagnose(db, schema, workspace),
    async migrate() {
      return { from: await db.migrate(), to: NEWEST };
    },
    async heads() {
      await heads.refresh();
      return heads.names('').flatMap((stream) => {
        const head = heads.of(stream);
        return head === undefined ? [] : [{ stream, ...head }];
      });
    },
    async missing(streams) {
      const rows = await db.query<{ name: string }>(
        `select name from ${db.schema}stream where workspace = $1
           and name in (select json_array_elements_text($2::text::json))`,
        [workspace, JSON.stringify(streams)],
      );
      const there = new Set(rows.map(({ name }) => name));
      return streams.filter((stream) => !there.has(stream));
    },
    async changedSince(mark, wanted) {
      const asked = [
        changes.since(mark, wanted),
        options.processes ? leases.refresh() : null,
      ] as const;
      return (await Promise.all(asked))[0];
    },
    verify: openVerify(db, workspace, keyRing),
    async *lines(stream, afterSeq) {
      checkStreamName(stream);
      for await (const page of pagesOfLines(db, workspace, stream, afterSeq + 1)) yield* page;
    },
    async put(stream, lines) {
      checkStreamName(stream);
      for await (const { text } of lines) {
        const event = readEvent(Buffer.from(text));
        if (event === null) throw new TypeError('Not a line of a journal');
        const { seq, prev, hash, type, at } = event;
        const data = JSON.stringify(event.data);
        const isPlaced = await append({ stream, seq, prev, hash, type, at, text, data });
        if (!isPlaced) throw new StreamMoved(stream);
        heads.placed(stream, { seq, hash });
      }
    },
    remove: (gone) => removeStreams(db, workspace, gone),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Names of channels have at most 63 bytes. */
function channelOf(schema: string, workspace: string): string {
  const name = createHash('sha256').update(`${schema}\n${workspace}`).digest('hex');
  return `deepwork_${name.slice(0, 24)}`;
}

/** For callers that do not append and need no liveness. */
const NO_PROCESSES: Processes = {
  own: () => '',
  livenessOf: () => 'unknown',
  describe: (process) => process,
};
