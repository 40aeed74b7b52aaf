// Plays calls on a shell with the deciders, as the operations do. The answers are compared with the
// reference.

import type { Refusal } from '../../src/core/refusal.ts';
import {
  decideAbort,
  decideGoBack,
  decideStart,
  type Mover,
} from '../../src/core/session/decide.ts';
import type { SessionDecision } from '../../src/core/session/events.ts';
import { type Facts, type Need, needOf, withFact } from '../../src/core/session/facts.ts';
import { decideRunEnded } from '../../src/core/session/nested-run.ts';
import { jobStepGone, noSuchSession } from '../../src/core/session/refusals.ts';
import { levelAbove } from '../../src/core/session/stack.ts';
import type { Owner, Session } from '../../src/core/session/state.ts';
import {
  decideInformed,
  decideStackChanged,
  mustInformAgent,
  steeredByPerson,
} from '../../src/core/session/steering.ts';
import { allOutputs } from '../../src/core/session/view.ts';
import type { Entry, RunEntry } from '../../src/core/workflow.ts';
import { type Answer, HAPPENED, type Status } from './answers.ts';
import {
  type Abort,
  type Actor,
  alone,
  type Call,
  type Found,
  type GoTo,
  type Jobs,
  NOT_NEEDED,
  nestedId,
  type Overlap,
  type Simple,
  STILL_RED,
  type Start,
  type Steer,
} from './calls.ts';
import { isReceived, receiveCall, reviewCall, settleCall } from './play-finish.ts';
import { isRefusal, type Shell } from './shell.ts';

export interface Stage {
  readonly shell: Shell;
  readonly jobs: Jobs;
  /** Whether calls that overlap are settled at the same time, or in the order given. */
  readonly atOnce: boolean;
}

/** One answer for each call that the call contains, in the reference's order. */
export async function play(stage: Stage, call: Call): Promise<Answer[]> {
  return call.kind === 'overlap' ? overlap(stage, call) : [await simple(stage, call)];
}

