// start_workflow: starts a session and returns its first step. A start that fails leaves nothing
// behind: instructions are read before the session is committed, and the branch is created after.

import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { unchanged } from '../../core/decision.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { sameJson } from '../../core/same-json.ts';
import { decideStart, withoutReserved } from '../../core/session/decide.ts';
import { startWarnings } from '../../core/session/next-entry.ts';
import { openStepId } from '../../core/session/progress.ts';
import { levelAbove } from '../../core/session/stack.ts';
import { type Session, workflowLabel } from '../../core/session/state.ts';
import { shown } from '../../core/wording.ts';
import type { CallContext } from '../../engine/call-context.ts';
import { type DefinitionInUse, findDefinition } from '../../engine/definition-in-use.ts';
import { commitMove, type SessionMove } from '../../engine/entries/commit-move.ts';
import { clearStack, follow } from '../../engine/entries/follow.ts';
import { newsOf } from '../../engine/inform-agent.ts';
import { startFindings } from '../../engine/start-findings.ts';
import { requireInputs } from '../../engine/start-inputs.ts';
import { beginStep } from '../../engine/step/begin-step.ts';
import { storeWarningsForAgent } from '../../engine/store-warnings.ts';
import { gateNow } from '../../engine/submission/gate-in-use.ts';
import { checkoutTrusted, trustWarnings } from '../../engine/trust/command-trust.ts';
import { heldBack } from '../../engine/trust/held-back-settings.ts';
import { uncertainStarts } from '../../engine/uncertain-starts.ts';
import { branchName, planBranch, prepareBranch } from '../../environment/git/branch.ts';
import { TEXTS } from '../answer-schema.ts';
import {
  contextParameter,
  optionalText,
  textParameter,
  variablesParameter,
} from '../parameters.ts';
import { BEGIN_STEP } from './begin-step-schema.ts';
import { defineJobTool, inTurn } from './define.ts';

const INPUT = z.strictObject({
  goal: textParameter('What the user wants'),
  job_name: textParameter("Job, or a guide's id"),
  workflow_name: textParameter("A workflow, or the guide's id"),
  instance_id: optionalText('Short name'),
  context: contextParameter(),
  inputs: variablesParameter('See get_workflows'),
});

export const startWorkflow = defineJobTool({
  name: 'start_workflow',
  description:
    'Start a workflow (may nest). Do what step_instructions say, then call finished_step.',
  input: INPUT,
  answer: { begin_step: BEGIN_STEP, warnings: TEXTS },
  readOnly: false,
  loadAtOnce: true,
  run: inTurn('start', startOnce),
});

async function startOnce(context: CallContext, input: z.infer<typeof INPUT>) {
  const { workspace, owner, afterAnswer } = context;
  const { stacks, clock, paths, containment, lostAnswers } = workspace;
  // Comes first: where nothing can be written, that is the problem, not a missing job.
  for (const folder of [paths.journal, paths.tmp]) containment.require(folder);
  const found = await findDefinition(workspace, input.job_name, input.workflow_name);
  const { source, inUse } = found;
  const { definition, workflow } = inUse;
  const given = input.context ?? {};
  const inputs = await requireInputs(paths.root, workflow, input.inputs ?? {}, given);
  const taken =
    source === 'guide' ? `the guide '${workflow.name}'` : `the job's only one, '${workflow.name}',`;
  const renamed =
    input.workflow_name === workflow.name
      ? []
      : [`There is no workflow '${shown(input.workflow_name)}'; ${taken} was started.`];
  const settings = await workspace.settings();
  const held = await heldBack(workspace);
  const untrusted = await trustWarnings(workspace, definition, workflow, settings);
  const findings = await startFindings(workspace, found);
  await clearStack(context);
  const stack = await stacks.of(owner);
  const at = clock();
  const instanceId = input.instance_id?.trim() || null;
  const mayFollow = await checkoutTrusted(workspace, settings);
  const mode = mayFollow ? settings.branch : 'create';
  const plan = (name: string) => planBranch(paths.work, name, mode);
  const branch = await plan(branchName(definition.name, workflow.name, instanceId, at));

  const gate = await gateNow(workspace, inUse, settings);
  const { goal } = input;
  const level = levelAbove(stack);
  const depth = stack.length + 1;
  const earlier = uncertainStarts(workspace, owner, input);
  const start = () => {
    const id = earlier.id ?? context.newSessionId?.() ?? randomBytes(4).toString('hex');
    const own = { id, goal, instanceId, level, inputs, context: given };
    const move: SessionMove = {
      id,
      inUse,
      starts: {
        passesOn: { ...own, branchName: branch.name, depth },
        decide: ({ facts }) =>
          decideStart({
            ...own,
            at,
            source,
            owner,
            inUse,
            facts,
            parentId: stack.at(-1)?.id ?? null,
            jobName: definition.name,
            jobDir: definition.dir,
            branch: {
              branch_name: branch.name,
              ...(branch.from !== null && { branch_from: branch.from }),
            },
            gate,
          }),
      },
      decide: () => (earlier.id === null ? { kind: 'refused', refusal: idTaken(id) } : unchanged()),
    };
    const commit = () =>
      commitMove(context, move, (_, lead) => beginStep(lead.session, lead.inUse));
    return earlier.run(id, commit);
  };
  const before =
    stack.find(({ id }) => id === earlier.id) ??
    (await startedBefore(context, stack, {
      jobName: definition.name,
      workflowName: workflow.name,
      goal: input.goal,
      instanceId,
      context: { ...given, ...inputs },
    }));
  // A new session is not nested in an orphaned one, which may be unrelated.
  const unfinished = stack.length > 0 || before !== null ? [] : await stacks.unfinished(owner);
  const { prepared, session, warnings } =
    before === null
      ? await start().catch(againIfTaken(start))
      : { prepared: await stepNow(context, before, inUse), session: before, warnings: [] };
  context.about?.(session.id);
  // Before anything that may fail, so that the repeated call finds this start.
  lostAnswers.expect({ id: session.id, seq: 1 }, afterAnswer);
  const news = await newsFromPeople(context, stack);
  // A repeated start may just have taken its stack over, so the parent is looked up again.
  const parent = before === null ? stack.at(-1) : await openParentOf(context, before);
  const { branchName: own } = session;
  // The name of a branch contains the day, and a repeated start may be from another one.
  const ownPlan = own === branch.name ? branch : await plan(own);
  const { trouble, elsewhere } = await prepareBranch(paths.work, ownPlan);
  return {
    begin_step: prepared,
    warnings: [
      // First: the wrong workflow may have been started.
      ...renamed,
      ...news,
      nestedIn(parent, context.fromTerminal ?? false),
      ...inUse.warnings,
      ...findings,
      ...held,
      ...untrusted,
      ...startWarnings(workflow, session.context),
      ...warnings,
      ...unfinished,
      ...(await storeWarningsForAgent(workspace)),
      mayFollow ? elsewhere : notTrusted(own, paths.root),
      trouble,
    ].filter((warning) => warning !== null),
  };
}

