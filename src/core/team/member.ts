// A caller as the team knows it: which agent it is, with which model, and therefore
// whose inbox it reads; and which addresses a message may be sent to.

import type { Caller } from './caller.ts';
import { agentOf, type ModelsOf, modelsInUse } from './inbox.ts';

export interface TeamAgent {
  readonly name: string;
  /** As configured: `model` or `model (variant)`. */
  readonly models: readonly string[];
}

/** Who is in the workflow at this moment, and who the client says is at work. */
export interface Roster {
  readonly agents: readonly TeamAgent[];
  /** `currentModel` of the state file. */
  readonly currentModel: string | null;
}

export interface Member {
  readonly name: string;
  /** The current model's id, else the name: who sends and who reads. */
  readonly reader: string;
}

/** Models by agent; an address that names a model has none of its own. */
export function modelsIn(agents: readonly TeamAgent[]): ModelsOf {
  const known = new Map(agents.map(({ name, models }) => [name, models]));
  return (agent) => known.get(agent) ?? NONE;
}

const NONE: readonly string[] = [];

export function memberOf(caller: Caller, roster: Roster): Member {
  const { name, model, variant } = caller;
  const models = modelsIn(roster.agents)(name);
  if (model !== null && modelsInUse(models)) {
    const full = variant === null ? model : `${model} (${variant})`;
    const configured = [full, model].find((each) => models.includes(each));
    if (configured !== undefined) return { name, reader: `${name}:${configured}` };
  }
  const current = roster.currentModel;
  const reader = current?.startsWith(`${name}:`) ? current : name;
  return { name, reader };
}

export interface Address {
  readonly to: string;
  /** Whose readers get what is sent there. */
  readonly inbox: string;
}

/** Null: nobody in the workflow has this address. */
export function findAddress(to: string, roster: Roster): Address | null {
  const name = agentOf(to);
  const agent = roster.agents.find((each) => each.name === name);
  if (agent === undefined) return null;
  if (to === name || to === roster.currentModel) return { to, inbox: to };
  const model = to.slice(name.length + 1);
  if (!agent.models.includes(model)) return null;
  // With one model there is nothing to tell apart: its agent reads under its own name.
  return { to, inbox: modelsInUse(agent.models) ? to : name };
}

/** Names and model ids that a message may be sent to, sorted. */
export function addresses({ agents, currentModel }: Roster): string[] {
  const all = new Set<string>();
  for (const { name, models } of agents) {
    all.add(name);
    for (const model of models) all.add(`${name}:${model}`);
    if (currentModel?.startsWith(`${name}:`)) all.add(currentModel);
  }
  return [...all].sort();
}
