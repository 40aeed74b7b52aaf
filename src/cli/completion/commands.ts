// What can be typed after `deepwork`, for shell completion: every command, its flags, and what each
// of them takes.

import { RUNNER_NAMES } from '../../gate/review/adapters/table.ts';
import { HOOK_CLIENTS } from '../../hook/clients/table.ts';
import { MOMENTS } from '../../hook/hook-client.ts';
import { CLIENT_IDS } from '../../init/clients.ts';
import { TEMPLATES } from '../../init/templates.ts';
import { TOOLSETS } from '../../operations/toolsets.ts';
import { SIMULATED_AGENTS } from '../../simulate/agents.ts';
import { GRAPH_FORMATS } from '../graph.ts';
import { LINT_FORMATS } from '../lint/formats.ts';
import { COMMAND_OPTIONS, type CommandName } from '../options.ts';
import { AGENT_NAMES, ON_LIMIT } from '../run/run-options.ts';
import { TRANSPORTS } from '../serve/serve.ts';
import { STORES } from '../store/store-words.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export type Takes =
  /** A flag without a value. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'file' }
  /** Free text: nothing to suggest. */
  | { readonly kind: 'text' }
  | { readonly kind: 'one of'; readonly words: readonly string[] }
  /** Some of them, separated by commas. */
  | { readonly kind: 'some of'; readonly words: readonly string[] };

export interface TypedCommand {
  readonly name: string;
  readonly flags: Readonly<Record<string, Takes>>;
  /** The arguments without a flag, in order; the last one may be repeated. */
  readonly places: readonly Takes[];
}

const text: Takes = { kind: 'text' };
const oneOf = (words: readonly string[]): Takes => ({ kind: 'one of', words });
const someOf = (words: readonly string[]): Takes => ({ kind: 'some of', words });

const RUN = [oneOf(['last']), text];
const TIME = oneOf(['today', 'yesterday', '3h', '2d']);

type Flags = TypedCommand['flags'];

/** What the arguments without a flag take; none if a command is not listed. */
const placesWith = (tools: readonly string[]): Partial<Record<CommandName, readonly Takes[]>> => ({
  run: [text],
  call: [oneOf(tools), text],
  history: RUN,
  abort: RUN,
  redo: RUN,
  stop: RUN,
  messages: [oneOf(['list', 'prune']), text],
  graph: RUN,
  verify: [oneOf(['last', 'team']), text],
  store: [oneOf(['status', 'migrate', 'copy'])],
  export: [oneOf(['skills', 'last']), text],
  hook: [oneOf(HOOK_CLIENTS.map(({ name }) => name)), oneOf(MOMENTS), text],
  lint: [{ kind: 'file' }],
  simulate: [text],
  completion: [oneOf(SHELLS), text],
});

/** Flags with suggested values. */
const WORDS: Partial<Record<CommandName, Flags>> = {
  init: {
    '--clients': someOf([...CLIENT_IDS, 'none']),
    '--template': oneOf([...TEMPLATES, 'none']),
  },
  serve: {
    '--transport': oneOf(TRANSPORTS),
    '--external-runner': oneOf(RUNNER_NAMES),
    '--tools': someOf(TOOLSETS),
  },
  run: { '--agent': oneOf(AGENT_NAMES), '--on-limit': oneOf(ON_LIMIT) },
  history: { '--since': TIME, '--until': TIME },
  graph: { '--format': oneOf(GRAPH_FORMATS) },
  store: { '--from': oneOf(STORES), '--to': oneOf(STORES) },
  lint: { '--format': oneOf(LINT_FORMATS) },
  simulate: { '--agent': oneOf([...SIMULATED_AGENTS, 'all']) },
};

interface Option {
  readonly type: 'string' | 'boolean';
  readonly takes?: 'folder' | 'file' | 'internal';
}

/** `tools` are the names that `deepwork call` knows. */
export function typedCommands(tools: readonly string[]): readonly TypedCommand[] {
  const places = placesWith(tools);
  const all: [string, Readonly<Record<string, Option>>][] = Object.entries(COMMAND_OPTIONS);
  return all.map(([name, options]) => ({
    name,
    flags: { ...flagsFor(options), ...WORDS[name as CommandName] },
    places: places[name as CommandName] ?? [],
  }));
}

function flagsFor(options: Readonly<Record<string, Option>>): Flags {
  const shown = Object.entries(options).flatMap(([name, { type, takes = 'text' }]) => {
    if (takes === 'internal') return [];
    return [[`--${name}`, { kind: type === 'boolean' ? 'nothing' : takes }]];
  });
  return Object.fromEntries(shown);
}

/** The flags of `deepwork` without a command. */
export const OWN_FLAGS = ['--help', '--version'] as const;

/** The flags that a shell offers for a command. */
export function flagsOf({ flags }: TypedCommand): readonly string[] {
  return [...Object.keys(flags), '--help'];
}
