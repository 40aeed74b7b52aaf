// Plays calls on a shell with the decider, the way the operations do it. What is
// answered is compared with the reference.

import { decideAbort, decideGoBack, decideStart } from '../../src/core/session/decide.ts';
import { levelAbove } from '../../src/core/session/stack.ts';
import type { Session, SessionDecision } from '../../src/core/session/state.ts';
import { type Answer, NOTHING_SAID } from './answers.ts';
import type { Abort, Call, GoTo, Overlap, Simple, Start } from './calls.ts';
import { hearCall, isTicket, reviewCall, settleCall } from './play-finish.ts';
import { isRefusal } from './shell.ts';
import { answer, editionOf, existing, jobOf, type Stage, WORKFLOW_GONE } from './stage.ts';

/** One answer for each call that the call holds, in the reference's order. */
export async function play(stage: Stage, call: Call): Promise<Answer[]> {
  return call.kind === 'overlap' ? overlap(stage, call) : [await simple(stage, call)];
}

async function simple(stage: Stage, call: Simple): Promise<Answer> {
  switch (call.kind) {
    case 'start':
      return start(stage, call);
    case 'finish': {
      const alone = { heard: [call], between: [], early: false, order: [0] };
      return (await overlap(stage, { kind: 'overlap', ...alone }))[0] as Answer;
    }
    case 'abort':
      return abort(stage, call);
    case 'go_to':
      return goTo(stage, call);
    case 'edit':
      stage.jobs.set(call.job.name, call.job);
      return NOTHING_SAID;
    case 'die':
      await stage.shell.die(call.process);
      return NOTHING_SAID;
    case 'rebuild':
      await stage.shell.rebuild();
      return NOTHING_SAID;
  }
}

async function overlap(stage: Stage, call: Overlap): Promise<Answer[]> {
  const heard = [];
  for (const each of call.heard) heard.push(await hearCall(stage, each));
  const between: Answer[] = [];
  const meanwhile = async () => {
    for (const each of call.between) between.push(await simple(stage, each));
  };
  if (call.early) await meanwhile();
  const reviewed: typeof heard = [];
  for (const each of heard) reviewed.push(isTicket(each) ? await reviewCall(stage, each) : each);
  if (!call.early) await meanwhile();

  const answers: Answer[] = call.heard.map(() => ({ ...NOTHING_SAID, status: 'unanswered' }));
  const settle = async (index: number) => {
    const each = reviewed[index];
    if (each !== undefined) answers[index] = isTicket(each) ? await settleCall(stage, each) : each;
  };
  if (stage.atOnce) await Promise.all(call.order.map(settle));
  else for (const index of call.order) await settle(index);
  return [...between, ...answers];
}

async function start(stage: Stage, call: Start): Promise<Answer> {
  const { shell } = stage;
  const { actor, id } = call;
  const job = jobOf(stage, call.job);
  const stack = await shell.stack(actor.owner);
  const edition = editionOf(job);
  const decide = (existing: Session | null): SessionDecision => {
    if (existing !== null) throw new Error(`session '${id}' is started twice`);
    return decideStart({
      at: shell.clock(),
      id,
      kind: 'job',
      owner: shell.ownerOf(actor),
      parentId: stack.at(-1)?.id ?? null,
      level: levelAbove(stack),
      jobName: job.name,
      jobDir: `/jobs/${job.name}`,
      goal: `goal of ${id}`,
      instanceId: null,
      context: call.context,
      branch: { branch_name: `deepwork/${job.name}-${job.workflow}-${id}` },
      edition,
    });
  };
  const session = await shell.commit(actor, id, decide, edition);
  return answer(stage, actor, isRefusal(session) ? session : 'started', id);
}

async function abort(stage: Stage, call: Abort): Promise<Answer> {
  const { shell } = stage;
  const { actor, explanation } = call;
  const claimed = await shell.claim(actor, call.session);
  if (isRefusal(claimed)) return answer(stage, actor, claimed, null);
  const { id } = claimed;
  const session = await shell.commit(
    actor,
    id,
    existing(id, (now) => {
      const by = shell.ownerOf(actor);
      const ending = { nth: 1, resumes: null };
      return decideAbort(now, { at: shell.clock(), by, explanation, ending });
    }),
    null,
  );
  return answer(stage, actor, isRefusal(session) ? session : 'aborted', id);
}

async function goTo(stage: Stage, call: GoTo): Promise<Answer> {
  const { shell } = stage;
  const { actor, stepId } = call;
  const claimed = await shell.claim(actor, call.session);
  if (isRefusal(claimed)) return answer(stage, actor, claimed, null);
  const { id } = claimed;
  const job = jobOf(stage, claimed.jobName);
  if (job.workflow !== claimed.workflowName) return answer(stage, actor, WORKFLOW_GONE, id);
  const edition = editionOf(job);
  let invalidated: readonly string[] = [];
  const decide = existing(id, (now) => {
    const by = shell.ownerOf(actor);
    const decision = decideGoBack(now, { at: shell.clock(), by, stepId, edition });
    if (decision.kind === 'commit' && decision.event.type === 'went_back') {
      invalidated = decision.event.data.invalidated;
    }
    return decision;
  });
  const session = await shell.commit(actor, id, decide, edition);
  if (isRefusal(session)) return answer(stage, actor, session, id);
  return { ...(await answer(stage, actor, 'went_back', id)), invalidated: [...invalidated].sort() };
}
