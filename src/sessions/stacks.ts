// Whose sessions are whose. A stack is every active session of one owner, bottom to top;
// a call without a session id means its caller's top. When the process that last acted
// for an owner is gone, its stack is left behind, and `ownership.ts` says who may take it.

import { unchanged } from '../core/decision.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { decideAdopt } from '../core/session/decide.ts';
import { agentNameOf, claimOf, type Processes } from '../core/session/ownership.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import {
  type LeftStack,
  leftStacks,
  levelAbove,
  livenessOfAll,
  stackOf,
} from '../core/session/stack.ts';
import {
  type Ending,
  type Owner,
  openStepId,
  type Session,
  type SessionDecision,
  workflowLabel,
} from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import type { Clock } from '../environment/clock.ts';
import type { SessionStore } from './store.ts';

/** Listed at once; more than that no one reads. */
const MAX_ORPHANS = 50;
const MAX_IN_ERROR = 10;

export interface StackItem {
  readonly workflow: string;
  /** An open member of the current entry. */
  readonly step: string;
  readonly session_id: string;
}

export interface Orphan extends StackItem {
  readonly goal: string;
  readonly started_at: string;
  readonly last_activity_at: string;
  /** Which agent and process had it, and where. */
  readonly left_by: string;
}

export interface Stacks {
  of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]>;
  /**
   * What a call without a session id would act on, bottom to top: the owner's own stack, or
   * the only one that was left behind for it.
   */
  actedOn(owner: Owner): Promise<readonly Session[]>;
  /** The session a call is about, adopting it first if its owner is gone. */
  claim(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same without changing anything; refused if nothing is active for this caller. */
  look(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same, where nothing being active is an answer. */
  peek(owner: Owner, sessionId: string | null): Promise<Session | null>;
  /** Sessions that were left behind and that any call of this owner may take over. */
  open(owner: Owner): Promise<readonly Session[]>;
  /** The tops of stacks that were left behind and that this caller may take over. */
  orphans(owner: Owner): Promise<readonly Orphan[]>;
  /** What this caller has left unfinished without being at it, and how to go on with it. */
  unfinished(owner: Owner): Promise<readonly string[]>;
  /** What is recorded when a session of this owner ends now. */
  ending(owner: Pick<Owner, 'identity'>, sessionId: string): Promise<Ending>;
}

export function openStacks(store: SessionStore, clock: Clock, processes: Processes): Stacks {
  const { livenessOf } = processes;

  async function of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]> {
    return stackOf(await store.active(), owner.identity);
  }

  async function byId(owner: Owner, id: string): Promise<Session> {
    const session = await store.load(id);
    store.checkLost(owner, id);
    if (session === null) throw new Refused(noSuchSession(id));
    if (session.status !== 'active') {
      throw new Refused(noSuchSession(id, `It is ${session.status}.`));
    }
    if (session.owner.identity === owner.identity) return session;
    const sessions = await store.active();
    // A call that came together with this one may have taken it over meanwhile.
    const now = sessions.find((each) => each.id === id);
    if (now?.owner.identity === owner.identity) return now;
    const left = leftStacks(sessions, owner, livenessOf);
    if (left.some((stack) => stack.sessions.some((each) => each.id === id))) return session;
    throw new Refused(noSuchSession(id, whyNot(owner, session, sessions, processes)));
  }

  /** Takes over the whole stack that a session is on, bottom first. */
  async function adopt(owner: Owner, session: Session): Promise<Session> {
    const sessions = await store.active();
    const left = leftStacks(sessions, owner, livenessOf);
    const stack = left.find((each) => each.sessions.some(({ id }) => id === session.id));
    const taken = (stack?.sessions ?? []).map(({ id, takeovers }) => ({ id, takeovers }));
    const above = levelAbove(stackOf(sessions, owner.identity));
    for (const [index, { id }] of taken.entries()) {
      let isTaken = false;
      const take = (now: Session | null): SessionDecision => {
        const claim = now && claimOf(owner, now.owner, livenessOf(now.owner.process));
        if (claim === 'own') return unchanged();
        isTaken = claim === 'alive' || claim === 'others';
        if (now === null || isTaken) return { kind: 'refused', refusal: noSuchSession(id) };
        return decideAdopt(now, { at: clock(), owner, level: above + index, stack: taken });
      };
      await store
        .commit(id, take, async () => null)
        .catch((error: unknown) => {
          // Others of the stack may end while we take it over; only the one asked for matters.
          if (id === session.id || !(error instanceof Refused)) throw error;
        });
      // Of two who take over one stack, the one that got its bottom gets all of it.
      if (isTaken) throw new Refused(noSuchSession(session.id));
    }
    const adopted = await store.load(session.id);
    if (adopted?.owner.identity !== owner.identity) throw new Refused(noSuchSession(session.id));
    return adopted;
  }

  async function find(owner: Owner, sessionId: string | null): Promise<Session | LeftStack[]> {
    if (sessionId !== null) return byId(owner, sessionId);
    const sessions = await store.active();
    const top = stackOf(sessions, owner.identity).at(-1);
    store.checkLost(owner, top?.id ?? null);
    if (top !== undefined) return top;
    const left = leftStacks(sessions, owner, livenessOf);
    const open = left.filter(({ claim }) => claim === 'open');
    return open.length === 1 ? topOf(open[0] as LeftStack) : left;
  }

  async function openStacksFor(owner: Owner): Promise<readonly LeftStack[]> {
    const left = leftStacks(await store.active(), owner, livenessOf);
    return left.filter(({ claim }) => claim === 'open');
  }

  async function look(owner: Owner, sessionId: string | null): Promise<Session> {
    const found = await find(owner, sessionId);
    if (Array.isArray(found))
      throw new Refused(nothingActive(found, await store.notices(owner), processes));
    return found;
  }

  return {
    of,
    async peek(owner, sessionId) {
      const found = await find(owner, sessionId);
      return Array.isArray(found) ? null : found;
    },
    look,
    async claim(owner, sessionId) {
      const found = await look(owner, sessionId);
      return found.owner.identity === owner.identity ? found : adopt(owner, found);
    },
    async actedOn(owner) {
      const own = await of(owner);
      if (own.length > 0) return own;
      const [only, another] = await openStacksFor(owner);
      return only === undefined || another !== undefined ? [] : only.sessions;
    },
    async open(owner) {
      return (await openStacksFor(owner)).flatMap(({ sessions }) => sessions);
    },
    async unfinished(owner) {
      const left = inOrderOfStart(await openStacksFor(owner));
      const texts = left.slice(0, MAX_IN_ERROR).map((each) => leftUnfinished(each, processes));
      const more = left.length - texts.length;
      return more > 0 ? [...texts, `Left unfinished: ${more} more (${LISTED})`] : texts;
    },
    async orphans(owner) {
      const left = leftStacks(await store.active(), owner, livenessOf);
      return inOrderOfStart(left)
        .slice(0, MAX_ORPHANS)
        .map((each) => orphanOf(each, processes));
    },
    async ending(owner, sessionId) {
      const rest = (await of(owner)).filter(({ id }) => id !== sessionId);
      const nth = (await store.endings(owner)) + 1;
      return { nth, resumes: rest.at(-1)?.id ?? null };
    },
  };
}

