// The reference model's data: plain mutable data, explicit stacks, and what several calls share. The
// workflow is read as data; nothing of the product's code runs here.

import type { Entry, LoopEntry, OutputRef, Step, Workflow } from '../../src/core/workflow.ts';
import { referenceHolds } from '../reference/conditions.ts';
import type { Answer, SessionFacts, Status, Text, World } from './answers.ts';
import { type Actor, type Facts, type Finish, isNamed, type Jobs, type Value } from './calls.ts';

export interface ModelStep {
  done: boolean;
  outputs: Record<string, Value>;
  /** Names that others beside it also had when it was accepted. */
  shared: readonly string[];
  content: number;
  notes: string | null;
  attempts: number;
  reviewRuns: boolean;
  /** An item whose last submission did not pass. */
  turnedDown: boolean;
  /** The files and notes that a subagent was last asked to judge. */
  asked: { paths: string; notes: string | null } | null;
  /** When it was done; equal for what was done together. */
  at: number;
}

export interface Pass {
  readonly pass: number;
  /** Null in the first; undefined: a text that is not promised. */
  readonly said: string | null | undefined;
}

export interface ModelSession {
  id: string;
  job: string;
  owner: string;
  process: string;
  parent: string | null;
  /** Whether an entry of the parent runs it. */
  isRun: boolean;
  status: 'active' | 'completed' | 'aborted';
  abortReason: Text;
  abortedBy: string | null;
  /** A person has opened it again, and nobody has taken it over since. */
  reopened: boolean;
  /** What a person did that the agent does not know yet; `ended`: to another run of its stack. */
  news: { person: string; reason: string; ended: string | null } | null;
  context: Facts;
  /** Indexes of entries, outermost first; the last is that of the entry where it stands. */
  path: number[];
  passes: Map<string, Pass>;
  arrival: number;
  members: string[];
  steps: Map<string, ModelStep>;
  limit: { loop: string; pass: number; said: string | undefined } | null;
  /** What the feedback names; null if there is none. */
  feedback: readonly string[] | null;
  /** The session that the entry runs, and whether its end was an abort. */
  runs: { id: string; aborted: boolean } | null;
  approvals: Map<
    string,
    { approved: Set<string>; rejected: Map<string, string | null>; back: number }
  >;
  /** What was last accepted, and with what words. */
  last: Last | null;
  /** Every acceptance, `session arrival step`: none may get lost or be duplicated. */
  accepted: readonly string[];
}

export type Last = { steps: readonly string[]; arrival: number } & Spoken;
export type Spoken = Pick<Finish, 'outputs' | 'notes' | 'context'>;

export interface Model {
  readonly jobs: Jobs;
  readonly sessions: Map<string, ModelSession>;
  /** Ids of active sessions by owner, bottom to top. */
  readonly stacks: Map<string, string[]>;
  readonly dead: Set<string>;
  clock: number;
}

/** A call that is refused: what it has begun to change is undone. */
export class No {
  readonly code: string;
  readonly says: readonly string[];
  constructor(code: string, ...says: string[]) {
    this.code = code;
    this.says = says;
  }
}

export function newModel(jobs: Jobs): Model {
  const [sessions, stacks] = [new Map(), new Map()];
  return { jobs, sessions, stacks, dead: new Set(), clock: 0 };
}

/** A copy that can be thrown away; what is replaced and never changed is shared. */
export function copyOf(session: ModelSession): ModelSession {
  return {
    ...session,
    path: [...session.path],
    passes: new Map(session.passes),
    members: [...session.members],
    steps: new Map([...session.steps].map(([id, step]) => [id, { ...step }])),
    approvals: new Map(
      [...session.approvals].map(([name, { approved, rejected, back }]) => [
        name,
        { approved: new Set(approved), rejected: new Map(rejected), back },
      ]),
    ),
  };
}

export function copyModel(model: Model): Model {
  return {
    ...model,
    sessions: new Map([...model.sessions].map(([id, session]) => [id, copyOf(session)])),
    stacks: new Map([...model.stacks].map(([owner, ids]) => [owner, [...ids]])),
    dead: new Set(model.dead),
  };
}

