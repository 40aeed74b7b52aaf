// The server of an unattended run: in the runner's own process, so that it ends with it, on any
// free port of this machine, with tokens on. No registry names it: other agents cannot find it.

import { randomBytes } from 'node:crypto';
import type { RunBundle } from '../../bundles/load-engine.ts';
import { readCaller } from '../../core/team/caller.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { TOOLSETS } from '../../operations/toolsets.ts';
import type { RunServer } from '../../run/run-loop.ts';
import { openSocket } from '../../server/http/socket.ts';

/** What is handed in by these, a step or a status, may be refused. */
const MOVES: readonly string[] = ['finished_step', 'update_workflow_state'];
const HOST = '127.0.0.1';

export async function openOwnServer(bundle: RunBundle, workspace: Workspace): Promise<RunServer> {
  const socket = await openSocket(HOST, 0);
  const pass = randomBytes(32).toString('base64url');
  /** By the last call of the turn that moves the work. */
  let refused: string | null = null;
  const service = bundle.openHttpService(socket.server, {
    workspace,
    toolsets: TOOLSETS,
    pass,
    tokens: { on: true, owners: [pass] },
    allowedHosts: async () => [],
    // Every call is in the journal; the terminal belongs to the report.
    log: {
      call({ tool, refused: words }) {
        if (MOVES.includes(tool)) refused = words;
      },
      fault: bundle.stderrLog().fault,
    },
  });
  socket.handOver(service.handle);
  return {
    url: `http://${HOST}:${socket.port}/mcp`,
    issueToken(identity) {
      const caller = readCaller(identity);
      if (typeof caller === 'string') throw new Error(caller);
      refused = null;
      return { ...service.issueToken(caller), refused: () => refused };
    },
    answered: service.answered,
    stop: service.stop,
  };
}
