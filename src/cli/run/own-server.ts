// The server of an unattended run. It is in the runner's own process, so that both end together, on
// any free port of this machine, with tokens on. It is not registered: other agents cannot find it.

import { randomBytes } from 'node:crypto';
import type { HttpEngine } from '../../bundles/load-bundle.ts';
import { readCaller } from '../../core/team/caller.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { TOOLSETS } from '../../operations/toolsets.ts';
import type { RunServer } from '../../run/run-loop.ts';
import { openSocket } from '../../server/http/socket.ts';

/** The tools that move the work on; the next turn learns why the last such call was refused. */
const MOVING_TOOLS: readonly string[] = ['finished_step', 'update_workflow_state'];
const HOST = '127.0.0.1';

export async function openOwnServer(bundle: HttpEngine, workspace: Workspace): Promise<RunServer> {
  const socket = await openSocket(HOST, 0);
  const pass = randomBytes(32).toString('base64url');
  /** Why the turn's last call of a moving tool was refused; null if it was not. */
  let refused: string | null = null;
  const service = bundle.openHttpService(socket.server, {
    workspace,
    toolsets: TOOLSETS,
    // Every client here is an agent: a form would not reach a person.
    forms: false,
    pass,
    tokens: { on: true, owners: [pass] },
    allowedHosts: async () => [],
    // Calls are in the journal already, and the terminal shows the report.
    log: {
      call({ tool, refused: words }) {
        if (MOVING_TOOLS.includes(tool)) refused = words;
      },
      fault: bundle.stderrLog(workspace.stderr).fault,
    },
  });
  socket.handOver(service.handle);
  return {
    url: `http://${HOST}:${socket.port}/mcp`,
    issueToken({ identity, stack }) {
      const caller = readCaller(identity);
      if (typeof caller === 'string') throw new Error(caller);
      refused = null;
      return { ...service.issueToken(caller, stack), refused: () => refused };
    },
    answered: service.answered,
    stop: service.stop,
  };
}
