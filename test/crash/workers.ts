// Server processes on one project, and what they do to it at once: eight with DEEPWORK_KILLS.

import { expect } from 'vitest';
import type { Answer } from '../support/calls.ts';
import { type Identity, type RawServer, startServer } from './raw-server.ts';

export const WORKERS = process.env.DEEPWORK_KILLS === undefined ? 4 : 8;

export interface Workers {
  readonly servers: readonly RawServer[];
  readonly first: RawServer;
  /** The same call from every process, at the same moment. */
  all(tool: string, args: object): Promise<Answer[]>;
  kill(): Promise<void>;
  /** Closes all connections; fails if one had crashed or exits with an error. */
  dismiss(): Promise<void>;
}

export async function startWorkers(
  root: string,
  identityOf: (index: number) => Identity,
): Promise<Workers> {
  const servers = Array.from({ length: WORKERS }, (_, index) =>
    startServer(root, identityOf(index)),
  );
  const all = (tool: string, args: object) =>
    Promise.all(servers.map((server) => server.call(tool, args)));
  // Loaded and warm, so that the following calls really overlap.
  await all('get_active_workflow', {});
  return {
    servers,
    first: servers[0] as RawServer,
    all,
    async kill() {
      await Promise.all(servers.map((server) => server.kill()));
    },
    async dismiss() {
      expect(servers.map((server) => server.isAlive())).toEqual(servers.map(() => true));
      expect(await Promise.all(servers.map((server) => server.close()))).toEqual(
        servers.map(() => 0),
      );
    },
  };
}
