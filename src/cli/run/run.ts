// deepwork run: agents work on a workflow or in a team without a person, within budgets.

import path from 'node:path';
import { type HttpEngine, loadBundle } from '../../bundles/load-bundle.ts';
import { shellSignsIn } from '../../core/command/shell-signs.ts';
import { type Refused, refusalText } from '../../core/refusal.ts';
import type { AgentChoice, StopReason } from '../../core/run/events.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { homeOf } from '../../environment/home.ts';
import { isUnderNohup } from '../../environment/process/under-nohup.ts';
import { openRegistry } from '../../launch/registry.ts';
import { PASS_VARIABLE } from '../../launch/start-run.ts';
import { wrapWords } from '../board/columns.ts';
import { screenOf } from '../board/screen.ts';
import { withLocalTimes } from '../board/times.ts';
import { UsageError } from '../command-line.ts';
import type { Io } from '../io.ts';
import { entryExists, projectAt, projectOptions, requireProject } from '../project.ts';
import { refusesAgent } from '../terminal/only-people.ts';
import { printable } from '../terminal/printable.ts';
import { hasWritten, typedInputs } from '../written-inputs.ts';
import { openOwnServer } from './own-server.ts';
import {
  AGENT_NAMES,
  choiceOf,
  readRunOptions,
  type TypedRun,
  withSettings,
} from './run-options.ts';

const REFUSED = 2;

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const typed = readRunOptions(io, argv);
  if (typed === null) return 0;
  const projectRoot = projectAt(io, typed.path);
  if (!isFromPage(io, projectRoot) && refusesAgent(io, 'start a run')) return REFUSED;
  const { stop, again } = endWithSignals(io);
  const reason = await Promise.race([carriedOut(io, typed, projectRoot, stop), again]).catch(
    (error: unknown) => {
      if (error instanceof Error && error.name === 'Refused') {
        return printRefusal(io, error as Refused);
      }
      throw error;
    },
  );
  return reason === null ? REFUSED : loadBundle('engine-http').EXIT_CODES[reason];
}

/** Why the run stopped. */
async function carriedOut(
  io: Io,
  typed: TypedRun,
  projectRoot: string,
  stop: AbortSignal,
): Promise<StopReason> {
  const bundle = loadBundle('engine-http');
  // GOAL.md alone defines a team, as for `deepwork launch`.
  const hasGoal = entryExists(path.join(projectRoot, bundle.GOAL_FILE));
  if (typed.what.kind !== 'team' || !hasGoal) requireProject(io, typed.path);
  const onHeld = () => {};
  const openWorkspace = (workRoot: string | null) =>
    bundle.openWorkspace({ ...projectOptions(io, projectRoot), workRoot, onHeld });
  const workspace = openWorkspace(null);
  const { run: config } = await workspace.config();
  const isTerminal = io.stdout.isTTY === true && io.stdin.isTTY === true;
  ignoreClosedPipes(io);
  const report = bundle.openReport({
    isJson: typed.isJson,
    forPeople: (text) => withLocalTimes(text, workspace.clock()),
    print: (text) => io.stdout.write(`${typed.isJson ? text : fitted(io, text)}\n`),
  });
  const deps = {
    openWorkspace,
    report,
    stop,
    cwd: io.cwd,
    openBoard: () => bundle.openProjectBoard(projectOptions(io, projectRoot)),
    openServer: (workspace: Parameters<typeof openOwnServer>[1]) =>
      openOwnServer(bundle, workspace),
  };
  const { reason } = await bundle.runUnattended(deps, {
    what: await withInputs(bundle, workspace, typed.what),
    agent: agentOf(io, bundle, typed, config.agent, projectRoot),
    ...withSettings(typed, config, isTerminal),
  });
  return reason;
}

/** Wraps long lines at words to the width of the terminal, with continuation lines indented. */
function fitted(io: Io, text: string): string {
  if (io.stdout.isTTY !== true) return printable(text);
  const { width } = screenOf(io);
  const lines = printable(text).split('\n');
  return lines.flatMap((line) => wrappedLine(line, width)).join('\n');
}

function wrappedLine(line: string, width: number): string[] {
  const indent = line.length - line.trimStart().length;
  const [first = '', ...more] = wrapWords(line.trim(), width - indent - 2);
  return [' '.repeat(indent) + first, ...more.map((each) => ' '.repeat(indent + 2) + each)];
}

/**
 * Whether the server's page started this run for a person. Forgets the pass, so that the agents of
 * the run do not inherit it.
 */
function isFromPage(io: Io, projectRoot: string): boolean {
  const pass = io.env[PASS_VARIABLE];
  delete io.env[PASS_VARIABLE];
  return pass !== undefined && pass === openRegistry(projectRoot, homeOf(io.env)).current()?.pass;
}

/** For a run that was not started. */
function printRefusal(io: Io, { refusal }: Refused): null {
  io.stderr.write(`deepwork: ${printable(refusalText(refusal))}\n`);
  return null;
}

/** With the inputs read by the types that the workflow declares. */
async function withInputs(
  bundle: HttpEngine,
  workspace: Workspace,
  what: TypedRun['what'],
): Promise<TypedRun['what']> {
  if (what.kind !== 'workflow' || !hasWritten(what.inputs)) return what;
  const typeOf = await bundle.inputsOfRun(workspace, what.workflow);
  return { ...what, inputs: typedInputs(what.inputs, typeOf) };
}

function agentOf(
  io: Io,
  bundle: HttpEngine,
  { what, agent, command }: TypedRun,
  configured: string | null,
  projectRoot: string,
): AgentChoice | null {
  if (command !== null) return commandChoice(io, bundle, command);
  if (agent !== null) return choiceOf(agent);
  if (what.kind === 'resume') return null;
  if (configured !== null) return choiceOf(configured);
  if (what.kind === 'team') return null;
  const installed = bundle.installedPresets(projectRoot, io.env);
  const [only, ...others] = installed;
  if (only !== undefined && others.length === 0) return choiceOf(only);
  const found = only === undefined ? AGENT_NAMES : installed;
  throw new UsageError(
    `say who works: ${found.map((name) => `--agent ${name}`).join(', ')}, or --command 'cmd …' (or run.agent in .deepwork/config.yml)`,
  );
}

function commandChoice(io: Io, bundle: HttpEngine, command: string): AgentChoice {
  const words = bundle.splitCommand(command);
  if (words === null) throw new UsageError('--command has a quote that is not closed');
  const warning = shellSignsIn(command.replaceAll('{prompt}', ''));
  if (warning !== null) io.stderr.write(`deepwork: --command ${warning}\n`);
  return { kind: 'command', words, from: io.cwd };
}

/** The run continues when the reader of its output goes away (`deepwork run … | head`). */
function ignoreClosedPipes({ stdout, stderr }: Io): void {
  stdout.removeAllListeners('error');
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
}

/** The first signal ends the run cleanly, the second one at once. */
function endWithSignals({ signals, env }: Io) {
  const stop = new AbortController();
  const again = new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      signals.on(signal, () => {
        if (stop.signal.aborted) resolve('stopped');
        stop.abort(signal);
      });
    }
  });
  const outlivesTerminal = isUnderNohup(env);
  signals.on('SIGHUP', () => {
    // Both the system and the shell send it for one closed terminal, so it never ends the run at once.
    if (!outlivesTerminal) stop.abort('SIGHUP');
  });
  return { stop: stop.signal, again };
}
