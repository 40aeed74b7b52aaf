// What the front matter of `GOAL.md` says about a team: `flow`, a graph of agents, and
// `models`, what they run on. Either makes the file a definition of the team; without
// both it says nothing about one.

import { type Agent, faultOfName, readModel } from '../../core/team/agents.ts';
import { type FrontMatter, readFrontMatter } from '../front-matter.ts';
import { cut, nameList, onOneLine, quote } from '../wording.ts';
import { describeNode, entryOf, type Node } from '../yaml-node.ts';
import { findCircle, parseDot } from './dot.ts';

export type Goal =
  | { readonly kind: 'none' }
  | { readonly kind: 'goal'; readonly flow: Flow | null; readonly models: Models }
  | { readonly kind: 'broken'; readonly reason: string };

export type Flow =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: string };

/** By agent; an agent may be named without models. */
export type Models = ReadonlyMap<string, readonly string[]>;

export type FlowAgents =
  | { readonly kind: 'agents'; readonly names: readonly string[] }
  | { readonly kind: 'broken'; readonly reason: string };

/** Who does the work of a flow that names nobody. */
const ANYBODY = 'general-purpose';
const MOST_AGENTS = 1000;
const MOST_MODELS = 100;

export async function parseGoal(text: string): Promise<Goal> {
  const front = await readFrontMatter(text);
  if (front.kind !== 'map') return withoutMap(front);
  const flowEntry = entryOf(front.map, 'flow');
  const modelsEntry = entryOf(front.map, 'models');
  if (flowEntry === null && modelsEntry === null) return { kind: 'none' };
  const flow = flowEntry === null ? null : readFlow(flowEntry.value);
  if (typeof flow === 'string') return { kind: 'broken', reason: flow };
  const models = modelsEntry === null ? new Map() : readModels(modelsEntry.value);
  if (typeof models === 'string') return { kind: 'broken', reason: models };
  return { kind: 'goal', flow, models };
}

/** The agents of a flow, in the order in which they are first named. */
export function agentsOfFlow(text: string): FlowAgents {
  const dot = parseDot(text);
  if (dot.kind === 'broken') return { kind: 'broken', reason: onOneLine(dot.reason) };
  for (const name of dot.nodes) {
    const fault = faultOfName(name);
    if (fault !== null) return { kind: 'broken', reason: `agent ${named(name)} ${fault}` };
  }
  const circle = findCircle(dot.edges);
  if (circle !== null) {
    const way = circle.length > 12 ? nameList(circle, 12) : circle.join(' -> ');
    return { kind: 'broken', reason: `the flow goes in a circle: ${onOneLine(cut(way, 500))}` };
  }
  return { kind: 'agents', names: dot.nodes.length > 0 ? dot.nodes : [ANYBODY] };
}

/** Agents by name, each once, with the models that are known of it. */
export function joinAgents(names: readonly string[], models: Models): Agent[] {
  const all = new Set([...names, ...models.keys()]);
  return [...all].map((name) => ({ name, models: models.get(name) ?? [], command: null }));
}

function withoutMap(front: Exclude<FrontMatter, { kind: 'map' }>): Goal {
  if (front.kind === 'none') return front;
  if (front.kind === 'broken') return { kind: 'broken', reason: front.reason };
  // A line across the page is no front matter; one that forgot its end is.
  const meant = /^(flow|models)[ \t]*:/m.test(front.text);
  if (!meant) return { kind: 'none' };
  return { kind: 'broken', reason: "the front matter has no closing line '---'" };
}

function readFlow(node: Node): Flow | string {
  if (node.kind !== 'scalar') return `'flow' must be text in DOT, found ${describeNode(node)}`;
  const text = node.value === null ? '' : String(node.value);
  if (!text.trimStart().startsWith('@')) return { kind: 'text', text };
  const file = text.trim().slice(1).trim();
  return file === '' ? "'flow' names no file after '@'" : { kind: 'file', file };
}

function readModels(node: Node): Models | string {
  const models = new Map<string, readonly string[]>();
  if (node.kind === 'scalar' && node.value === null) return models;
  if (node.kind !== 'map') return `'models' must be a map, found ${describeNode(node)}`;
  if (node.entries.length > MOST_AGENTS) return `'models' has more than ${MOST_AGENTS} agents`;
  for (const { key, value } of node.entries) {
    const fault = faultOfName(key);
    if (fault !== null) return `agent ${named(key)} in 'models' ${fault}`;
    const list = readModelList(value);
    if (list === null) return `'models' of ${named(key)} must be a model or a list of models`;
    models.set(key, list);
  }
  return models;
}

function readModelList(node: Node): string[] | null {
  if (node.kind === 'scalar' && node.value === null) return [];
  const items = node.kind === 'list' ? node.items : [node];
  if (items.length > MOST_MODELS) return null;
  const models = new Set<string>();
  for (const item of items) {
    const model = item.kind === 'scalar' && item.value !== null ? readModel(modelText(item)) : null;
    if (model === null) return null;
    models.add(model);
  }
  return [...models];
}

/** A model may be called `4.10`, and means what is written. */
function modelText(node: Node & { kind: 'scalar' }): string {
  return typeof node.value === 'string' ? node.value : node.written;
}

function named(name: string): string {
  return onOneLine(quote(name));
}