export function newStep(): ModelStep {
  const nothing = { outputs: {}, shared: [], content: 0, notes: null, asked: null, at: 0 };
  return { ...nothing, done: false, attempts: 0, reviewRuns: false, turnedDown: false };
}

export function workflowOf(model: Model, { job }: Pick<ModelSession, 'job'>): Workflow {
  const workflow = model.jobs.get(job);
  if (workflow === undefined) throw new Error(`the history has no job '${job}'`);
  return workflow;
}

export function sessionOf(model: Model, id: string): ModelSession {
  const session = model.sessions.get(id);
  if (session === undefined) throw new Error(`the history has no session '${id}'`);
  return session;
}

// Where a session stands.

export function listAt(model: Model, session: ModelSession, depth: number): readonly Entry[] {
  let list = workflowOf(model, session).entries;
  for (const index of session.path.slice(0, depth)) list = (list[index] as LoopEntry).entries;
  return list;
}

export function entryAt(model: Model, session: ModelSession): Entry {
  const depth = session.path.length - 1;
  return listAt(model, session, depth)[session.path[depth] as number] as Entry;
}

export function loopsAround(model: Model, session: ModelSession): LoopEntry[] {
  return session.path
    .slice(0, -1)
    .map((index, depth) => listAt(model, session, depth)[index] as LoopEntry);
}

export function baseOf(id: string): string {
  return id.split('#')[0] as string;
}

function openMembers({ members, steps }: ModelSession): string[] {
  return members.filter((id) => !steps.get(id)?.done);
}

/** The steps that are put before the agent; of items the next open ones, else the first. */
export function shownMembers(model: Model, session: ModelSession): Step[] {
  const entry = entryAt(model, session);
  if (entry.kind === 'steps') return entry.steps.filter(({ id }) => session.members.includes(id));
  if (entry.kind !== 'for_each') return [];
  const open = openMembers(session);
  const ids = open.length > 0 ? open.slice(0, entry.maxParallel) : session.members.slice(0, 1);
  return ids.map((id) => ({ ...entry.step, id }));
}

export function applies({ when }: Pick<Step, 'when'>, context: Facts): boolean {
  type Given = Parameters<typeof referenceHolds>;
  return when === null || referenceHolds(when.source as Given[0], context as Given[1]);
}

/** The done steps that an output is taken from: the step itself, or its items. */
export function handedIn({ steps }: ModelSession, { step, output }: OutputRef): ModelStep[] {
  return [...steps]
    .filter(([id, { done, outputs }]) => {
      const isIt = id === step || (id.includes('#') && baseOf(id) === step);
      return isIt && done && Object.hasOwn(outputs, output);
    })
    .map(([, found]) => found);
}

// Owners and their stacks.

export function stackOf(model: Model, owner: string): string[] {
  const stack = model.stacks.get(owner) ?? [];
  model.stacks.set(owner, stack);
  return stack;
}

export function takeOff(model: Model, session: ModelSession): void {
  const rest = stackOf(model, session.owner).filter((id) => id !== session.id);
  model.stacks.set(session.owner, rest);
}

/** The session that a call concerns; an orphan's stack is taken over as a whole. */
export function claim(model: Model, actor: Actor, id: string | null): ModelSession {
  const orphans = [...model.stacks].filter(
    ([owner, stack]) => owner !== actor.owner && isOrphan(model, stack),
  );
  if (id === null) {
    const top = stackOf(model, actor.owner).at(-1);
    if (top !== undefined) return sessionOf(model, top);
    const open = orphans.filter(([owner]) => !isNamed(owner) && !isNamed(actor.owner));
    const [only, ...others] = open;
    if (only === undefined || others.length > 0) throw new No('no_session');
    const orphan = only[1].at(-1) as string;
    adopt(model, actor, only[0]);
    return sessionOf(model, orphan);
  }
  const session = model.sessions.get(id);
  if (session?.status === 'active' && session.owner === actor.owner) return session;
  // Only the coordinator, a caller without a name, may take others' work.
  const orphan = isNamed(actor.owner) ? undefined : orphans.find(([, stack]) => stack.includes(id));
  if (session === undefined || orphan === undefined) throw new No('session_not_found', id);
  adopt(model, actor, orphan[0]);
  return session;
}

