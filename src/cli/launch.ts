// deepwork launch: runs an agent with the workspace's server at hand.

import { readCaller } from '../core/team/caller.ts';
import { reachServer } from '../launch/reach-server.ts';
import { runCommand } from '../launch/run-command.ts';
import { projectAt, readOptions, UsageError } from './command-line.ts';
import { LAUNCH_HELP } from './help.ts';

const NO_SERVER = 125;

export async function launch(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions('launch', {
    args: [...argv],
    allowPositionals: true,
    options: {
      path: { type: 'string', default: '.' },
      agent: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(LAUNCH_HELP);
    return 0;
  }
  const projectRoot = projectAt(values.path);
  const identity = values.agent ?? 'coordinator';
  const caller = readCaller(identity);
  if (typeof caller === 'string') throw new UsageError(`--agent cannot be used: ${caller}`);
  if (positionals.length === 0) {
    throw new UsageError('no command to run. Write it after --, as in: deepwork launch -- claude');
  }
  const reached = await reachServer(projectRoot, identity).catch((error: Error) => {
    process.stderr.write(`deepwork: ${error.message}\n`);
  });
  if (reached === undefined) return NO_SERVER;
  const { url, lease } = reached;
  // The owner's token is not for agents.
  const { DEEPWORK_TOKEN: _owner, DEEPWORK_AGENT_TOKEN: _outer, ...env } = process.env;
  const code = await runCommand(positionals, {
    ...env,
    SGAI_MCP_URL: `${url}/mcp`,
    SGAI_AGENT_IDENTITY: identity,
    ...(lease.token === null ? {} : { DEEPWORK_AGENT_TOKEN: lease.token }),
  });
  lease.end();
  return code;
}