async function simple(stage: Stage, call: Simple): Promise<Answer> {
  switch (call.kind) {
    case 'start':
      return start(stage, call);
    case 'finish':
      return (await overlap(stage, alone(call)))[0] as Answer;
    case 'abort':
      return abort(stage, call);
    case 'go_to':
      return goTo(stage, call);
    case 'steer':
      return steer(stage, call);
    case 'die':
      await stage.shell.die(call.process);
      return HAPPENED;
    case 'rebuild':
      await stage.shell.rebuild();
      return HAPPENED;
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
  for (const each of received) {
    reviewed.push(isReceived(each) ? await reviewCall(stage, each) : each);
  }
  if (!call.early) await meanwhile();

  const answers: Answer[] = call.received.map(() => told('unanswered'));
  const settle = async (index: number) => {
    const each = reviewed[index];
    if (each === undefined) return;
    answers[index] = isReceived(each) ? await settleCall(stage, each) : each;
  };
  if (stage.atOnce) await Promise.all(call.order.map(settle));
  else for (const index of call.order) await settle(index);
  return [...between, ...answers];
}

export function told(outcome: Status | Refusal, text: string | null = null): Answer {
  if (typeof outcome === 'string') return { ...HAPPENED, status: outcome, text };
  const { code, message, next } = outcome;
  return { ...HAPPENED, status: 'refused', code: String(code), text: `${message}\n${next}` };
}

export function inUseOf({ jobs }: Stage, job: string) {
  const workflow = jobs.get(job);
  if (workflow === undefined) throw new Error(`the history has no job '${job}'`);
  return { workflow, hash: `${job} as it is`, stepGone: jobStepGone };
}

interface Begin {
  readonly id: string;
  readonly job: string;
  readonly owner: Owner;
  readonly goal: string;
  readonly context?: Start['context'];
  readonly parentId: string | null;
  readonly runEntry?: string;
  readonly level: number;
}

function startDecision(stage: Stage, begin: Begin, found: Found): SessionDecision {
  const { id, job, owner, goal, context = {}, parentId, runEntry, level } = begin;
  const command = {
    ...{ at: stage.shell.clock(), id, owner, parentId, level, goal, context },
    source: 'job',
    ...{ jobName: job, jobDir: `/jobs/${job}`, instanceId: null, inUse: inUseOf(stage, job) },
    ...(runEntry !== undefined && { runEntry }),
    branch: { branch_name: `deepwork/${job}` },
  } as const;
  const decide = (facts: Facts) => decideStart({ ...command, facts });
  return deciding(stage, found, nestedId(id, 1), decide);
}

/** Decides until nothing has to be found out any more. `runs`: the id of what would be started. */
function deciding(
  stage: Stage,
  found: Found,
  runs: string,
  decide: (facts: Facts) => SessionDecision,
): SessionDecision {
  let facts: Facts = {};
  for (let tries = 0; tries < 20; tries += 1) {
    const decision = decide(facts);
    const need = needOf(decision);
    if (need === null) return decision;
    const fact = findOut(stage, found, runs, need);
    if (typeof fact === 'object' && 'code' in fact) return { kind: 'refused', refusal: fact };
    facts = withFact(facts, need, fact);
  }
  throw new Error('there is always something more to find out');
}

function findOut(stage: Stage, { untils, items }: Found, runs: string, need: Need) {
  switch (need.kind) {
    case 'until': {
      const kind = untils[need.loop.name] ?? 'done';
      if (kind === 'not_yet') return { kind, said: STILL_RED } as const;
      return kind === 'done' ? ({ kind } as const) : ({ kind, why: 'it was killed' } as const);
    }
    case 'items':
      return Array.from({ length: items[need.entry.name] ?? 0 }, (_, index) => index);
    case 'run': {
      // Whatever would prevent its start refuses the call that leads there.
      const owner = { identity: 'nobody', process: 'none' };
      const begin = { id: runs, job: need.entry.job, owner, goal: '', parentId: null, level: 1 };
      const decision = startDecision(stage, begin, { untils, items });
      return decision.kind === 'refused' ? decision.refusal : runs;
    }
  }
}

interface Committed {
  readonly before: Session | null;
  readonly after: Session;
}

/** Commits a decision about an existing session that may depend on what is found out. */
export async function commit(
  { shell, ...stage }: Stage,
  actor: Actor,
  id: string,
  decide: (session: Session, facts: Facts) => SessionDecision,
  found: Found = { untils: {}, items: {} },
): Promise<Committed | Refusal> {
  let before: Session | null = null;
  const after = await shell.commit(actor, id, (now) => {
    before = now;
    if (now === null) return { kind: 'refused', refusal: noSuchSession(id) };
    const runs = nestedId(id, now.position.arrival + 1);
    return deciding({ shell, ...stage }, found, runs, (facts) => decide(now, facts));
  });
  return isRefusal(after) ? after : { before, after };
}

/**
 * What follows from a move outside of its session: what it no longer runs is aborted, what it runs
 * now is started, and a parent learns how it ended. The refusal of a parent that cannot go on.
 */
export async function afterMove(
  stage: Stage,
  actor: Actor,
  { before, after }: Committed,
  found: Found,
): Promise<Refusal | null> {
  const { shell } = stage;
  const { status, position } = after;
  if (before?.status === status && before.position.arrival === position.arrival) return null;
  const left = before?.position.at;
  const running = left?.kind === 'run' ? await shell.load(left.session) : null;
  if (running?.status === 'active') await end(stage, actor, running.id, running.owner, NOT_NEEDED);
  const { at } = position;
  if (status === 'active' && at?.kind === 'run') {
    const { owner, goal, id: parentId } = after;
    const level = levelAbove(await shell.stack(owner.identity));
    const job = entryOf(stage, after)?.job as string;
    const begin = { id: at.session, job, owner, goal, parentId, runEntry: at.name, level };
    const started = await shell.commit(actor, at.session, () => startDecision(stage, begin, found));
    if (isRefusal(started)) throw new Error(`it was to be started: ${started.message}`);
    await afterMove(stage, actor, { before: null, after: started }, found);
  }
  if (status === 'aborted') await reportAbort(stage, actor, after);
  return status === 'completed' ? moveParent(stage, actor, after, found) : null;
}

function entryOf(stage: Stage, { jobName, position: { at } }: Session) {
  const runs = (entries: readonly Entry[]): readonly RunEntry[] =>
    entries.flatMap((entry) =>
      entry.kind === 'loop' ? runs(entry.entries) : entry.kind === 'run' ? [entry] : [],
    );
  return runs(inUseOf(stage, jobName).workflow.entries).find(({ name }) => name === at?.name);
}

async function end(
  stage: Stage,
  actor: Actor,
  id: string,
  by: Mover,
  explanation: string,
): Promise<Refusal | null> {
  const ending = { nth: 1, resumes: null };
  const ended = await commit(stage, actor, id, (now) =>
    decideAbort(now, { at: stage.shell.clock(), by, explanation, ending }),
  );
  if (isRefusal(ended)) return ended;
  return afterMove(stage, actor, ended, { untils: {}, items: {} });
}

async function reportAbort(stage: Stage, actor: Actor, nested: Session): Promise<void> {
  const { parentId, runEntry, abortReason, abortedBy, jobName: _, id } = nested;
  if (runEntry === null || parentId === null) return;
  const reason = abortedBy === null ? `${abortReason}` : `${abortedBy}: ${abortReason}`;
  const outcome = { kind: 'aborted', reason } as const;
  await commit(stage, actor, parentId, (now) => {
    const inUse = inUseOf(stage, now.jobName);
    return decideRunEnded(now, {
      at: stage.shell.clock(),
      by: now.owner,
      session: id,
      outcome,
      inUse,
    });
  });
}

export async function moveParent(
  stage: Stage,
  actor: Actor,
  nested: Session,
  found: Found,
): Promise<Refusal | null> {
  const { shell } = stage;
  const { runEntry, parentId } = nested;
  const parent = runEntry === null || parentId === null ? null : await shell.load(parentId);
  if (parent?.status !== 'active') return null;
  const inUse = inUseOf(stage, parent.jobName);
  const outcome = { kind: 'completed', outputs: allOutputs(nested) } as const;
  const at = shell.clock();
  const command = { at, by: shell.ownerOf(actor), session: nested.id, outcome, inUse };
  const ending = { nth: 1, resumes: null };
  const decide = (now: Session, facts: Facts) => decideRunEnded(now, { ...command, facts, ending });
  const moved = await commit(stage, actor, parent.id, decide, found);
  return isRefusal(moved) ? moved : afterMove(stage, actor, moved, found);
}

async function start(stage: Stage, { actor, id, job, context, found }: Start): Promise<Answer> {
  const { shell } = stage;
  const stack = await shell.stack(actor.owner);
  const below = stack.at(-1);
  const begin = {
    ...{ id, job, owner: shell.ownerOf(actor), goal: `goal of ${id}`, context },
    ...{ parentId: below?.id ?? null, level: levelAbove(stack) },
  };
  const session = await shell.commit(actor, id, (existing) => {
    if (existing !== null) throw new Error(`session '${id}' is started twice`);
    return startDecision(stage, begin, found);
  });
  if (isRefusal(session)) return told(session);
  if (below !== undefined) await informed(stage, actor, below);
  await afterMove(stage, actor, { before: null, after: session }, found);
  return told('started');
}

async function abort(stage: Stage, { actor, session, explanation }: Abort): Promise<Answer> {
  const claimed = await stage.shell.claim(actor, session);
  if (isRefusal(claimed)) return told(claimed);
  const news = await informed(stage, actor, claimed);
  if (news !== null) return told(news);
  const owner = stage.shell.ownerOf(actor);
  return told((await end(stage, actor, claimed.id, owner, explanation)) ?? 'aborted');
}

async function goTo(stage: Stage, { actor, session, stepId, found }: GoTo): Promise<Answer> {
  const claimed = await stage.shell.claim(actor, session);
  if (isRefusal(claimed)) return told(claimed);
  const news = await informed(stage, actor, claimed);
  if (news !== null) return told(news);
  const by = stage.shell.ownerOf(actor);
  const back = await sendBack(stage, actor, claimed, { by, stepId }, found);
  return 'code' in back ? told(back) : { ...told('went_back'), ...back };
}

async function sendBack(
  stage: Stage,
  actor: Actor,
  { id, jobName }: Session,
  command: { readonly by: Mover; readonly stepId: string; readonly reason?: string },
  found: Found,
) {
  const inUse = inUseOf(stage, jobName);
  let invalidated: readonly string[] = [];
  const moved = await commit(
    stage,
    actor,
    id,
    (now, facts) => {
      const decision = decideGoBack(now, { at: stage.shell.clock(), inUse, facts, ...command });
      if (decision.kind === 'commit' && decision.event.type === 'went_back') {
        invalidated = decision.event.data.invalidated;
      }
      return decision;
    },
    found,
  );
  if (isRefusal(moved)) return moved;
  await afterMove(stage, actor, moved, found);
  return { invalidated: [...invalidated].sort() };
}

/** What a call that was made without knowing is refused with; null: its caller knows all. */
export async function informed(
  stage: Stage,
  actor: Actor,
  session: Session,
): Promise<Refusal | null> {
  const { steering, id } = session;
  if (steering === null || !mustInformAgent(session)) return null;
  const by = stage.shell.ownerOf(actor);
  const now = await commit(stage, actor, id, (each) =>
    decideInformed(each, { at: stage.shell.clock(), by }),
  );
  if (isRefusal(now)) throw new Error(`the agent of ${id} could not be informed: ${now.message}`);
  return steeredByPerson(now.after, steering);
}

/** A process of its own, which owns nothing. */
const DASHBOARD: Actor = { owner: 'dashboard', process: 'dashboard#1' };

async function steer(stage: Stage, call: Steer): Promise<Answer> {
  const { shell } = stage;
  const { session: id, stepId, person, reason, found } = call;
  const before = await shell.load(id);
  if (before === null) throw new Error(`the history has no session '${id}'`);
  if (stepId !== null) {
    const hasGoneOn = before.status === 'completed' && before.runEntry !== null;
    if (hasGoneOn) return { ...told('refused'), code: 'run_ended' };
    const back = await sendBack(
      stage,
      DASHBOARD,
      before,
      { by: { person }, reason, stepId },
      found,
    );
    return told('code' in back ? back : 'steered');
  }
  const gone = [id, ...(await nestedIn(stage, before))];
  const rest = (await shell.stack(before.owner.identity)).filter((each) => !gone.includes(each.id));
  const onTop = before.status === 'active' ? rest.at(-1)?.id : undefined;
  if (onTop !== undefined) {
    const news = { at: shell.clock(), ended: id, person, reason };
    await commit(stage, DASHBOARD, onTop, (now) => decideStackChanged(now, news));
  }
  return told((await end(stage, DASHBOARD, id, { person }, reason)) ?? 'steered');
}

async function nestedIn(stage: Stage, { position: { at } }: Session): Promise<string[]> {
  const nested = at?.kind === 'run' ? await stage.shell.load(at.session) : null;
  return nested?.status === 'active' ? [nested.id, ...(await nestedIn(stage, nested))] : [];
}
