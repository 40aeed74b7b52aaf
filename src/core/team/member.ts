// A caller as a member of the team: its agent and model, and so the inbox it reads; and the
// addresses to which a message may be sent.

import { type Agent, modelId, modelIdsOf, modelsInUse, type TeamSource } from './agents.ts';
import type { Caller } from './caller.ts';
import { agentOf, type ModelsOf } from './inbox.ts';

/** The current members of the workflow, and the model the client reports as active. */
export interface Roster {
  readonly agents: readonly Agent[];
  readonly source: TeamSource;
  /** `currentModel` of the state file. */
  readonly currentModel: string | null;
}

export interface TeamMember {
  readonly name: string;
  /** The current model's id, else the name: sends and reads under it. */
  readonly reader: string;
}

export function modelsIn(agents: readonly Agent[]): ModelsOf {
  const inUse = new Map(agents.filter(modelsInUse).map(({ name, models }) => [name, models]));
  return (agent) => inUse.get(agent) ?? NONE;
}

const NONE: readonly string[] = [];

export function memberOf({ name, model, variant }: Caller, roster: Roster): TeamMember {
  const agent = roster.agents.find((each) => each.name === name);
  if (model !== null && agent !== undefined && modelsInUse(agent)) {
    // A model configured without a variant covers all its variants.
    const ids = modelIdsOf(agent);
    const said = [modelId(name, model, variant), modelId(name, model, null)];
    const reader = said.find((id) => ids.includes(id));
    if (reader !== undefined) return { name, reader };
  }
  const current = roster.currentModel;
  return { name, reader: current?.startsWith(`${name}:`) ? current : name };
}

export interface Address {
  readonly to: string;
  /** The address whose readers receive it. */
  readonly inbox: string;
}

/** Null if no one in the workflow has this address. */
export function findAddress(to: string, roster: Roster): Address | null {
  const name = agentOf(to);
  const agent = roster.agents.find((each) => each.name === name);
  if (agent === undefined) return null;
  if (to === name || to === roster.currentModel) return { to, inbox: to };
  if (!modelIdsOf(agent).includes(to)) return null;
  // With a single model, its agent reads under its own name.
  return { to, inbox: modelsInUse(agent) ? to : name };
}

/** Names and model ids that a message may be sent to, sorted. */
export function addresses({ agents, currentModel }: Roster): string[] {
  const all = new Set<string>();
  for (const agent of agents) {
    all.add(agent.name);
    for (const id of modelIdsOf(agent)) all.add(id);
    if (currentModel?.startsWith(`${agent.name}:`)) all.add(currentModel);
  }
  return [...all].sort();
}
