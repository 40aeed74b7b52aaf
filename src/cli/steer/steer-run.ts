// What a person does to a run from a terminal, by `abort`, `redo` and `stop`: which run is meant, who
// does it and why. The run is changed by the same deciders as from the page, and its agent learns of
// it in the same way.

import type { RunDetail } from '../../board/run.ts';
import { type HttpEngine, loadHttpEngine } from '../../bundles/load-engine.ts';
import { isBlank } from '../../core/invisible.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { MAX_REASON_LENGTH } from '../../core/session/steering.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import type { Steer } from '../../engine/steer.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import { bundled, projectAt, readOptions, requireProject, UsageError } from '../command-line.ts';
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
  /** What agents are told that they cannot do. */
  readonly forbidden: string;
  /** How many words it takes: which run is meant, and what `act` needs besides. */
  readonly places: number;
  readonly usage: string;
  /** Where none is given; without it, one has to be. */
  readonly reason?: string;
  act(run: SteeredRun, words: readonly string[]): Promise<Done>;
}

/** Reads the command line and does it. Returns the exit code. */
export async function steer(
  name: string,
  argv: readonly string[],
  command: SteerCommand,
): Promise<number> {
  const { values, positionals } = readOptions(name, {
    args: [...argv],
    allowPositionals: true,
    options: {
      reason: { type: 'string' },
      by: { type: 'string' },
      json: { type: 'boolean' },
      path: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(command.help);
    return 0;
  }
  if (refusesAgent(command.forbidden)) return AGENTS_CANNOT;
  const [wanted, ...words] = positionals;
  if (wanted === undefined || positionals.length !== command.places) {
    throw new UsageError(command.usage);
  }
  const given = { ...values, reason: values.reason ?? command.reason };
  return steerRun(wanted, given, (run) => command.act(run, words));
}

interface SteerOptions {
  readonly reason: string | undefined;
  readonly by?: string | undefined;
  readonly json?: boolean | undefined;
  readonly path?: string | undefined;
}

/** `wanted`: an id, a beginning of it, or `last`. */
async function steerRun(
  wanted: string,
  options: SteerOptions,
  act: (run: SteeredRun) => Promise<Done>,
): Promise<number> {
  const reason = reasonIn(options.reason);
  const projectRoot = projectAt(options.path);
  requireProject(projectRoot, options.path);
  const engine = loadHttpEngine();
  const detail = await engine.openProjectBoard({ projectRoot, ...bundled() }).run(wanted);
  const workspace = engine.openWorkspace({ projectRoot, ...bundled() });
  try {
    const person = nameOf(options.by) ?? systemUser();
    const session = detail.run.session_id;
    const { data, words } = await act({ session, person, reason, detail, workspace, engine });
    const said = options.json ? JSON.stringify({ ...data, by: person }, null, 2) : printable(words);
    process.stdout.write(`${said}\n`);
    return 0;
  } finally {
    await workspace.close();
  }
}

/** Refuses what is done by a team: it has no steps, and ends when its runner does. */
export function requireSteps({ detail: { run, workflow }, session }: SteeredRun): void {
  if (run.unattended === undefined || workflow.entries.length > 0) return;
  throw new Refused(
    refuse(
      'run_of_team',
      `Run ${session} is that of a team, and has no steps`,
      `stop it: deepwork stop ${session}`,
    ),
  );
}

function reasonIn(given: string | undefined): string {
  if (given === undefined || isBlank(given)) {
    throw new UsageError('say why with --reason TEXT: the agent gets to read it');
  }
  if (given.length > MAX_REASON_LENGTH) {
    throw new UsageError(`--reason has more than ${MAX_REASON_LENGTH} characters`);
  }
  return given.trim();
}