/** The current step of a session that was started before, or of the run nested in it. */
async function stepNow(context: CallContext, session: Session, inUse: DefinitionInUse) {
  const lead = await follow(context, session);
  return lead === null ? beginStep(session, inUse) : beginStep(lead.session, lead.inUse);
}

/** What a person did to the session that this one is nested in. */
async function newsFromPeople(
  context: CallContext,
  stack: readonly Session[],
): Promise<readonly string[]> {
  const top = stack.at(-1);
  if (top === undefined) return context.workspace.stacks.endedByPerson(context.owner);
  const news = await newsOf(context, top);
  return news === null ? [] : [`${news.text}.`];
}

async function openParentOf(
  { workspace, owner }: CallContext,
  { parentId }: Session,
): Promise<Session | undefined> {
  return (await workspace.stacks.of(owner)).find(({ id }) => id === parentId);
}

/** Nesting is often intended, but starting the same workflow twice is easily overlooked. */
function nestedIn(parent: Session | undefined, fromTerminal: boolean): string | null {
  if (parent === undefined) return null;
  const nested = `Nested in session ${parent.id} (${workflowLabel(parent)}, step '${openStepId(parent)}'), which waits until this one ends.`;
  // An agent has one stack; at a terminal every name has its own.
  return fromTerminal ? `${nested} ${HOW_NOT_TO_NEST}` : nested;
}

const HOW_NOT_TO_NEST =
  'To start a run of its own instead, abort this one, and give another name: deepwork call --agent NAME start_workflow …';

/**
 * The session that the same call started before, if its answer was lost and nothing was done in it
 * since: a second one would be nested in it.
 */
async function startedBefore(
  { workspace, owner }: CallContext,
  stack: readonly Session[],
  wanted: Pick<Session, 'jobName' | 'workflowName' | 'goal' | 'instanceId' | 'context'>,
): Promise<Session | null> {
  const { stacks, lostAnswers } = workspace;
  const known = stack.length > 0 ? stack : await stacks.open(owner);
  for (const session of known) {
    const { id, lastMove, jobName, workflowName, goal, instanceId } = session;
    if (lastMove?.kind !== 'started') continue;
    const given = withoutReserved(session.context);
    const started = { jobName, workflowName, goal, instanceId, context: given };
    if (!sameJson(started, { ...wanted, context: withoutReserved(wanted.context) })) continue;
    if (await lostAnswers.isLost({ id, ...lastMove })) return stacks.claim(owner, id);
  }
  return null;
}

function notTrusted(branch: string, root: string): string {
  return `Git branch '${branch}' is not checked out: a checkout runs the git filters of the repository, and no one has trusted git.branch: checkout here. Ask your user to run: deepwork trust --path ${root}`;
}

const ID_TAKEN = 'id_taken';

function idTaken(id: string) {
  return refuse(ID_TAKEN, `Session id ${id} is taken`, 'call start_workflow again.');
}

/** Ids are random and short: one start in four billion draws the id of an earlier session. */
function againIfTaken<T>(start: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof Refused && error.refusal.code === ID_TAKEN) return start();
    throw error;
  };
}
