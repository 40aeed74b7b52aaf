// Which sessions belong to whom. A stack is every active session of one owner, bottom to top;
// a call without a session id means its caller's top. When the process that last acted for an
// owner is gone, its stack is orphaned, and `ownership.ts` decides who may take it.

import { unchanged } from '../core/decision.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { conversationOf } from '../core/session/conversation.ts';
import { decideAdopt } from '../core/session/decide.ts';
import type { SessionDecision } from '../core/session/events.ts';
import { agentNameOf, claimOf, type Processes } from '../core/session/ownership.ts';
import { openStepId } from '../core/session/progress.ts';
import { describeAbort, noSuchSession } from '../core/session/refusals.ts';
import {
  type LeftStack,
  leftStacks,
  levelAbove,
  livenessOfAll,
  stackOf,
} from '../core/session/stack.ts';
import { type Ending, type Owner, type Session, workflowLabel } from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import type { Clock } from '../environment/clock.ts';
import { loadReadable } from './load-readable.ts';
import type { SessionStore } from './store.ts';

/** The number listed at once; longer lists are not read. */
const MAX_ORPHANS = 50;
const MAX_IN_ERROR = 10;
/** How many takeovers are remembered. */
const MAX_ADOPTED = 1000;

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
  /** The agent and process that had it, and their host. */
  readonly left_by: string;
  /** The workflow that waits for it; absent if none does. */
  readonly nested_in?: string;
}