export function stackItems(stack: readonly Session[]): StackItem[] {
  return stack.map(stackItem);
}

function leftUnfinished(left: LeftStack, processes: Processes): string {
  const orphan = orphanOf(left, processes);
  const below = left.sessions.slice(0, -1).map((each) => `${each.id} (${workflowLabel(each)})`);
  const nested = below.length === 0 ? '' : ` It is nested in ${below.reverse().join(', in ')}.`;
  return `Left unfinished: session ${describeOrphan(orphan)}.${nested} To go on with it, call get_active_workflow with session_id "${orphan.session_id}".`;
}

/** What is in `stack` and is not the caller's, but would be acted on. */
export function notTakenOver(id: string): string {
  return `Session ${id} was left behind and is not yours yet. The next finished_step, go_to_step or abort_workflow without session_id takes it over; so does get_active_workflow with session_id "${id}", which you need before you start a workflow that is to be nested in it.`;
}

const LISTED = 'get_active_workflow lists them';

/** Nothing to work on; what was left behind is named, so that it can be asked for. */
function nothingActive(
  left: readonly LeftStack[],
  notices: readonly string[],
  processes: Processes,
) {
  const orphans = inOrderOfStart(left).map((each) => orphanOf(each, processes));
  const listed = orphans.slice(0, MAX_IN_ERROR).map(describeOrphan);
  const more = orphans.length - listed.length;
  if (more > 0) listed.push(`${more} more (${LISTED})`);
  const next =
    orphans.length === 0
      ? 'call get_workflows to see what can be started, then start_workflow.'
      : `go on with one that was left behind by giving its session_id: ${listed.join('; ')}. Or start a workflow.`;
  return refuse(
    'no_session',
    'No active workflow session. Use start_workflow to begin a workflow.',
    [next, ...notices].join(' '),
  );
}

function describeOrphan(orphan: Orphan): string {
  const { session_id, workflow, step, goal, left_by, last_activity_at } = orphan;
  return `${session_id} (${workflow} at step '${step}', goal '${shown(goal)}', left by ${left_by}, last active ${last_activity_at})`;
}

/** Why a session that is active is not this caller's to work on. */
function whyNot(
  caller: Owner,
  session: Session,
  sessions: readonly Session[],
  processes: Processes,
): string {
  const { owner } = session;
  const liveness = livenessOfAll(stackOf(sessions, owner.identity), processes.livenessOf);
  const by = leftBy(session, processes);
  return claimOf(caller, owner, liveness) === 'alive'
    ? `It is being worked on by ${by}.`
    : `It was left by ${by}; only agent '${agentNameOf(owner)}', or the coordinator by giving this session_id, can go on with it.`;
}

function orphanOf(left: LeftStack, processes: Processes): Orphan {
  const top = topOf(left);
  return {
    ...stackItem(top),
    goal: top.goal.slice(0, MAX_GOAL),
    started_at: top.startedAt,
    last_activity_at: top.lastActivityAt,
    left_by: leftBy(top, processes),
  };
}

const MAX_GOAL = 500;

function leftBy({ owner }: Session, processes: Processes): string {
  const process = processes.describe(owner.process);
  return owner.agent === undefined ? process : `agent '${agentNameOf(owner)}', ${process}`;
}

/** For reading only. */
function inOrderOfStart(left: readonly LeftStack[]): LeftStack[] {
  return [...left].sort((a, b) => (topOf(a).startedAt < topOf(b).startedAt ? -1 : 1));
}

function topOf({ sessions }: LeftStack): Session {
  return sessions.at(-1) as Session;
}

function stackItem(session: Session): StackItem {
  return { workflow: workflowLabel(session), step: openStepId(session), session_id: session.id };
}
