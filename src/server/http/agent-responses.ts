// Open responses by agent token, so that the open streams of an agent end with its token. A call
// that was admitted earlier is still answered.

import type { ServerResponse } from 'node:http';
import type { Bearer } from './tokens.ts';

export interface AgentResponses {
  note(bearer: Bearer, res: ServerResponse): void;
  /** Ends this bearer's open streams. */
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