export interface Stacks {
  of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]>;
  /**
   * The sessions a call without a session id would act on, bottom to top: the owner's own
   * stack, or the only orphaned one that is open to it, or the only one of its conversation.
   */
  actedOn(owner: Owner): Promise<readonly Session[]>;
  /** The same as this process last saw it, without reading the journal. */
  lastSeen(owner: Owner): Promise<readonly Session[]>;
  /** The session a call refers to; adopts it first if its owner is gone. */
  claim(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same without changing anything; refuses if nothing is active for this caller. */
  look(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same, but null if nothing is active. */
  peek(owner: Owner, sessionId: string | null): Promise<Session | null>;
  /** The event by which this process took a session over; null if it did not. */
  adoptedAt(sessionId: string): number | null;
  /** Orphaned sessions that any call of this owner may take over. */
  open(owner: Owner): Promise<readonly Session[]>;
  /** The tops of orphaned stacks that this caller may take over. */
  orphans(owner: Owner): Promise<readonly Orphan[]>;
  /** This caller's unfinished work that is not active, and how to continue it. */
  unfinished(owner: Owner): Promise<readonly string[]>;
  /** Descriptions of this owner's last runs, newest first, as long as a person aborted them. */
  endedByPerson(owner: Owner): Promise<readonly string[]>;
  /** What to record if a session of this owner ends now; `others` end with it. */
  ending(
    owner: Pick<Owner, 'identity'>,
    sessionId: string,
    others?: readonly string[],
  ): Promise<Ending>;
}

export function openStacks(store: SessionStore, clock: Clock, processes: Processes): Stacks {
  const { livenessOf } = processes;
  const adopted = new Map<string, number>();

  async function of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]> {
    return stackOf(await store.active(), owner.identity);
  }

  async function byId(owner: Owner, id: string): Promise<Session> {
    const session = await store.load(id);
    store.checkLost(owner, id);
    if (session === null) throw new Refused(noSuchSession(id));
    if (session.status !== 'active') {
      const { abortedBy, abortReason } = session;
      const how =
        abortedBy === null
          ? `It is ${session.status}.`
          : `${describeAbort(abortedBy, abortReason)}.`;
      throw new Refused(noSuchSession(id, how));
    }
    if (session.owner.identity === owner.identity) return session;
    const sessions = await store.active();
    // A concurrent call may have taken it over by now.
    const now = sessions.find((each) => each.id === id);
    if (now?.owner.identity === owner.identity) return now;
    const left = leftStacks(sessions, owner, livenessOf);
    if (left.some((stack) => stack.sessions.some((each) => each.id === id))) return session;
    throw new Refused(noSuchSession(id, whyUnavailable(owner, session, sessions, processes)));
  }

  /** Takes over the whole stack that contains a session, bottom first. */
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
        .then(({ session: now, changed }) => changed && noteAdopted(id, now.seq))
        .catch((error: unknown) => {
          // Other sessions of the stack may have ended; only the requested one matters.
          if (id === session.id || !(error instanceof Refused)) throw error;
        });
      // Of two callers that take over one stack, the one that gets the bottom gets all of it.
      if (isTaken) throw new Refused(noSuchSession(session.id));
    }
    const now = await store.load(session.id);
    if (now?.owner.identity !== owner.identity) throw new Refused(noSuchSession(session.id));
    return now;
  }

  function noteAdopted(id: string, seq: number): void {
    adopted.delete(id);
    adopted.set(id, seq);
    const [oldest] = adopted.keys();
    if (adopted.size > MAX_ADOPTED && oldest !== undefined) adopted.delete(oldest);
  }

  async function find(owner: Owner, sessionId: string | null): Promise<Session | LeftStack[]> {
    if (sessionId !== null) return byId(owner, sessionId);
    const sessions = await store.active();
    const top = stackOf(sessions, owner.identity).at(-1);
    store.checkLost(owner, top?.id ?? null);
    if (top !== undefined) return top;
    const left = leftStacks(sessions, owner, livenessOf);
    const meant = meantBy(
      owner,
      left.filter(({ claim }) => claim === 'open'),
    );
    return meant === undefined ? left : topOf(meant);
  }

  function openAmong(sessions: readonly Session[], owner: Owner): readonly LeftStack[] {
    return leftStacks(sessions, owner, livenessOf).filter(({ claim }) => claim === 'open');
  }

  function actedOnAmong(sessions: readonly Session[], owner: Owner): readonly Session[] {
    const own = stackOf(sessions, owner.identity);
    if (own.length > 0) return own;
    return meantBy(owner, openAmong(sessions, owner))?.sessions ?? [];
  }

  async function look(owner: Owner, sessionId: string | null): Promise<Session> {
    const found = await find(owner, sessionId);
    if (Array.isArray(found))
      throw new Refused(
        nothingActive(found, await endedByPerson(owner), await store.notices(owner), processes),
      );
    return found;
  }

  async function endedByPerson(owner: Owner): Promise<readonly string[]> {
    const texts: string[] = [];
    // From the newest back to the first one that was not aborted by a person.
    for (const ended of (await store.endedFor(owner)).slice(0, MAX_IN_ERROR)) {
      const session = await loadReadable(store, ended);
      if (session === null || session.abortedBy === null) break;
      const { id, abortedBy, abortReason } = session;
      texts.push(`${abortedBy} aborted run ${id} (${workflowLabel(session)}): ${abortReason}.`);
    }
    return texts;
  }

  return {
    of,
    endedByPerson,
    async peek(owner, sessionId) {
      const found = await find(owner, sessionId);
      return Array.isArray(found) ? null : found;
    },
    look,
    adoptedAt: (sessionId) => adopted.get(sessionId) ?? null,
    async claim(owner, sessionId) {
      const found = await look(owner, sessionId);
      return found.owner.identity === owner.identity ? found : adopt(owner, found);
    },
    actedOn: async (owner) => actedOnAmong(await store.active(), owner),
    lastSeen: async (owner) => actedOnAmong(await store.lastSeen(), owner),
    async open(owner) {
      return openAmong(await store.active(), owner).flatMap(({ sessions }) => sessions);
    },
    async unfinished(owner) {
      const left = inOrderOfStart(openAmong(await store.active(), owner));
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
    async ending(owner, sessionId, others = []) {
      const ends = [sessionId, ...others];
      const rest = (await of(owner)).filter(({ id }) => !ends.includes(id));
      const nth = (await store.endings(owner)) + 1;
      return { nth, resumes: rest.at(-1)?.id ?? null };
    },
  };
}

/** The orphaned stack that a call without a session id means. */
function meantBy({ identity }: Owner, open: readonly LeftStack[]): LeftStack | undefined {
  if (open.length === 1) return open[0];
  const conversation = conversationOf(identity);
  if (conversation === null) return undefined;
  const own = open.filter((left) => conversationOf(topOf(left).owner.identity) === conversation);
  return own.length === 1 ? own[0] : undefined;
}

