// start_workflow: begins a session and puts its first step before the agent. Nothing is
// left behind by a start that fails: instructions are read before the session is
// committed, and the branch is made after.

import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Refused, refuse } from '../core/refusal.ts';
import { decideStart, withoutReserved } from '../core/session/decide.ts';
import { arrive } from '../core/session/positions.ts';
import { sameJson } from '../core/session/repeats.ts';
import { levelAbove } from '../core/session/stack.ts';
import { type Context, openStepId, type Session, workflowLabel } from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import type { Job, Workflow } from '../core/workflow.ts';
import { listOf, object, TEXT } from '../engine/answer-schema.ts';
import { BEGIN_STEP, beginStep } from '../engine/begin-step.ts';
import type { CallContext } from '../engine/call-context.ts';
import { checkoutTrusted, trustWarnings } from '../engine/command-list.ts';
import { jobBroken, jobNotFound, workflowNotFound } from '../engine/definition-in-use.ts';
import { gateNow } from '../engine/gate-in-use.ts';
import { inSession, isNotFound } from '../engine/guides/failures.ts';
import { findGuide } from '../engine/guides/find-guide.ts';
import { guideAsJob } from '../engine/guides/guide-as-job.ts';
import { heldBack, heldChecks, requireCheckedSteps, withHeldChecks } from '../engine/held-back.ts';
import type { Workspace } from '../engine/workspace.ts';
import { branchName, planBranch, prepareBranch } from '../environment/branch.ts';
import { contextParameter, defineOperation, optionalText, text } from './operation.ts';

export const startWorkflow = defineOperation({
  name: 'start_workflow',
  description:
    'Start a workflow; inside another one it nests. Do what step_instructions of begin_step say, then call finished_step.',
  input: z.strictObject({
    goal: text('What the user wants'),
    job_name: text("A job's name, or a guide's id"),
    workflow_name: text("A workflow, or the guide's id"),
    instance_id: optionalText('Short name of this run'),
    context: contextParameter(),
  }),
  answer: {
    begin_step: BEGIN_STEP,
    warnings: listOf(TEXT),
    stack: listOf(object({ workflow: TEXT, step: TEXT, session_id: TEXT })),
  },
  readOnly: false,
  run: (context, input) => {
    const call = JSON.stringify(['start', context.owner.identity, input]);
    return context.workspace.answers.inTurn(call, context.afterAnswer, () =>
      startOnce(context, input),
    );
  },
});

interface Start {
  readonly goal: string;
  readonly job_name: string;
  readonly workflow_name: string;
  readonly instance_id?: string | null | undefined;
  readonly context: Context | null;
}

async function startOnce(context: CallContext, input: Start) {
  const { workspace, owner, afterAnswer } = context;
  const { store, stacks, clock, paths, containment, lostAnswers } = workspace;
  // Before anything else: where nothing may be written, the job is not what is missing.
  for (const folder of [paths.journal, paths.tmp]) containment.require(folder);
  const found = await findWork(workspace, input.job_name);
  const { job, kind } = found;
  const workflow = selectWorkflow(job, input.workflow_name);
  const renamed =
    kind === 'guide' || workflow.name === input.workflow_name
      ? []
      : [
          `There is no workflow '${shown(input.workflow_name)}'; the job's only one, '${workflow.name}', was started.`,
        ];
  const settings = await workspace.settings();
  const held = await heldBack(workspace);
  const untrusted = await trustWarnings(workspace, job, workflow, settings);
  const stack = await stacks.of(owner);
  const at = clock();
  const instanceId = input.instance_id?.trim() || null;
  const mayFollow = await checkoutTrusted(workspace, settings);
  const mode = mayFollow ? settings.branch : 'create';
  const plan = (name: string) => planBranch(paths.root, name, mode);
  const branch = await plan(branchName(job.name, workflow.name, instanceId, at));
  const edition = { job, workflow, hash: job.hash, warnings: [] };

  const start = () => {
    const id = randomBytes(4).toString('hex');
    return store.commit(
      id,
      (existing) =>
        existing === null
          ? decideStart({
              at,
              id,
              kind,
              owner,
              parentId: stack.at(-1)?.id ?? null,
              level: levelAbove(stack),
              jobName: job.name,
              jobDir: job.dir,
              goal: input.goal,
              instanceId,
              context: input.context ?? {},
              branch: {
                branch_name: branch.name,
                ...(branch.from !== null && { branch_from: branch.from }),
              },
              edition,
              gate: gateNow(edition, settings),
            })
          : { kind: 'refused', refusal: idTaken(id) },
      (session) => beginStep(session, edition),
    );
  };
  const before = await startedBefore(context, stack, {
    jobName: job.name,
    workflowName: workflow.name,
    goal: input.goal,
    instanceId,
    context: input.context ?? {},
  });
  // What was left behind is not nested in: it may be about something else entirely.
  const unfinished = stack.length > 0 || before !== null ? [] : await stacks.unfinished(owner);
  const { prepared, session, warnings } =
    before === null
      ? await start().catch(againIfTaken(start))
      : { prepared: await beginStep(before, edition), session: before, warnings: [] };
  context.about?.(session.id);
  lostAnswers.expect({ id: session.id, seq: 1 }, afterAnswer);
  const { branchName: own } = session;
  // A start that is told again may have begun on another day.
  const ownPlan = own === branch.name ? branch : await plan(own);
  const { trouble, elsewhere } = await prepareBranch(paths.root, ownPlan);
  return {
    begin_step: prepared,
    warnings: [
      // First: the wrong workflow may have been started.
      ...renamed,
      nestedIn(before === null ? stack.at(-1) : stack.find(({ id }) => id === before.parentId)),
      ...found.warnings,
      ...held,
      ...untrusted,
      ...arrive(workflow, 0, session.context, 1).unset,
      ...warnings,
      ...unfinished,
      mayFollow ? elsewhere : notTrusted(own, paths.root),
      trouble,
    ].filter((warning) => warning !== null),
  };
}

