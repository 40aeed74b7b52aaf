// The reference model's data: plain mutable data, explicit stacks, and the few operations on them
// that several calls share.

import { type Answer, NOTHING_SAID, type SessionFacts, type Status } from './answers.ts';
import { type Actor, type Finish, isNamed, type Value } from './calls.ts';
import type { PlainCondition, PlainJob, PlainStep } from './definitions.ts';

export interface ModelStep {
  done: boolean;
  outputs: Map<string, Value>;
  /** Names that another member of the entry also had when this one was accepted. */
  shared: string[];
  content: number;
  notes: string | null;
  attempts: number;
  reviewRuns: boolean;
  /** The files and notes that a subagent was last asked to judge. */
  asked: { paths: string; notes: string | null } | null;
}

export interface ModelSession {
  id: string;
  job: string;
  workflow: string;
  owner: string;
  process: string;
  parent: string | null;
  status: 'active' | 'completed' | 'aborted';
  abortReason: string | null;
  /** A person has opened it again, and nobody has taken it over since. */
  reopened: boolean;
  /** What a person did that the agent does not know yet; `ended`: to another run of its stack. */
  news: { person: string; reason: string; ended: string | null } | null;
  context: Record<string, Value>;
  /** Its position: the entry's index and members on arrival, and the number of the arrival. */
  entry: number;
  members: string[];
  skipped: string[];
  arrival: number;
  steps: Map<string, ModelStep>;
  completedInOrder: string[];
  /** What was last accepted, and with what words. */
  last:
    | ({ steps: string[]; arrival: number } & Pick<Finish, 'outputs' | 'notes' | 'context'>)
    | null;
}

export interface Model {
  jobs: Map<string, PlainJob>;
  sessions: Map<string, ModelSession>;
  /** Ids of active sessions by owner, bottom to top. */
  stacks: Map<string, string[]>;
  dead: Set<string>;
  /** Every acceptance, `session arrival step`: none may get lost or be duplicated. */
  accepted: string[];
}

export interface Refusal {
  readonly code: string;
  readonly message: string | null;
}

export function newModel(jobs: readonly PlainJob[]): Model {
  return {
    jobs: new Map(jobs.map((job) => [job.name, job])),
    sessions: new Map(),
    stacks: new Map(),
    dead: new Set(),
    accepted: [],
  };
}

/** Moves the session to the next entry with something to do; false if none is left. */
export function moveOn(session: ModelSession, job: PlainJob, from: number): boolean {
  for (let index = from; index < job.entries.length; index++) {
    const entry = job.entries[index] ?? [];
    const eligible = entry.filter((step) => applies(step.when, session.context));
    if (eligible.length === 0) continue;
    const skipped = entry.filter((step) => !eligible.includes(step));
    standAt(session, index, eligible, skipped);
    return true;
  }
  return false;
}

export function standAt(
  session: ModelSession,
  index: number,
  members: readonly PlainStep[],
  skipped: readonly PlainStep[],
): void {
  session.entry = index;
  session.members = members.map((step) => step.id);
  session.skipped = skipped.map((step) => step.id);
  session.arrival += 1;
  for (const id of session.members) {
    session.steps.set(id, newStep());
    session.completedInOrder = session.completedInOrder.filter((each) => each !== id);
  }
}

export function newStep(): ModelStep {
  return {
    done: false,
    outputs: new Map(),
    shared: [],
    content: 0,
    notes: null,
    attempts: 0,
    reviewRuns: false,
    asked: null,
  };
}

/** The session's current entry, as in the current file. */
export function placeIn(
  session: ModelSession,
  job: PlainJob,
): { index: number; members: PlainStep[] } | null {
  for (const id of session.members) {
    for (const [index, entry] of job.entries.entries()) {
      if (!entry.some((step) => step.id === id)) continue;
      const members = entry.filter((step) => {
        if (session.members.includes(step.id)) return true;
        // Skipped on arrival stays skipped; members that an edit added take part.
        return !session.skipped.includes(step.id) && applies(step.when, session.context);
      });
      return { index, members };
    }
  }
  return null;
}

function applies(when: PlainCondition | null, context: Record<string, Value>): boolean {
  if (when === null) return true;
  if ('not' in when) return !applies(when.not, context);
  const value = Object.hasOwn(context, when.var) ? context[when.var] : undefined;
  if ('equals' in when) return value === when.equals;
  if ('gte' in when) return typeof value === 'number' && value >= when.gte;
  return Boolean(value);
}

