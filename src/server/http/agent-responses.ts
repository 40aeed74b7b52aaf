// What is still being answered to whom, so that nothing is told any more to an agent whose
// launch is over: with its token its open streams end. A call that was let in before is
// still answered.

import type { ServerResponse } from 'node:http';
import type { Bearer } from './tokens.ts';

export interface AgentResponses {
  note(bearer: Bearer, res: ServerResponse): void;
  /** Ends the streams that are open for this bearer. */
  end(bearer: Bearer): void;
}

export function openAgentResponses(): AgentResponses {
  const open = new Map<Bearer, Set<ServerResponse>>();
  return {
    note(bearer, res) {
      if (bearer.kind !== 'agent' || res.destroyed) return;
      const answers = open.get(bearer) ?? new Set();
      open.set(bearer, answers.add(res));
      res.once('close', () => {
        answers.delete(res);
        if (answers.size === 0) open.delete(bearer);
      });
    },
    end(bearer) {
      for (const res of open.get(bearer) ?? []) if (res.headersSent) res.end();
    },
  };
}
