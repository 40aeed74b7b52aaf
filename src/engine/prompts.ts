// Workflows as prompts, which clients offer as slash commands: one for each workflow of a job and
// one for each guide. Choosing one makes the agent start exactly that run.

import { Refused, refusedWith } from '../core/refusal.ts';
import { type DeclaredVariable, readWritten } from '../core/variables.ts';
import { shown } from '../core/wording.ts';
import type { Workflow } from '../core/workflow.ts';
import { findDefinition, splitName } from './definition-in-use.ts';
import type { Workspace } from './workspace.ts';

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface Startable {
  /** `<job>/<workflow>`, or the id of a guide. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** What `start_workflow` is called with, besides the goal. */
  readonly start: { readonly job_name: string; readonly workflow_name: string };
  /** The declared inputs of the workflow; left out if there are none. */
  readonly inputs?: readonly DeclaredVariable[];
}

const GOAL: PromptArgument = {
  name: 'goal',
  description: 'The result that you want',
  required: true,
};

/** Everything that can be started here, sorted by name. */
export async function listStartable({ library, guides }: Workspace): Promise<Startable[]> {
  const [{ jobs }, { guides: found }] = await Promise.all([library.list(), guides.list()]);
  const ofJobs = jobs.flatMap((job) =>
    job.workflows.map(({ name, summary, inputs = [] }) => ({
      name: `${job.name}/${name}`,
      description: summary,
      arguments: [GOAL, ...inputs.filter((each) => each.name !== GOAL.name).map(argumentOf)],
      start: { job_name: job.name, workflow_name: name },
      ...(inputs.length > 0 && { inputs }),
    })),
  );
  // A job hides a guide with the same name, as start_workflow does.
  const taken = new Set(jobs.map(({ name }) => name));
  const ofGuides = found
    .filter(({ id }) => !taken.has(id))
    .map(({ id, summary, description }) => ({
      name: id,
      description: summary ?? description,
      arguments: [GOAL],
      start: { job_name: id, workflow_name: id },
    }));
  const unique = new Map([...ofGuides, ...ofJobs.toReversed()].map((each) => [each.name, each]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function argumentOf({ name, description, required, ...variable }: DeclaredVariable) {
  const values = variable.enum === null ? '' : ` (${variable.enum.join(', ')})`;
  return { name, description: `${description}${values}`, required };
}

/** What a prompt starts, by its name; refused as its start would be. */
export async function findPrompt(
  workspace: Workspace,
  name: string,
): Promise<Startable & { readonly workflow: Workflow }> {
  const listed = (await listStartable(workspace)).find((each) => each.name === name);
  try {
    const { inUse } = await findDefinition(workspace, ...splitName(name));
    if (listed !== undefined) return { ...listed, workflow: inUse.workflow };
  } catch (error) {
    if (!(error instanceof Refused) || !NOT_FOUND.includes(error.refusal.code)) throw error;
  }
  throw refusedWith(
    'prompt_not_found',
    `There is no prompt '${shown(name)}'`,
    'prompts/list shows the available prompts.',
  );
}

const NOT_FOUND: readonly string[] = ['job_not_found', 'workflow_not_found'];

/** The arguments of `start_workflow` that the arguments of a prompt mean. */
export function startArguments(
  { start, workflow: { inputs = [] } }: Awaited<ReturnType<typeof findPrompt>>,
  { goal, ...others }: Readonly<Record<string, string>>,
) {
  const isInput = inputs.some(({ name }) => name === GOAL.name);
  const written = isInput && goal !== undefined ? { goal, ...others } : others;
  const given = Object.entries(written).map(([name, value]) => {
    const declared = inputs.find((each) => each.name === name);
    return [name, declared === undefined ? value : readWritten(declared, value)] as const;
  });
  return {
    ...(goal !== undefined && { goal }),
    ...start,
    ...(given.length > 0 && { inputs: Object.fromEntries(given) }),
  };
}

/** What a prompt or a skill asks an agent to do; `order` introduces the call. */
export function startText(order: string, call: string): string {
  return `${order}

${call}

Then do what step_instructions in the answer say, hand in the outputs with finished_step, and go on until its status is workflow_complete. Fix what needs_work names; do not skip steps or report the work as done before that.`;
}
