// Who is in the workflow. Where that is written down is somebody else's business; here
// is only what the team needs to know of it, and the plainest source: everybody who has
// called.

import { Refused, refuse } from '../core/refusal.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import type { TeamAgent } from '../core/team/member.ts';

export type AgentsFound =
  | { readonly kind: 'agents'; readonly agents: readonly TeamAgent[] }
  /** There is a source, and it cannot be used. */
  | { readonly kind: 'broken'; readonly file: string; readonly reason: string };

/** Gives the agents as they are defined at this moment. */
export type AgentsSource = (callers: readonly string[]) => Promise<AgentsFound>;

export const everybodyWhoCalled: AgentsSource = async (callers) => ({
  kind: 'agents',
  agents: [...new Set([COORDINATOR, ...callers])].map((name) => ({ name, models: [] })),
});

export function brokenDefinition({ file, reason }: { file: string; reason: string }): Refused {
  return new Refused(
    refuse('team_definition_broken', `Could not read the team definition: ${file}: ${reason}`),
  );
}
