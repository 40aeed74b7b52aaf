// What `abort`, `redo` and `stop` have in common: which run is meant, who acts, and why. The engine
// does the same as for the page, and informs the agent in the same way.

import type { Board, RunDetail } from '../../board/run.ts';
import { type HttpEngine, loadBundle } from '../../bundles/load-bundle.ts';
import { isBlank } from '../../core/invisible-characters.ts';
import { toJsonText } from '../../core/json-text.ts';
import { refusedWith } from '../../core/refusal.ts';
import { MAX_REASON_LENGTH } from '../../core/session/steering.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import type { Steer } from '../../engine/steer.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import { readCommandLine, UsageError } from '../command-line.ts';
import type { Io } from '../io.ts';
import { projectOptions, requireProject } from '../project.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { printable } from '../terminal/printable.ts';

/** A run that a person steers. */
export interface SteeredRun extends Steer {
  readonly detail: RunDetail;
  readonly workspace: Workspace;
  readonly engine: HttpEngine;
}

/** What was done: as data, and in words. */
interface Done {
  readonly data: Readonly<Record<string, unknown>>;
  readonly words: string;
}

export interface SteerCommand {
  readonly help: string;
  /** Completes the refusal "agents cannot …". */
  readonly forbidden: string;
  /** How many arguments it takes without a flag: the run, and those for `act`. */
  readonly places: number;
  readonly usage: string;
  /** The default reason; if left out, --reason is required. */
  readonly reason?: string;
  /** Which run is meant if none is named; without it, one has to be. */
  implied?(board: Board): string;
  act(run: SteeredRun, words: readonly string[]): Promise<Done>;
}

/** Reads the command line and carries it out. Returns the exit code. */
export async function steer(
  io: Io,
  name: 'abort' | 'redo' | 'stop',
  argv: readonly string[],
  command: SteerCommand,
): Promise<number> {
  const line = readCommandLine(io, name, argv, command.help);
  if (line === null) return 0;
  const { values, positionals } = line;
  if (refusesAgent(io, command.forbidden)) return AGENTS_CANNOT;
  const [wanted, ...words] = positionals;
  const isImplied = wanted === undefined && command.implied !== undefined;
  if (!isImplied && positionals.length !== command.places) throw new UsageError(command.usage);
  const reason = reasonIn(values.reason ?? command.reason);
  const projectRoot = requireProject(io, values.path);
  const engine = loadBundle('engine-http');
  const board = engine.openProjectBoard(projectOptions(io, projectRoot));
  const detail = await board.run(wanted ?? command.implied?.(await board.board()) ?? '');
  const workspace = engine.openWorkspace(projectOptions(io, projectRoot));
  try {
    const person = nameOf(values.by) ?? systemUser(io.env);
    const session = detail.run.session_id;
    const run = { session, person, reason, detail, workspace, engine };
    const done = await command.act(run, words);
    const text = values.json ? toJsonText({ ...done.data, by: person }, 2) : printable(done.words);
    io.stdout.write(`${text}\n`);
    return 0;
  } finally {
    await workspace.close();
  }
}

/** A team run has no session, so no steps. */
export function isOfTeam({ detail: { run, workflow } }: SteeredRun): boolean {
  return run.unattended !== undefined && workflow.entries.length === 0;
}

export function requireSteps(run: SteeredRun): void {
  if (!isOfTeam(run)) return;
  const { session } = run;
  throw refusedWith(
    'run_of_team',
    `Run ${session} is a team run, which has no steps`,
    `stop it (deepwork stop ${session}), or abort it (deepwork abort ${session}).`,
  );
}

function reasonIn(given: string | undefined): string {
  if (given === undefined || isBlank(given)) {
    throw new UsageError('say why with --reason TEXT; the agent will read it');
  }
  if (given.length > MAX_REASON_LENGTH) {
    throw new UsageError(`--reason has more than ${MAX_REASON_LENGTH} characters`);
  }
  return given.trim();
}
