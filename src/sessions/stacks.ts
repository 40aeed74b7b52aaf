// Whose sessions are whose. A stack is every active session of one owner, bottom to
// top; a call without a session id means its caller's top. When the process that last
// acted for an owner is gone, its stack is an orphan and can be adopted.

import { Refused, refuse } from '../core/refusal.ts';
import { decideAdopt } from '../core/session/decide.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import {
  currentStepId,
  type Decision,
  type Owner,
  type Session,
  workflowLabel,
} from '../core/session/state.ts';
import type { Clock } from '../workspace/clock.ts';
import { type Liveness, livenessOf } from '../workspace/process-identity.ts';
import type { SessionStore } from './store.ts';

/** Told at once; more than that nobody reads. */
const MOST_ORPHANS = 50;

export interface StackItem {
  readonly workflow: string;
  readonly step: string;
}

export interface Orphan extends StackItem {
  readonly session_id: string;
}

export interface Stacks {
  of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]>;
  /** The session a call is about, adopting it first if its owner is gone. */
  claim(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same without changing anything; refused if nothing is active for this caller. */
  look(owner: Owner, sessionId: string | null): Promise<Session>;
  /** The same, where nothing being active is an answer. */
  peek(owner: Owner, sessionId: string | null): Promise<Session | null>;
  /** The tops of stacks that nobody works on. */
  orphans(owner: Owner): Promise<readonly Orphan[]>;
}

export function openStacks(store: SessionStore, clock: Clock): Stacks {
  async function of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]> {
    return stackOf(await store.active(), owner.identity);
  }

  async function byId(owner: Owner, id: string): Promise<Session> {
    const session = await store.load(id);
    store.checkLost(owner, id);
    if (session === null || session.status !== 'active') throw new Refused(noSuchSession(id));
    if (session.owner.identity !== owner.identity && isAlive(session)) {
      throw new Refused(noSuchSession(id));
    }
    return session;
  }

  /** Takes over the whole stack that a session is on, bottom first. */
  async function adopt(owner: Owner, session: Session): Promise<Session> {
    const stacks = orphanStacks(await store.active(), owner, ['gone', 'unknown']);
    const stack = stacks.find((each) => each.some(({ id }) => id === session.id)) ?? [];
    const ids = stack.map(({ id }) => id);
    for (const id of ids) {
      const take = (now: Session | null): Decision =>
        now?.owner.identity === owner.identity
          ? { kind: 'repeat' }
          : now === null || isAlive(now)
            ? { kind: 'refused', refusal: noSuchSession(id) }
            : decideAdopt(now, { at: clock(), owner, stack: ids });
      await store
        .commit(id, take, async () => null)
        .catch((error: unknown) => {
          // Others of the stack may end while we take it over; only the one asked for matters.
          if (id === session.id || !(error instanceof Refused)) throw error;
        });
    }
    const adopted = await store.load(session.id);
    if (adopted?.owner.identity !== owner.identity) throw new Refused(noSuchSession(session.id));
    return adopted;
  }

  async function find(owner: Owner, sessionId: string | null): Promise<Session | Session[][]> {
    if (sessionId !== null) return byId(owner, sessionId);
    const sessions = await store.active();
    const top = stackOf(sessions, owner.identity).at(-1);
    store.checkLost(owner, top?.id ?? null);
    if (top !== undefined) return top;
    const orphans = orphanStacks(sessions, owner, ['gone']);
    return (orphans.length === 1 && orphans[0]?.at(-1)) || orphans;
  }

  async function look(owner: Owner, sessionId: string | null): Promise<Session> {
    const found = await find(owner, sessionId);
    if (Array.isArray(found)) throw new Refused(nothingActive(found));
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
    async orphans(owner) {
      const stacks = orphanStacks(await store.active(), owner, ['gone', 'unknown']);
      return stacks.slice(0, MOST_ORPHANS).map((stack) => {
        const top = stack.at(-1) as Session;
        return { session_id: top.id, ...stackItem(top) };
      });
    },
  };
}

export function stackItems(stack: readonly Session[]): StackItem[] {
  return stack.map(stackItem);
}

/** Nothing to work on; what was left behind is named, so that it can be asked for. */
function nothingActive(orphans: readonly (readonly Session[])[]) {
  const ids = orphans.map((stack) => (stack.at(-1) as Session).id).join(', ');
  return refuse(
    'no_session',
    'No active workflow session. Use start_workflow to begin a workflow.',
    orphans.length === 0
      ? 'call get_workflows to see what can be started, then start_workflow.'
      : `start a workflow, or go on with one that was left behind by giving its session_id: ${ids} (get_active_workflow tells about each).`,
  );
}

function stackItem(session: Session): StackItem {
  return { workflow: workflowLabel(session), step: currentStepId(session) };
}

function stackOf(sessions: readonly Session[], identity: string): Session[] {
  return sessions.filter((session) => session.owner.identity === identity).sort(byOwnership);
}

/**
 * Stacks that nobody works on. A process that died while it was adopting a stack left it
 * in pieces, under two owners; what it did adopt tells with what.
 */
function orphanStacks(
  sessions: readonly Session[],
  owner: Owner,
  states: readonly Liveness[],
): Session[][] {
  const foreign = sessions.filter((session) => session.owner.identity !== owner.identity);
  const alive = new Set(
    foreign
      .filter((session) => !states.includes(livenessOf(session.owner.process)))
      .map((session) => session.owner.identity),
  );
  const orphans = foreign
    .filter((session) => !alive.has(session.owner.identity))
    .sort((a, b) => compare(a.startedAt, b.startedAt));
  const stacks: Session[][] = [];
  for (const session of orphans) {
    const related = stacks.filter((stack) => stack.some((other) => belongTogether(other, session)));
    const merged = [...related.flat(), session];
    stacks.splice(0, stacks.length, ...stacks.filter((stack) => !related.includes(stack)), merged);
  }
  return stacks.map(inOrder);
}

/** As the owner had them; of two pieces, the one that was adopted already is below. */
function inOrder(stack: readonly Session[]): Session[] {
  const placed = new Set<Session>();
  const ordered: Session[] = [];
  const place = (session: Session) => {
    if (placed.has(session)) return;
    placed.add(session);
    for (const other of stack) if (leftBehind(other, session)) place(other);
    ordered.push(session);
  };
  for (const session of [...stack].sort(byOwnership)) place(session);
  return ordered;
}

function byOwnership(a: Session, b: Session): number {
  return compare(a.ownedSince, b.ownedSince) || compare(a.startedAt, b.startedAt);
}

function belongTogether(a: Session, b: Session): boolean {
  return a.owner.identity === b.owner.identity || leftBehind(a, b) || leftBehind(b, a);
}

/** Whether the adoption of the one was meant for the other too, and never got to it. */
function leftBehind(adopted: Session, other: Session): boolean {
  const { id, adoptedWith, ownedSince } = adopted;
  return adoptedWith.indexOf(other.id) > adoptedWith.indexOf(id) && other.ownedSince < ownedSince;
}

function isAlive(session: Session): boolean {
  return livenessOf(session.owner.process) === 'alive';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
