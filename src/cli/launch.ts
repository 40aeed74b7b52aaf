// deepwork launch: runs an agent connected to the workspace's server.

import { loadBundle } from '../bundles/load-bundle.ts';
import { didYouMean } from '../core/nearest.ts';
import { isCoordinator, readCaller } from '../core/team/caller.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { keepServer } from '../launch/keep-server.ts';
import { reachServer } from '../launch/reach-server.ts';
import { type LaunchCommand, runLaunchCommand } from '../launch/run-command.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { LAUNCH_HELP } from './help.ts';
import type { Io } from './io.ts';
import { projectAt, projectOptions } from './project.ts';
import { askYesNo } from './terminal/ask.ts';
import { AGENTS_CANNOT, ignoreTrustOfAgents, refusesOtherAgent } from './terminal/only-people.ts';
import { printable } from './terminal/printable.ts';

const NO_SERVER = 125;
const NOT_LAUNCHED = 2;

export async function launch(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'launch', argv, LAUNCH_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  ignoreTrustOfAgents(io);
  const projectRoot = projectAt(io, values.path);
  const identity = values.agent ?? 'coordinator';
  const caller = readCaller(identity);
  if (typeof caller === 'string') throw new UsageError(`--agent cannot be used: ${caller}`);
  if (isCoordinator(caller) && refusesOtherAgent(io)) return AGENTS_CANNOT;
  if (!isCoordinator(caller) && !(await mayJoin(io, projectRoot, caller.name))) return NOT_LAUNCHED;
  const command =
    positionals.length > 0
      ? { words: positionals, from: io.cwd }
      : await configuredCommand(io, projectRoot, caller.name);
  const reached = await reachServer({ projectRoot, env: io.env, identity }).catch(
    (error: Error) => {
      io.stderr.write(`deepwork: ${printable(error.message)}\n`);
    },
  );
  if (reached === undefined) return NO_SERVER;
  const { url, lease } = reached;
  io.stderr.write(addresses(url, projectRoot, lease.token !== null));
  const kept = keepServer({
    projectRoot,
    env: io.env,
    identity,
    reached,
    say: (text) => void io.stderr.write(`deepwork: ${printable(text)}\n`),
  });
  const { stdin, stderr, signals } = io;
  const env = {
    ...programEnvironment(io.env),
    SGAI_MCP_URL: `${url}/mcp`,
    SGAI_AGENT_IDENTITY: identity,
    ...(lease.token === null ? {} : { DEEPWORK_AGENT_TOKEN: lease.token }),
  };
  const code = await runLaunchCommand(command, { root: projectRoot, env, stdin, stderr, signals });
  kept.end();
  return code;
}

/** On stderr, because stdout belongs to the command. Browsers cannot send a token. */
function addresses(url: string, projectRoot: string, tokens: boolean): string {
  const page = tokens
    ? '; the page: deepwork dashboard; questions to you: deepwork answer'
    : `; the page: ${url}/; questions to you: ${url}/questions`;
  return `deepwork: serving ${printable(projectRoot)} at ${url}/mcp${page}\n`;
}

/**
 * Whether an agent is in the team that the project defines, or a person wants it all the same. Other
 * agents could not write to it, and its todos would wait for someone else.
 */
async function mayJoin(io: Io, projectRoot: string, name: string): Promise<boolean> {
  const { openWorkspace } = loadBundle('engine');
  const team = await openWorkspace(projectOptions(io, projectRoot)).teamAgents([]);
  // Without a definition whoever calls is in the team; a broken one fails the calls that need it.
  if (team.kind === 'broken' || team.source === 'callers') return true;
  const names = team.agents.map((agent) => agent.name);
  if (names.includes(name)) return true;
  const stranger = `agent '${name}' is not in the team: ${names.join(', ')}${didYouMean(name, names)}`;
  // Stdout belongs to the command.
  if (!io.stdin.isTTY || !io.stderr.isTTY) throw new UsageError(stranger);
  io.stderr.write(`deepwork: ${printable(stranger)}\n`);
  return askYesNo(io, 'Launch it all the same?', io.stderr);
}

async function configuredCommand(
  io: Io,
  projectRoot: string,
  agent: string,
): Promise<LaunchCommand> {
  const { openWorkspace, commandOfAgent, splitCommand } = loadBundle('engine');
  const workspace = openWorkspace(projectOptions(io, projectRoot));
  const text = await commandOfAgent(workspace, agent);
  const command = text === null ? null : splitCommand(text);
  if (command !== null) return { words: command, from: projectRoot };
  const option = agent === 'coordinator' ? '' : ` --agent ${agent}`;
  throw new UsageError(
    text === null
      ? `agent '${agent}' has no command in .deepwork/config.yml. Write one after --, as in: deepwork launch${option} -- claude`
      : `the command of agent '${agent}' in .deepwork/config.yml has a quote that is not closed`,
  );
}
