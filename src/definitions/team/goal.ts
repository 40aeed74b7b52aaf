// Reads the team from the front matter of `GOAL.md`: `flow`, a graph of agents, and `models`, the
// models that they run on. With either of them the file defines the team; without both it does
// not.

import type { Issue, TextPosition } from '../../core/issue.ts';
import { type Agent, nameProblem, readModel } from '../../core/team/agents.ts';
import { onOneLine } from '../../core/wording.ts';
import { closedMap, none, optional, type Read, text } from '../reader/fields.ts';
import { oneIssue, TEXT_START } from '../reader/issues.ts';
import { closeSettingsLog, openSettingsLog } from '../reader/settings-issues.ts';
import { type FrontMatter, readFrontMatter } from '../source/front-matter.ts';
import { describeNode, locate, type ScalarNode } from '../source/node.ts';
import { cut, nameList, quote } from '../wording.ts';
import { findCycle, parseDot } from './dot.ts';

export type Goal = (
  | { readonly kind: 'none' }
  | { readonly kind: 'goal'; readonly flow: Flow | null; readonly models: Models }
  /** It should define the team, but has problems; the first one is the reason. */
  | { readonly kind: 'broken' }
) & {
  /** Of the whole front matter, including unknown keys. */
  readonly problems: readonly Issue[];
  /** The position of the flow, for problems in it. */
  readonly flowAt: TextPosition;
  /** Absent if there is none. */
  readonly gateScript?: string;
};

export type Flow =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: string };

/** By agent; an agent may have none. */
export type Models = ReadonlyMap<string, readonly string[]>;

export type FlowAgents =
  | { readonly kind: 'agents'; readonly names: readonly string[] }
  | { readonly kind: 'broken'; readonly reason: string };

/** The only agent of a flow that names none. */
const DEFAULT_AGENT = 'general-purpose';
const MAX_AGENTS = 1000;
const MAX_MODELS = 100;

export async function parseGoal(written: string): Promise<Goal> {
  const front = await readFrontMatter(written);
  if (front.kind !== 'map') return withoutMap(front);
  const { map, source } = front;
  const log = openSettingsLog();
  const { flow, models, completionGateScript } = readGoal(map, [], log);
  const problems = closeSettingsLog(log, source);
  const flowAt = flow === null ? TEXT_START : source.positionOf(locate(map, ['flow'], 'value'));
  // Unknown keys are reported, but do no harm.
  if (problems.some(({ code }) => code !== 'unknown_key')) {
    return { kind: 'broken', problems, flowAt };
  }
  const gate = completionGateScript === null ? {} : { gateScript: completionGateScript };
  if (flow === null && models === null) return { kind: 'none', problems, flowAt, ...gate };
  return { kind: 'goal', flow, models: models ?? new Map(), problems, flowAt, ...gate };
}

/** The agents of a flow, in the order in which they are first named. */
export function agentsOfFlow(text: string): FlowAgents {
  const dot = parseDot(text);
  if (dot.kind === 'broken') return { kind: 'broken', reason: onOneLine(dot.reason) };
  for (const name of dot.nodes) {
    const fault = nameProblem(name);
    if (fault !== null) return { kind: 'broken', reason: `agent ${named(name)} ${fault}` };
  }
  const cycle = findCycle(dot.edges);
  if (cycle !== null) {
    const path = cycle.length > 12 ? nameList(cycle, 12) : cycle.join(' -> ');
    return { kind: 'broken', reason: `the flow has a cycle: ${onOneLine(cut(path, 500))}` };
  }
  return { kind: 'agents', names: dot.nodes.length > 0 ? dot.nodes : [DEFAULT_AGENT] };
}

/** Each agent once, with its known models. */
export function joinAgents(names: readonly string[], models: Models): Agent[] {
  const all = new Set([...names, ...models.keys()]);
  return [...all].map((name) => ({ name, models: models.get(name) ?? [], command: null }));
}

function withoutMap(front: Exclude<FrontMatter, { kind: 'map' }>): Goal {
  const none = { kind: 'none', problems: [], flowAt: TEXT_START } as const;
  const broken = (message: string, at: TextPosition): Goal => ({
    kind: 'broken',
    problems: oneIssue('not_yaml', message, at).kept,
    flowAt: TEXT_START,
  });
  if (front.kind === 'none') return none;
  if (front.kind === 'broken') return broken(front.reason, front.at);
  // It may be a horizontal rule; with one of our keys it is front matter without an end.
  const meant = /^(flow|models)[ \t]*:/m.test(front.text);
  return meant ? broken("the front matter has no closing line '---'", TEXT_START) : none;
}

const readFlow: Read<Flow> = (node, path, to) => {
  const nothing = { kind: 'text', text: '' } as const;
  if (node.kind !== 'scalar') {
    to.add('wrong_type', path, `expected text in DOT, found ${describeNode(node)}`);
    return nothing;
  }
  const text = node.value === null ? '' : String(node.value);
  if (!text.trimStart().startsWith('@')) return { kind: 'text', text };
  const file = text.trim().slice(1).trim();
  if (file !== '') return { kind: 'file', file };
  to.add('wrong_value', path, "expected the path of a file after '@'");
  return nothing;
};

const readModels: Read<Models> = (node, path, to) => {
  const models = new Map<string, readonly string[]>();
  if (node.kind === 'scalar' && node.value === null) return models;
  if (node.kind !== 'map') {
    to.add('wrong_type', path, `expected a map of agents, found ${describeNode(node)}`);
    return models;
  }
  if (node.entries.length > MAX_AGENTS) {
    to.add('too_many', path, `expected at most ${MAX_AGENTS} agents`);
    return models;
  }
  for (const { key, keyAt, value } of node.entries) {
    const fault = nameProblem(key);
    if (fault !== null) to.add('wrong_value', path, `agent ${named(key)} ${fault}`, keyAt);
    models.set(key, readModelList(value, [...path, key], to));
  }
  return models;
};

const readModelList: Read<readonly string[]> = (node, path, to) => {
  if (node.kind === 'scalar' && node.value === null) return [];
  const items = node.kind === 'list' ? node.items : [node];
  if (items.length > MAX_MODELS) to.add('too_many', path, `expected at most ${MAX_MODELS} models`);
  const models = new Set<string>();
  for (const item of items.slice(0, MAX_MODELS)) {
    const model = item.kind === 'scalar' && item.value !== null ? readModel(modelText(item)) : null;
    if (model !== null) models.add(model);
    else {
      const message = `expected a model or a list of models, found ${describeNode(item)}`;
      to.add('wrong_type', path, message, item.at);
    }
  }
  return [...models];
};

/** A shell command whose exit code tells whether an unattended team is done. */
const readGateScript: Read<string> = (node, path, to) => text(node, path, to).value;

const readGoal = closedMap({
  flow: optional(readFlow, none),
  models: optional(readModels, none),
  completionGateScript: optional(readGateScript, none),
});

/** The allowed keys of the front matter. */
export const GOAL_KEYS: readonly string[] = readGoal.keys;

/** A model named `4.10` counts as written. */
function modelText(node: ScalarNode): string {
  return typeof node.value === 'string' ? node.value : node.written;
}

function named(name: string): string {
  return onOneLine(quote(name));
}
