// What can be typed after `deepwork`, for shell completion: every command, its flags, and what each
// of them takes. A test compares it with the options that the commands really read.

import { RUNNER_NAMES } from '../../gate/review/adapters/table.ts';
import { HOOK_CLIENTS } from '../../hook/clients/table.ts';
import { MOMENTS } from '../../hook/hook-client.ts';
import { CLIENT_IDS } from '../../init/clients.ts';
import { TEMPLATES } from '../../init/templates.ts';
import { TOOLSETS } from '../../operations/toolsets.ts';
import { SIMULATED_AGENTS } from '../../simulate/agents.ts';
import { GRAPH_FORMATS } from '../graph.ts';
import { LINT_FORMATS } from '../lint/formats.ts';
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

const nothing: Takes = { kind: 'nothing' };
const folder: Takes = { kind: 'folder' };
const file: Takes = { kind: 'file' };
const text: Takes = { kind: 'text' };
const oneOf = (words: readonly string[]): Takes => ({ kind: 'one of', words });
const someOf = (words: readonly string[]): Takes => ({ kind: 'some of', words });

/** What the commands take that change a run. */
const steering = {
  flags: { '--reason': text, '--by': text, '--json': nothing, '--path': folder },
  places: [oneOf(['last']), text],
};

/** `tools` are the names that `deepwork call` knows. */
export function typedCommands(tools: readonly string[]): readonly TypedCommand[] {
  return [
    {
      name: 'init',
      flags: {
        '--path': folder,
        '--clients': someOf([...CLIENT_IDS, 'none']),
        '--template': oneOf([...TEMPLATES, 'none']),
        '--no-hooks': nothing,
        '--yes': nothing,
        '--dry-run': nothing,
        '--undo': nothing,
      },
      places: [],
    },
    {
      name: 'serve',
      flags: {
        '--path': folder,
        '--transport': oneOf(TRANSPORTS),
        '--port': text,
        '--host': text,
        '--no-quality-gate': nothing,
        '--quality-gate': text,
        '--external-runner': oneOf(RUNNER_NAMES),
        '--tools': someOf(TOOLSETS),
        '--agent': text,
        '--trust': nothing,
        '--platform': text,
      },
      places: [],
    },
    {
      name: 'run',
      flags: {
        '--path': folder,
        '--goal': text,
        '--inputs': text,
        '--agent': oneOf(AGENT_NAMES),
        '--command': text,
        '--max-minutes': text,
        '--max-turns': text,
        '--max-usd': text,
        '--worktree': nothing,
        '--resume': text,
        '--on-limit': oneOf(ON_LIMIT),
        '--team': nothing,
        '--json': nothing,
      },
      places: [text],
    },
    {
      name: 'dashboard',
      flags: { '--open': nothing, '--port': text, '--path': folder },
      places: [],
    },
    { name: 'launch', flags: { '--agent': text, '--path': folder }, places: [] },
    {
      name: 'call',
      flags: { '--path': folder, '--json': text, '--agent': text },
      places: [oneOf(tools), text],
    },
    {
      name: 'status',
      flags: { '--path': folder, '--all': nothing, '--watch': nothing, '--json': nothing },
      places: [],
    },
    {
      name: 'history',
      flags: {
        '--path': folder,
        '--since': oneOf(['today', 'yesterday', '3h', '2d']),
        '--until': oneOf(['today', 'yesterday', '3h', '2d']),
        '--follow': nothing,
        '--json': nothing,
      },
      places: [oneOf(['last']), text],
    },
    {
      name: 'answer',
      flags: {
        '--choose': text,
        '--other': text,
        '--dismiss': nothing,
        '--by': text,
        '--path': folder,
      },
      places: [],
    },
    { name: 'abort', ...steering },
    { name: 'redo', ...steering },
    { name: 'stop', ...steering },
    {
      name: 'trust',
      flags: { '--path': folder, '--yes': nothing, '--revoke': nothing },
      places: [],
    },
    {
      name: 'messages',
      flags: { '--through': text, '--unread': nothing, '--path': folder },
      places: [oneOf(['list', 'prune']), text],
    },
    {
      name: 'repair',
      flags: { '--path': folder, '--journal': nothing, '--all': nothing },
      places: [],
    },
    {
      name: 'graph',
      flags: { '--path': folder, '--format': oneOf(GRAPH_FORMATS) },
      places: [oneOf(['last']), text],
    },
    {
      name: 'verify',
      flags: { '--path': folder, '--json': nothing },
      places: [oneOf(['last', 'team']), text],
    },
    {
      name: 'prune',
      flags: { '--path': folder, '--older-than': text, '--dry-run': nothing, '--json': nothing },
      places: [],
    },
    {
      name: 'store',
      flags: {
        '--from': oneOf(STORES),
        '--to': oneOf(STORES),
        '--json': nothing,
        '--path': folder,
      },
      places: [oneOf(['status', 'migrate', 'copy'])],
    },
    {
      name: 'export',
      flags: { '--output': file, '--to': folder, '--path': folder },
      places: [oneOf(['skills', 'last']), text],
    },
    {
      name: 'hook',
      flags: { '--plugin': nothing },
      places: [oneOf(HOOK_CLIENTS.map(({ name }) => name)), oneOf(MOMENTS), text],
    },
    {
      name: 'lint',
      flags: { '--path': folder, '--format': oneOf(LINT_FORMATS), '--watch': nothing },
      places: [file],
    },
    {
      name: 'simulate',
      flags: {
        '--path': folder,
        '--agent': oneOf([...SIMULATED_AGENTS, 'all']),
        '--runs': text,
        '--seed': text,
        '--inputs': text,
        '--run-checks': nothing,
        '--json': nothing,
      },
      places: [text],
    },
    { name: 'doctor', flags: { '--path': folder, '--json': nothing }, places: [] },
    { name: 'completion', flags: {}, places: [oneOf(SHELLS), text] },
  ];
}

/** The flags of `deepwork` without a command. */
export const OWN_FLAGS = ['--help', '--version'] as const;

/** The flags that a shell offers for a command. */
export function flagsOf({ flags }: TypedCommand): readonly string[] {
  return [...Object.keys(flags), '--help'];
}
