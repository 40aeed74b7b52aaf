// Whose work a connection over stdio is: the client's own session where the client
// names one, so that a restarted server goes on with the same stack; else this process.

import type { Owner } from '../core/session/state.ts';
import { ownProcess } from '../workspace/process-identity.ts';

export function stdioOwner(env: NodeJS.ProcessEnv): Owner {
  const process = ownProcess();
  const session = env.CLAUDE_CODE_SESSION_ID?.trim().slice(0, 200);
  return { identity: session ? `claude-code:${session}` : `process:${process}`, process };
}
