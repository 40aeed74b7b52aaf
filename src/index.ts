// The library: a deepwork server to connect to a transport of your own.
//
//   import { createServer } from 'deepwork';
//   const server = createServer({ projectRoot: '.' });
//   await server.connect(transport);

import { FACES } from './operations/faces.ts';
import { openWorkspace } from './operations/workspace.ts';
import { stderrLog } from './server/log.ts';
import { createMcpServer } from './server/mcp.ts';
import { stdioSpeaker } from './server/speaker.ts';

export interface ServerOptions {
  /** The project that the server works in; made absolute. */
  readonly projectRoot: string;
  /** False: reviews are not asked for. Rules still hold. */
  readonly enableQualityGate?: boolean;
  /** Seconds that one review may take, before it grows with the size of the files. */
  readonly qualityGateTimeout?: number;
  readonly qualityGateMaxAttempts?: number;
  /** `claude`: reviews by the Claude CLI. Null: self-review. */
  readonly externalRunner?: 'claude' | null;
  /** Reviews by any command. */
  readonly agentReviewCommand?: string | null;
  readonly maxParallelReviews?: number;
  readonly gitBranch?: 'create' | 'checkout' | 'off';
  /** Where bundled jobs are; null for none. */
  readonly standardJobsDir?: string | null;
  /** Where bundled guides are; null for none. */
  readonly standardGuidesDir?: string | null;
}

/** The part of an MCP server that its user needs. */
export interface DeepworkServer {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
}

export function createServer(options: ServerOptions): DeepworkServer {
  const { projectRoot, standardJobsDir, standardGuidesDir, ...overrides } = options;
  const workspace = openWorkspace({
    projectRoot,
    overrides,
    standardJobsDir: standardJobsDir ?? null,
    standardGuidesDir: standardGuidesDir ?? null,
  });
  const speaker = stdioSpeaker(process.env);
  const server = createMcpServer({
    workspace,
    speaker: () => speaker,
    faces: FACES,
    log: stderrLog(),
  });
  return {
    connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]),
    async close() {
      await server.close();
      await workspace.confirmAnswers();
    },
  };
}

export { createServer as create_server };
