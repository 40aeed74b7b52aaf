// The types of the variables that a call may give in `context`, for the command line: there every
// value is text, and only the definitions say whether `2.1` is a number or a string.

import { currentEntry } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import type { VariableType } from '../../core/variables.ts';
import { type RunEntry, runsOf, type Step, stepsOf, type Workflow } from '../../core/workflow.ts';
import { definitionInUse, findDefinition } from '../definition-in-use.ts';
import { declaredInputs, type TypeOfInput, unlessRefused } from '../start-inputs.ts';
import type { Workspace } from '../workspace.ts';

/** For a call about this session. Null for a name that nothing declares. */
export async function declaredContext(
  workspace: Workspace,
  findSession: () => Promise<Session | null>,
): Promise<TypeOfInput> {
  return unlessRefused(async () => {
    const session = await findSession();
    if (session === null) return () => null;
    const { workflow } = await definitionInUse(workspace, session);
    const current = currentEntry(session, workflow)?.members ?? [];
    return typesIn(workspace, workflow, current);
  });
}

/** For a start: the first entry may be a run that takes its inputs from the context. */
export async function declaredContextOfStart(
  workspace: Workspace,
  jobName: string,
  workflowName: string,
): Promise<TypeOfInput> {
  return unlessRefused(async () => {
    const { inUse } = await findDefinition(workspace, jobName, workflowName);
    return typesIn(workspace, inUse.workflow, []);
  });
}

/** The current step comes first; a repeated call is about an earlier one. */
async function typesIn(
  workspace: Workspace,
  workflow: Workflow,
  current: readonly Step[],
): Promise<TypeOfInput> {
  const reports = [...current, ...stepsOf(workflow)].flatMap((step) => step.reports ?? []);
  const declared = [...reports, ...(workflow.inputs ?? [])];
  const inRuns = new Map<string, VariableType>();
  for (const run of runsOf(workflow)) await addInputs(workspace, run, inRuns);
  return (name) => declared.find((each) => each.name === name)?.type ?? inRuns.get(name) ?? null;
}

/** Adds the variables from which a run takes its inputs, with the types of these inputs. */
async function addInputs(
  workspace: Workspace,
  { job, workflow, inputs }: RunEntry,
  types: Map<string, VariableType>,
): Promise<void> {
  if (!inputs.some((input) => 'from' in input)) return;
  const typeOf = await declaredInputs(workspace, job, workflow);
  for (const input of inputs) {
    const type = 'from' in input ? typeOf(input.name) : null;
    if ('from' in input && type !== null && !types.has(input.from)) types.set(input.from, type);
  }
}