export function stackItems(stack: readonly Session[]): StackItem[] {
  return stack.map(stackItem);
}

function leftUnfinished(left: LeftStack, processes: Processes): string {
  const orphan = orphanOf(left, processes);
  const below = left.sessions.slice(0, -1).map((each) => `${each.id} (${workflowLabel(each)})`);
  const nested = below.length === 0 ? '' : ` It is nested in ${below.reverse().join(', in ')}.`;
  return `Left unfinished: session ${describeOrphan(orphan)}.${nested} To continue it, call get_active_workflow with session_id "${orphan.session_id}".`;
}

/** For a session in `stack` that is not the caller's, but would be acted on. */
export function notTakenOver(id: string): string {
  return `Session ${id} was left behind and is not yours yet. The next finished_step, go_to_step or abort_workflow without session_id takes it over; so does get_active_workflow with session_id "${id}", which you need before you start a workflow to be nested in it.`;
}

/** For a session that was requested by its id while another one is on top of it. */
export function comesFirst(top: Session): string {
  return `Session ${top.id} (${workflowLabel(top)}, step '${openStepId(top)}') is nested in this one and comes first: a call without session_id acts on that one.`;
}

const LISTED = 'get_active_workflow lists them';

/** Nothing to work on; names orphaned sessions, so that the caller can request one. */
function nothingActive(
  left: readonly LeftStack[],
  aborted: readonly string[],
  notices: readonly string[],
  processes: Processes,
) {
  const orphans = inOrderOfStart(left).map((each) => orphanOf(each, processes));
  const listed = orphans.slice(0, MAX_IN_ERROR).map((orphan) => {
    const nested = orphan.nested_in === undefined ? '' : `, nested in ${orphan.nested_in}`;
    return `${describeOrphan(orphan)}${nested}`;
  });
  const more = orphans.length - listed.length;
  if (more > 0) listed.push(`${more} more (${LISTED})`);
  const next =
    orphans.length === 0
      ? aborted.length > 0
        ? 'Tell your user, and start a workflow only if they want one: get_workflows lists them.'
        : 'call get_workflows to see what can be started, then start_workflow.'
      : `continue one that was left behind by giving its session_id: ${listed.join('; ')}. Or start a workflow.`;
  // A person's reason comes before any suggestion to begin something else.
  return refuse(
    'no_session',
    'No active workflow session. Use start_workflow to begin a workflow.',
    [...aborted, next, ...notices].join(' '),
  );
}

function describeOrphan(orphan: Orphan): string {
  const { session_id, workflow, step, goal, left_by, last_activity_at } = orphan;
  return `${session_id} (${workflow} at step '${step}', goal '${shown(goal)}', left by ${left_by}, last active ${last_activity_at})`;
}

/** Why this caller cannot work on an active session. */
function whyUnavailable(
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
    : `It was left by ${by}; only agent '${agentNameOf(owner)}', or the coordinator by giving this session_id, can continue it.`;
}

function orphanOf(left: LeftStack, processes: Processes): Orphan {
  const top = topOf(left);
  const below = left.sessions.at(-2);
  return {
    ...stackItem(top),
    goal: top.goal.slice(0, MAX_GOAL_LENGTH),
    started_at: top.startedAt,
    last_activity_at: top.lastActivityAt,
    left_by: leftBy(top, processes),
    ...(below !== undefined && { nested_in: workflowLabel(below) }),
  };
}

const MAX_GOAL_LENGTH = 500;

function leftBy({ owner }: Session, processes: Processes): string {
  const process = processes.describe(owner.process);
  return owner.agent === undefined ? process : `agent '${agentNameOf(owner)}', ${process}`;
}

/** For display only. */
function inOrderOfStart(left: readonly LeftStack[]): LeftStack[] {
  return [...left].sort((a, b) => (topOf(a).startedAt < topOf(b).startedAt ? -1 : 1));
}

function topOf({ sessions }: LeftStack): Session {
  return sessions.at(-1) as Session;
}

function stackItem(session: Session): StackItem {
  return { workflow: workflowLabel(session), step: openStepId(session), session_id: session.id };
}
