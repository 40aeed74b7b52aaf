// Plays calls on a shell with the decider, as the operations do. The answers are compared with the
// reference.

import { decideAbort, decideGoBack, decideStart } from '../../src/core/session/decide.ts';
import type { SessionDecision } from '../../src/core/session/events.ts';
import { levelAbove } from '../../src/core/session/stack.ts';
import type { Session } from '../../src/core/session/state.ts';
import { type Answer, NOTHING_SAID } from './answers.ts';
import type { Abort, Call, GoTo, Overlap, Simple, Start } from './calls.ts';
import { isReceived, receiveCall, reviewCall, settleCall } from './play-finish.ts';
import { informed, steer } from './play-steering.ts';
import { isRefusal } from './shell.ts';
import { answer, definitionInUse, existing, jobOf, type Stage, WORKFLOW_GONE } from './stage.ts';

/** One answer for each call that the call contains, in the reference's order. */
export async function play(stage: Stage, call: Call): Promise<Answer[]> {
  return call.kind === 'overlap' ? overlap(stage, call) : [await simple(stage, call)];
}

async function simple(stage: Stage, call: Simple): Promise<Answer> {
  switch (call.kind) {
    case 'start':
      return start(stage, call);
    case 'finish': {
      const alone = { received: [call], between: [], early: false, order: [0] };
      return (await overlap(stage, { kind: 'overlap', ...alone }))[0] as Answer;
    }
    case 'abort':
      return abort(stage, call);
    case 'go_to':
      return goTo(stage, call);
    case 'steer':
      return steer(stage, call);
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
  const received = [];
  for (const each of call.received) received.push(await receiveCall(stage, each));
  const between: Answer[] = [];
  const meanwhile = async () => {
    for (const each of call.between) between.push(await simple(stage, each));
  };
  if (call.early) await meanwhile();
  const reviewed: typeof received = [];
  for (const each of received)
    reviewed.push(isReceived(each) ? await reviewCall(stage, each) : each);
  if (!call.early) await meanwhile();

  const answers: Answer[] = call.received.map(() => ({ ...NOTHING_SAID, status: 'unanswered' }));
  const settle = async (index: number) => {
    const each = reviewed[index];
    if (each !== undefined)
      answers[index] = isReceived(each) ? await settleCall(stage, each) : each;
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
  const inUse = definitionInUse(job);
  const decide = (existing: Session | null): SessionDecision => {
    if (existing !== null) throw new Error(`session '${id}' is started twice`);
    return decideStart({
      at: shell.clock(),
      id,
      source: 'job',
      owner: shell.ownerOf(actor),
      parentId: stack.at(-1)?.id ?? null,
      level: levelAbove(stack),
      jobName: job.name,
      jobDir: `/jobs/${job.name}`,
      goal: `goal of ${id}`,
      instanceId: null,
      context: call.context,
      branch: { branch_name: `deepwork/${job.name}-${job.workflow}-${id}` },
      inUse,
    });
  };
  const session = await shell.commit(actor, id, decide, inUse);
  if (isRefusal(session)) return answer(stage, actor, session, id);
  const below = stack.at(-1);
  if (below !== undefined) await informed(stage, actor, below);
  return answer(stage, actor, 'started', id);
}

async function abort(stage: Stage, call: Abort): Promise<Answer> {
  const { shell } = stage;
  const { actor, explanation } = call;
  const claimed = await shell.claim(actor, call.session);
  if (isRefusal(claimed)) return answer(stage, actor, claimed, null);
  const { id } = claimed;
  const news = await informed(stage, actor, claimed);
  if (news !== null) return answer(stage, actor, news, id);
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
  const news = await informed(stage, actor, claimed);
  if (news !== null) return answer(stage, actor, news, id);
  const job = jobOf(stage, claimed.jobName);
  if (job.workflow !== claimed.workflowName) return answer(stage, actor, WORKFLOW_GONE, id);
  const inUse = definitionInUse(job);
  let invalidated: readonly string[] = [];
  const decide = existing(id, (now) => {
    const by = shell.ownerOf(actor);
    const decision = decideGoBack(now, { at: shell.clock(), by, stepId, inUse });
    if (decision.kind === 'commit' && decision.event.type === 'went_back') {
      invalidated = decision.event.data.invalidated;
    }
    return decision;
  });
  const session = await shell.commit(actor, id, decide, inUse);
  if (isRefusal(session)) return answer(stage, actor, session, id);
  return { ...(await answer(stage, actor, 'went_back', id)), invalidated: [...invalidated].sort() };
}
