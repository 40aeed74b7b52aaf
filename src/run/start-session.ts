// Starts the session of a run, through the operation that agents use, with the run's identity.

import { Refused } from '../core/refusal.ts';
import { nameForPeople } from '../core/session/state.ts';
import { type DeclaredVariable, describeVariables } from '../core/variables.ts';
import { type DefinitionInUse, findNamed, splitName } from '../engine/definition-in-use.ts';
import { declaredInputs, type TypeOfInput } from '../engine/start-inputs.ts';
import { requireTrustInAll } from '../engine/trust/required-trust.ts';
import type { Workspace } from '../engine/workspace.ts';
import { branchName } from '../environment/git/branch.ts';
import { startWorkflow } from '../operations/jobs/start-workflow.ts';
import { callAsRun } from './call-as-run.ts';
import { withNameHints } from './name-hints.ts';

export interface ResolvedRun {
  readonly jobName: string;
  readonly workflowName: string;
  /** As people see it. */
  readonly label: string;
  readonly branch: string;
  readonly declared: readonly DeclaredVariable[];
  readonly inUse: DefinitionInUse;
}

/** Finds the workflow to run; refused if there is none, or if a person has not trusted it. */
export async function resolveRun(
  workspace: Workspace,
  wanted: string,
  id: string,
): Promise<ResolvedRun> {
  const { source, inUse } = await findNamed(workspace, wanted).catch(async (error: unknown) => {
    throw await withNameHints(workspace, wanted, error);
  });
  const { name: jobName } = inUse.definition;
  const { name: workflowName, inputs: declared = [] } = inUse.workflow;
  await requireTrustInAll(workspace, inUse);
  return {
    jobName,
    workflowName,
    label: nameForPeople({ source, jobName, workflowName }),
    branch: branchName(jobName, workflowName, id, workspace.clock()),
    declared,
    inUse,
  };
}

/** For inputs that are still text. */
export function inputsOfRun(workspace: Workspace, wanted: string): Promise<TypeOfInput> {
  return declaredInputs(workspace, ...splitName(wanted)).catch(async (error: unknown) => {
    throw await withNameHints(workspace, wanted, error);
  });
}

export interface StartSession extends ResolvedRun {
  /** The id of the session, chosen beforehand because its worktree is named after it. */
  readonly id: string;
  readonly identity: string;
  readonly goal: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly worktree: boolean;
}

export async function startSession(
  workspace: Workspace,
  start: StartSession,
): Promise<{ readonly warnings: readonly string[] }> {
  const { id, jobName, workflowName, goal, inputs, worktree } = start;
  const context = { ...callAsRun(workspace, start), newSessionId: () => id };
  const input = startWorkflow.parse({
    goal,
    job_name: jobName,
    workflow_name: workflowName,
    ...(worktree && { instance_id: id }),
    ...(Object.keys(inputs).length > 0 && { inputs }),
  });
  const { warnings } = await startWorkflow.run(context, input).catch((error: unknown) => {
    throw forPerson(error, start.declared);
  });
  return { warnings };
}

/** Invalid inputs are reported to the person who typed them, so the next move names the option. */
function forPerson(error: unknown, declared: readonly DeclaredVariable[]): unknown {
  if (!(error instanceof Refused) || error.refusal.code !== 'inputs_invalid') return error;
  const next =
    declared.length === 0
      ? 'leave out --inputs; this workflow declares none. What its steps have to know belongs in --goal.'
      : `give each one as --inputs name=value: ${describeVariables(declared)}.`;
  return new Refused({ ...error.refusal, next });
}
