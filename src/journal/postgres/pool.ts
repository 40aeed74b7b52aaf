// A few connections, and statements over them with a deadline. A connection can be silent without
// being closed (a broken cable, a proxy, a dead machine), so if a statement is not answered in
// time, the pool is destroyed with all its connections; `database.ts` opens another one.
//
// Sockets are created here, so that they can be destroyed here. They do not keep the process
// alive; the deadline of a running statement does.

import { connect, type Socket } from 'node:net';
import type { Sql } from 'postgres';
import { ClosedEarly, NoAnswer } from './fault.ts';

export interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  readonly onNotify?: (channel: string, payload: string) => void;
  /** A connection was closed. */
  readonly onClose?: () => void;
}

export interface Pool {
  run<Row>(text: string, values: readonly Value[], deadlineMs?: number): Promise<Row[]>;
  /** Inside, only the given `run` may be used. */
  transaction<T>(work: (run: RunQuery) => Promise<T>, deadlineMs: number): Promise<T>;
  /** Drops every connection; running statements fail. */
  destroy(): void;
}

export type Value = string | number | null | Buffer;
export type RunQuery = (
  text: string,
  values?: readonly Value[],
) => Promise<Record<string, unknown>[]>;

const DEADLINE_MS = 2000;
/** Longer than the deadline: it ends statements whose client has given up. */
const STATEMENT_TIMEOUT_MS = 4500;
const CONNECT_SECONDS = 2;

export async function openPool({
  url,
  connections,
  onNotify,
  onClose,
}: PoolOptions): Promise<Pool> {
  const { postgres } = await import('./driver.ts');
  const sockets = new Set<Socket>();
  let destroyed = false;
  let attempts = 0;

  function makeSocket({ host, port, path }: Place): Socket {
    const at = attempts++ % host.length;
    const socket = path
      ? connect(path)
      : connect({ host: host[at] as string, port: port[at] as number, noDelay: true });
    // The driver reads the name for the server's certificate from the socket.
    Object.assign(socket, { host: host[at], port: port[at] });
    socket.unref();
    for (const each of sockets) if (each.destroyed) sockets.delete(each);
    sockets.add(socket);
    // Without an error the driver would try again forever.
    socket.once('close', (hadError) => {
      if (!hadError && socket.bytesRead === 0) socket.emit('error', new ClosedEarly());
    });
    socket.on('error', () => {});
    // After the driver has attached its listeners.
    if (destroyed) setImmediate(() => socket.destroy(new ClosedEarly()));
    return socket;
  }

  const options = {
    max: connections,
    socket: (place: unknown) => makeSocket(place as Place),
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    backoff: () => 0.1,
    onnotice: () => {},
    connection: { application_name: 'deepwork', statement_timeout: STATEMENT_TIMEOUT_MS },
    ...(onNotify && { onnotify: onNotify }),
    ...(onClose && { onclose: onClose }),
  };
  const sql: Sql = postgres(url, options);

  function destroy(): void {
    if (destroyed) return;
    destroyed = true;
    sql.end({ timeout: 0 }).catch(() => {});
    // After the driver has noticed the end, so that it does not reconnect for waiting statements.
    setImmediate(() => {
      for (const socket of sockets) socket.destroy();
    });
  }

  async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new NoAnswer());
        destroy();
      }, milliseconds);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async run<Row>(text: string, values: readonly Value[], deadlineMs = DEADLINE_MS) {
      const asked = sql.unsafe(text, [...values], { prepare: true });
      asked.catch(() => {});
      return [...(await inTime(asked, deadlineMs))] as unknown as Row[];
    },
    async transaction<T>(work: (run: RunQuery) => Promise<T>, deadlineMs: number) {
      const done = sql.begin(async (tx) => ({
        value: await work(async (text, values = []) => [...(await tx.unsafe(text, [...values]))]),
      }));
      done.catch(() => {});
      return (await inTime(done, deadlineMs)).value;
    },
    destroy,
  };
}

interface Place {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}
