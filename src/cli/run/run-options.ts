// Parses the options of `deepwork run`: which ones go together, and what each of them means.

import type { AgentChoice, Budgets, OnLimit } from '../../core/run/events.ts';
import type { RunConfig } from '../../environment/settings/run-config.ts';
import { PRESETS } from '../../run/presets.ts';
import type { RunRequest } from '../../run/unattended.ts';
import { readCommandLine, UsageError } from '../command-line.ts';
import { RUN_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { type Inputs, readInputs } from '../written-inputs.ts';

export interface TypedRun {
  readonly path: string | undefined;
  readonly isJson: boolean;
  /** Its inputs are still text: their types are not known yet. */
  readonly what: RunRequest['what'];
  /** Null if none was typed. */
  readonly agent: string | null;
  readonly command: string | null;
  readonly budgets: Partial<Budgets>;
  readonly onLimit: OnLimit | null;
}

export const ON_LIMIT: readonly OnLimit[] = ['wait', 'stop'];
export const AGENT_NAMES: readonly string[] = PRESETS.map(({ name }) => name);

/** Null if only the help was printed. */
export function readRunOptions(io: Io, argv: readonly string[]): TypedRun | null {
  const line = readCommandLine(io, 'run', withOptionalId(argv), RUN_HELP);
  if (line === null) return null;
  const { values, positionals } = line;
  const { path, goal, resume, worktree = false, team = false } = values;
  const [workflow, ...more] = positionals;
  const inputs = readInputs([...(values.inputs ?? []), ...more]);
  return {
    path,
    isJson: values.json ?? false,
    what: readWhat({ workflow, goal, resume, team, worktree, inputs }),
    agent: values.agent ?? null,
    command: readCommand(values.agent, values.command),
    budgets: {
      ...readAmount('--max-minutes', values['max-minutes'], 'max_minutes'),
      ...readTurns(values['max-turns']),
      ...readAmount('--max-usd', values['max-usd'], 'max_usd'),
    },
    onLimit: readOnLimit(values['on-limit']),
  };
}

/** `--resume` without an id means the newest unfinished run. */
function withOptionalId(argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const next = argv[at + 1];
    const isAlone = word === '--resume' && (next === undefined || next.startsWith('-'));
    return isAlone ? ['--resume', ''] : [word];
  });
}

interface TypedWhat {
  readonly workflow: string | undefined;
  readonly goal: string | undefined;
  readonly resume: string | undefined;
  readonly team: boolean;
  readonly worktree: boolean;
  readonly inputs: Inputs;
}

function readWhat({
  workflow,
  goal,
  resume,
  team,
  worktree,
  inputs,
}: TypedWhat): RunRequest['what'] {
  const isNamed = workflow !== undefined || goal !== undefined || Object.keys(inputs).length > 0;
  if (resume !== undefined) {
    if (isNamed || team || worktree) {
      throw new UsageError(
        '--resume continues a run as it was started: leave out the workflow, --goal, --inputs, --team and --worktree',
      );
    }
    return { kind: 'resume', id: resume === '' ? null : resume };
  }
  if (team) {
    if (isNamed || worktree) {
      throw new UsageError(
        '--team works on GOAL.md in the project itself: leave out the workflow, --goal, --inputs and --worktree',
      );
    }
    return { kind: 'team' };
  }
  if (workflow === undefined) {
    throw new UsageError(
      'name what to run: deepwork run <job/workflow or guide> --goal TEXT, deepwork run --resume, or deepwork run --team',
    );
  }
  if (goal === undefined || goal.trim() === '') {
    throw new UsageError(`say what the run is for: deepwork run ${workflow} --goal TEXT`);
  }
  return { kind: 'workflow', workflow, goal, inputs, worktree };
}

function readCommand(agent: string | undefined, command: string | undefined): string | null {
  if (agent !== undefined && command !== undefined) {
    throw new UsageError('--agent and --command both say who works: use one of them');
  }
  if (command !== undefined && command.trim() === '') throw new UsageError('--command is empty');
  return command ?? null;
}

/** Removes a budget that a resumed run or the settings have. */
const NO_LIMIT = 'none';

function readAmount<Key extends keyof Budgets>(
  option: string,
  given: string | undefined,
  key: Key,
): Partial<Budgets> {
  if (given === undefined) return {};
  if (given === NO_LIMIT) return { [key]: null };
  const value = /^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/.test(given) ? Number(given) : 0;
  if (!(value > 0))
    throw new UsageError(`${option} ${given} is neither a number above 0, such as 1.5, nor none`);
  return { [key]: value };
}

function readTurns(given: string | undefined): Partial<Budgets> {
  if (given === undefined) return {};
  if (given === NO_LIMIT) return { max_turns: null };
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    throw new UsageError(`--max-turns ${given} is neither a whole number from 1 on nor none`);
  }
  return { max_turns: Number(given) };
}

function readOnLimit(given: string | undefined): OnLimit | null {
  if (given === undefined) return null;
  const found = ON_LIMIT.find((word) => word === given);
  if (found !== undefined) return found;
  throw new UsageError(`--on-limit ${given} is not supported. Use: ${ON_LIMIT.join(', ')}`);
}

/** The project's settings fill in what was not typed; a resumed run keeps its own budgets. */
export function withSettings(
  typed: TypedRun,
  config: RunConfig,
  isTerminal: boolean,
): Pick<RunRequest, 'budgets' | 'onLimit' | 'continues'> {
  const { context, maxMinutes, maxTurns, maxUsd } = config;
  const settings =
    typed.what.kind === 'resume'
      ? {}
      : { max_minutes: maxMinutes, max_turns: maxTurns, max_usd: maxUsd };
  return {
    budgets: { ...settings, ...typed.budgets },
    // A person at the terminal is not kept waiting.
    onLimit: typed.onLimit ?? config.onLimit ?? (isTerminal ? 'stop' : 'wait'),
    continues: context === 'continue',
  };
}

function isPreset(name: string): boolean {
  return AGENT_NAMES.includes(name);
}

export function choiceOf(name: string): AgentChoice {
  return { kind: isPreset(name) ? 'preset' : 'named', name };
}
