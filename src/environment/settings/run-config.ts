// The `run` section of `.deepwork/config.yml`: defaults for the options of `deepwork run`. With it,
// runs may also be started from the page.

import { closedMap, type Read, text } from '../../definitions/reader/fields.ts';
import { describeNode } from '../../definitions/source/node.ts';
import { count, setting, word } from './config-fields.ts';

export interface RunConfig {
  /** False: there is no such section. */
  readonly isGiven: boolean;
  /** A preset, or an agent of `team.agents`. */
  readonly agent: string | null;
  /** `continue`: each turn continues the conversation of the turn before. */
  readonly context: 'new' | 'continue' | null;
  readonly maxMinutes: number | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly onLimit: 'wait' | 'stop' | null;
}

export const NO_RUN: RunConfig = {
  isGiven: false,
  agent: null,
  context: null,
  maxMinutes: null,
  maxTurns: null,
  maxUsd: null,
  onLimit: null,
};

const amount: Read<number | null> = (node, path, to) => {
  const value = node.kind === 'scalar' ? node.value : null;
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  to.add('wrong_value', path, `expected a number above 0, found ${describeNode(node)}`);
  return null;
};

const name: Read<string | null> = (node, path, to) => text(node, path, to).value || null;

const RUN_FIELDS = {
  agent: setting(name),
  context: setting(word(['new', 'continue'] as const)),
  max_minutes: setting(amount),
  max_turns: setting(count),
  max_usd: setting(amount),
  on_limit: setting(word(['wait', 'stop'] as const)),
};
const readRunMap = closedMap(RUN_FIELDS);

export const RUN_KEYS = Object.keys(RUN_FIELDS);

export const readRun: Read<RunConfig> = (node, path, to) => {
  const { agent, context, max_minutes, max_turns, max_usd, on_limit } = readRunMap(node, path, to);
  return {
    isGiven: node.kind === 'map',
    agent,
    context,
    maxMinutes: max_minutes,
    maxTurns: max_turns,
    maxUsd: max_usd,
    onLimit: on_limit,
  };
};
