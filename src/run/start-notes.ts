// What a person should know before they leave a run alone: that nothing bounds it, that its agent has to
// report costs, and that no one else reviews its work.

import type { RunRecord } from '../core/run/record.ts';
import { runsOf, stepsOf } from '../core/workflow.ts';
import { type DefinitionInUse, findDefinition } from '../engine/definition-in-use.ts';
import type { Workspace } from '../engine/workspace.ts';

export function budgetNotes({ budgets, agent }: RunRecord): string[] {
  if (Object.values(budgets).every((max) => max === null)) {
    return ['Budget: none (--max-turns, --max-minutes, --max-usd)'];
  }
  const isCommand = agent !== null && agent.kind !== 'preset';
  if (budgets.max_usd === null || !isCommand) return [];
  return [
    'The agent is a command, so --max-usd counts what it prints in each turn, as a line like {"type":"result","total_cost_usd":0.12}. The run stops after a turn whose cost is unknown',
  ];
}

/** `inUse`: the workflow that is run. */
export async function reviewNotes(
  workspace: Workspace,
  inUse: DefinitionInUse,
): Promise<readonly string[]> {
  const { reviewer } = await workspace.settings();
  if (reviewer.kind !== 'self') return [];
  const count = await reviewedIn(workspace, inUse, new Set());
  if (count === 0) return [];
  const steps = count === 1 ? '1 step has' : `${count} steps have`;
  return [
    `${steps} reviews, and no reviewer is configured: the agent has its work reviewed by a subagent of its own. To have a command review it, set quality_gate.agent_review_command in .deepwork/config.yml and run deepwork trust`,
  ];
}

/** How many steps of the workflow, and of those that it runs, have reviews. */
async function reviewedIn(
  workspace: Workspace,
  { definition, workflow }: DefinitionInUse,
  seen: Set<string>,
): Promise<number> {
  const name = `${definition.name}/${workflow.name}`;
  if (seen.has(name)) return 0;
  seen.add(name);
  let count = stepsOf(workflow).filter(({ reviews }) => reviews.length > 0).length;
  for (const { job, workflow: nested } of runsOf(workflow)) {
    // One that is not there is reported when the run gets to it.
    const inner = await findDefinition(workspace, job, nested).catch(() => null);
    if (inner !== null) count += await reviewedIn(workspace, inner.inUse, seen);
  }
  return count;
}