/** The session that a call concerns; an orphan's stack is taken over as a whole. */
export function claim(model: Model, actor: Actor, id: string | null): ModelSession | Refusal {
  const own = stackOf(model, actor.owner);
  const orphans = [...model.stacks].filter(
    ([owner, stack]) => owner !== actor.owner && isOrphan(model, stack),
  );
  if (id === null) {
    const top = own.at(-1);
    if (top !== undefined) return model.sessions.get(top) as ModelSession;
    const message = 'No active workflow session. Use start_workflow to begin a workflow.';
    const open = orphans.filter(([owner]) => !isNamed(owner) && !isNamed(actor.owner));
    if (open.length !== 1) return { code: 'no_session', message };
    const [owner, stack] = open[0] as [string, string[]];
    const orphan = model.sessions.get(stack.at(-1) as string) as ModelSession;
    adopt(model, actor, owner);
    return orphan;
  }
  const session = model.sessions.get(id);
  const mine = session?.status === 'active' && session.owner === actor.owner;
  if (mine) return session;
  // Only the coordinator, a caller without a name, may take others' work.
  const orphan = isNamed(actor.owner) ? undefined : orphans.find(([, stack]) => stack.includes(id));
  if (session === undefined || orphan === undefined) {
    return { code: 'session_not_found', message: `Session '${id}' not found in active stack` };
  }
  adopt(model, actor, orphan[0]);
  return session;
}

function isOrphan(model: Model, stack: readonly string[]): boolean {
  const processes = stack.map((id) => model.sessions.get(id)?.process as string);
  return stack.length > 0 && processes.every((process) => model.dead.has(process));
}

function adopt(model: Model, actor: Actor, owner: string): void {
  for (const id of stackOf(model, owner)) {
    const session = model.sessions.get(id) as ModelSession;
    session.owner = actor.owner;
    session.process = actor.process;
    session.reopened = false;
    // Whoever was reviewing is gone.
    for (const step of session.steps.values()) step.reviewRuns = false;
    stackOf(model, actor.owner).push(id);
  }
  model.stacks.set(owner, []);
}

/** The owner's latest process is recorded; a stranger's call changes no owner. */
export function actOn(session: ModelSession, actor: Actor): void {
  if (session.owner === actor.owner) session.process = actor.process;
}

/** The answer to a caller that does not know what a person did; null if it knows all. */
export function inform(model: Model, actor: Actor, session: ModelSession): Answer | null {
  const { news } = session;
  if (news === null) return null;
  session.news = null;
  actOn(session, actor);
  if (news.ended !== null) {
    return refused(model, actor, { code: 'steered_by_person', message: null }, session);
  }
  const feedback = [news.person, news.reason];
  return { ...answered(model, actor, 'next_step', session), feedback };
}

export function takeOff(model: Model, session: ModelSession): void {
  const rest = stackOf(model, session.owner).filter((id) => id !== session.id);
  model.stacks.set(session.owner, rest);
}

export function stackOf(model: Model, owner: string): string[] {
  const stack = model.stacks.get(owner) ?? [];
  model.stacks.set(owner, stack);
  return stack;
}

export function jobOf(model: Model, name: string): PlainJob {
  const job = model.jobs.get(name);
  if (job === undefined) throw new Error(`the history has no job '${name}'`);
  return job;
}

export function answered(
  model: Model,
  actor: Actor,
  status: Status,
  session: ModelSession,
): Answer {
  return { ...NOTHING_SAID, status, session: factsOf(session), stack: itemsOf(model, actor.owner) };
}

export function refused(
  model: Model,
  actor: Actor,
  refusal: Refusal,
  session: ModelSession | null,
): Answer {
  return {
    ...NOTHING_SAID,
    ...refusal,
    status: 'refused',
    session: session === null ? null : factsOf(session),
    stack: itemsOf(model, actor.owner),
  };
}

function itemsOf(model: Model, owner: string): Answer['stack'] {
  return stackOf(model, owner).map((id) => {
    const session = model.sessions.get(id) as ModelSession;
    const { members, steps } = session;
    const open = members.find((step) => !steps.get(step)?.done) ?? (members[0] as string);
    return { workflow: `${session.job}/${session.workflow}`, step: open, session_id: id };
  });
}

export function factsOf(session: ModelSession): SessionFacts {
  const allOutputs = new Map<string, Value>();
  const completed = session.completedInOrder.map((id) => {
    const step = session.steps.get(id) as ModelStep;
    for (const [name, value] of step.outputs) {
      allOutputs.set(step.shared.includes(name) ? `${id}.${name}` : name, value);
    }
    return { step: id, outputs: Object.fromEntries(step.outputs), notes: step.notes };
  });
  const attempts = [...session.steps]
    .map(([id, step]) => [id, step.attempts + (step.reviewRuns ? 1 : 0)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    id: session.id,
    owner: session.owner,
    process: session.process,
    parent: session.parent,
    status: session.status,
    abortReason: session.abortReason,
    entry: session.entry,
    members: [...session.members],
    arrival: session.arrival,
    completed,
    attempts,
    allOutputs: Object.fromEntries(allOutputs),
    context: { ...session.context },
  };
}