/** Often meant, and otherwise easily overlooked: the same workflow started once more. */
function nestedIn(parent: Session | undefined): string | null {
  if (parent === undefined) return null;
  return `Nested in session ${parent.id} (${workflowLabel(parent)}, step '${openStepId(parent)}'), which waits until this one ends.`;
}

/**
 * The session that this very call started before, if its answer was lost and nothing was
 * done in it since: a second one would be nested in it.
 */
async function startedBefore(
  { workspace, owner }: CallContext,
  stack: readonly Session[],
  asked: Pick<Session, 'jobName' | 'workflowName' | 'goal' | 'instanceId' | 'context'>,
): Promise<Session | null> {
  const { stacks, lostAnswers } = workspace;
  const known = stack.length > 0 ? stack : await stacks.open(owner);
  for (const session of known) {
    const { id, lastMove, jobName, workflowName, goal, instanceId } = session;
    if (lastMove?.kind !== 'started') continue;
    const told = withoutReserved(session.context);
    const same = { jobName, workflowName, goal, instanceId, context: told };
    if (!sameJson(same, { ...asked, context: withoutReserved(asked.context) })) continue;
    if (await lostAnswers.isLost({ id, ...lastMove })) return stacks.claim(owner, id);
  }
  return null;
}

interface Work {
  readonly kind: Session['kind'];
  readonly job: Job;
  readonly warnings: readonly string[];
}

/** A job of that name, or else the guide of that id. */
async function findWork(workspace: Workspace, name: string): Promise<Work> {
  const found = await workspace.library.find(name);
  if (found.kind === 'job') {
    requireCheckedSteps(workspace, found.job);
    const warnings = [...found.warnings, ...heldChecks(workspace, found.job)];
    return { kind: 'job', job: withHeldChecks(workspace, found.job), warnings };
  }
  if (found.kind === 'broken') throw new Refused(jobBroken(found.jobName, found.problems));
  const guide = await findGuide(workspace, name).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw inSession(error);
  });
  if (guide === null) {
    const { jobs } = await workspace.library.list();
    throw new Refused(
      jobNotFound(
        name,
        jobs.map((job) => job.name),
      ),
    );
  }
  return { kind: 'guide', job: guideAsJob(guide), warnings: [] };
}

/** A job's only workflow needs no name; otherwise the name must be right. */
function selectWorkflow(job: Job, name: string): Workflow {
  const named = job.workflows.find((workflow) => workflow.name === name);
  const only = job.workflows.length === 1 ? job.workflows[0] : undefined;
  const chosen = named ?? only;
  if (chosen === undefined) throw new Refused(workflowNotFound(name, job));
  return chosen;
}

function notTrusted(branch: string, root: string): string {
  return `Git branch '${branch}' is not checked out: a checkout runs the git filters of the repository, and no one has trusted git.branch: checkout here. Ask your user to run: deepwork trust --path ${root}`;
}

const ID_TAKEN = 'id_taken';

function idTaken(id: string) {
  return refuse(ID_TAKEN, `Session id ${id} is taken`, 'call start_workflow again.');
}

/** Ids are random and short; one in four billion starts meets a former session's. */
function againIfTaken<T>(start: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof Refused && error.refusal.code === ID_TAKEN) return start();
    throw error;
  };
}