function isOrphan(model: Model, stack: readonly string[]): boolean {
  return stack.length > 0 && stack.every((id) => model.dead.has(sessionOf(model, id).process));
}

function adopt(model: Model, actor: Actor, owner: string): void {
  for (const id of stackOf(model, owner)) {
    const session = sessionOf(model, id);
    session.owner = actor.owner;
    session.process = actor.process;
    session.reopened = false;
    // Whoever was reviewing is gone; only the entry where it stands has reviews that run.
    for (const step of session.steps.values()) step.reviewRuns = false;
    stackOf(model, actor.owner).push(id);
  }
  model.stacks.set(owner, []);
}

/** The owner's latest process is recorded; a stranger's call changes no owner. */
export function actOn(session: ModelSession, actor: Actor): void {
  if (session.owner === actor.owner) session.process = actor.process;
}

// What both sides are compared by.

export function told(status: Status, ...says: string[]): Answer {
  return { status, code: null, text: says.length > 0 ? { says } : null, invalidated: null };
}

export function refused(code: string, says: readonly string[] = []): Answer {
  return { ...told('refused', ...says), code };
}

/** All stacks, and these sessions. */
export function worldOf(model: Model, ids: Iterable<string>): World {
  const item = (id: string) => {
    const session = sessionOf(model, id);
    const step = openMembers(session)[0] ?? (session.members[0] as string);
    const workflow = `${session.job}/${workflowOf(model, session).name}`;
    return { workflow, step, session_id: id };
  };
  return {
    sessions: [...ids].map((id) => factsOf(model, sessionOf(model, id))),
    stacks: [...model.stacks].map(([owner, ids]) => ({ owner, items: ids.map(item) })),
  };
}

/** In order of completion, and by id what was completed together. */
function doneIn({ steps }: ModelSession): [string, ModelStep][] {
  return [...steps]
    .filter(([, step]) => step.done)
    .sort(([one, a], [other, b]) => a.at - b.at || (one < other ? -1 : 1));
}

/** Merged: a later step wins, shared names stay apart. */
export function outputsOf(session: ModelSession): Record<string, Value> {
  return Object.fromEntries(
    doneIn(session).flatMap(([id, { outputs, shared }]) =>
      Object.entries(outputs).map(([name, value]) => [
        shared.includes(name) ? `${id}.${name}` : name,
        value,
      ]),
    ),
  );
}

function factsOf(model: Model, session: ModelSession): SessionFacts {
  const { id, owner, process, parent, status, members, arrival, limit } = session;
  const { abortReason, abortedBy } = session;
  const entry = entryAt(model, session);
  const done = doneIn(session);
  const attempts = [...session.steps]
    .map(([step, each]) => [step, each.attempts + (each.reviewRuns ? 1 : 0)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...{ id, owner, process, parent, status, abortReason, abortedBy, arrival, attempts },
    members: [...members],
    entry: session.path[0] as number,
    current: entry.kind === 'steps' ? (members[0] as string) : entry.name,
    shown: shownMembers(model, session).map((step) => step.id),
    loops: loopsAround(model, session).map(({ name }) => {
      const { pass, said } = session.passes.get(name) as Pass;
      return [name, pass, said === undefined ? { says: [] } : said];
    }),
    limit: limit && [limit.loop, limit.pass],
    feedback: session.feedback && { says: [...session.feedback] },
    completed: done.map(([step, { outputs, notes }]) => ({ step, outputs: { ...outputs }, notes })),
    allOutputs: outputsOf(session),
    context: { ...session.context },
    last: session.last && [...session.last.steps],
  };
}
