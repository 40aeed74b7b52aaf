// The program of an agent, as the runner sees it: how one turn is started, and how its output is
// read. It is a preset, or a command that gets the prompt on stdin or, as one argument, in place of
// `{prompt}`. Nothing is ever run through a shell.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { didYouMean } from '../core/nearest.ts';
import { Refused, refuse, refusedWith } from '../core/refusal.ts';
import type { AgentChoice } from '../core/run/events.ts';
import { commandOfAgent } from '../engine/trust/command-trust.ts';
import type { Workspace } from '../engine/workspace.ts';
import { findProgram, programOf } from '../environment/process/program.ts';
import { splitCommand } from '../gate/split-command.ts';
import type { ReadObject, ReadText } from './agent-output.ts';
import { readClaude, readNoText } from './client-output.ts';
import { PRESETS, type Preset, presetNamed, type TurnRequest } from './presets.ts';

export interface AgentProgram {
  /** For people. */
  readonly name: string;
  /** False if it never says what a turn cost. */
  readonly mayReportCost: boolean;
  readonly readObject: ReadObject;
  readonly readText: ReadText;
  start(turn: TurnRequest, prompt: string): AgentCommand;
}

export interface AgentCommand {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

const PROMPT = '{prompt}';

/** The chosen agent; refused if it cannot be run here. */
export async function findAgent(workspace: Workspace, choice: AgentChoice): Promise<AgentProgram> {
  switch (choice.kind) {
    case 'preset':
      return presetAgent(workspace, presetNamed(choice.name) as Preset);
    case 'command':
      return commandAgent(workspace, choice.words.join(' '), choice.words, choice.from);
    case 'named':
      return namedAgent(workspace, choice.name);
  }
}

/** Runs the command that the project configures for it, if a person has trusted it. */
async function namedAgent(workspace: Workspace, name: string): Promise<AgentProgram> {
  const text = await commandOfAgent(workspace, name);
  const words = text === null ? null : splitCommand(text);
  if (text === null || words === null) {
    throw refusedWith(
      'agent_without_command',
      text === null
        ? `Agent '${name}' has no command in .deepwork/config.yml${didYouMean(name, PRESET_NAMES)}`
        : `The command of agent '${name}' in .deepwork/config.yml has a quote that is not closed`,
      `write one there (team.agents), or choose ${presetNames()}, or give one with --command.`,
    );
  }
  return { ...commandAgent(workspace, text, words, workspace.paths.root), name };
}

const PRESET_NAMES = PRESETS.map(({ name }) => name);

function presetNames(): string {
  return PRESET_NAMES.map((name) => `--agent ${name}`).join(', ');
}

function presetAgent({ paths, env }: Workspace, preset: Preset): AgentProgram {
  const { name, reportsCost, readObject, readText } = preset;
  const program = findProgram(preset.program, paths.root, env);
  if (program === null) throw new Refused(notFound(preset.program));
  return {
    name,
    readObject,
    readText,
    mayReportCost: reportsCost,
    start: (turn, prompt) => ({ program, ...preset.start(turn, env), input: prompt }),
  };
}

function commandAgent(
  { paths, env }: Workspace,
  text: string,
  [command = '', ...args]: readonly string[],
  from: string,
): AgentProgram {
  const program = programOf(command, paths.root, from, env);
  if (program === null) throw new Refused(notFound(command));
  if (!canBeRun(program)) throw new Refused(notRunnable(command, program));
  return {
    name: text.length > MAX_NAME ? `${text.slice(0, MAX_NAME - 1)}…` : text,
    mayReportCost: true,
    readObject: readClaude,
    readText: readNoText,
    start: (_turn, prompt) => {
      const isArgument = args.includes(PROMPT);
      return {
        program,
        args: args.map((arg) => (arg === PROMPT ? prompt : arg)),
        env: {},
        input: isArgument ? '' : prompt,
      };
    },
  };
}

const MAX_NAME = 80;

function canBeRun(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return statSync(program).isFile();
  } catch {
    return false;
  }
}

function notRunnable(command: string, program: string) {
  const exists = existsSync(program);
  const isFile = exists && statSync(program).isFile();
  const why = isFile
    ? 'is not executable'
    : `${exists ? 'is not a file' : 'does not exist'} (${program})`;
  return refuse(
    'agent_not_found',
    `The program ${command} ${why}`,
    isFile
      ? `make it executable: chmod +x ${command}`
      : 'correct its path: in --command, or for an agent of the team in .deepwork/config.yml.',
  );
}

function notFound(program: string) {
  return refuse(
    'agent_not_found',
    `The program ${program} was not found on PATH (programs inside the project are not used)`,
    'install it, or choose another agent with --agent or --command.',
  );
}

/** The presets that are installed here. */
export function installedPresets(root: string, env: NodeJS.ProcessEnv): readonly string[] {
  return PRESETS.filter(({ program }) => findProgram(program, root, env) !== null).map(
    ({ name }) => name,
  );
}
