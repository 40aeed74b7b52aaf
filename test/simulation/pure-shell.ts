// The decider alone, with sessions in memory. After each event the promises that hold for every
// history are checked. States and events can be frozen recursively, so that any mutation throws.

import type { Refusal } from '../../src/core/refusal.ts';
import { decideAdopt, type WorkflowInUse } from '../../src/core/session/decide.ts';
import type { SessionDecision, SessionEvent } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import { progressOfAll } from '../../src/core/session/progress.ts';
import { noSuchSession } from '../../src/core/session/refusals.ts';
import { type LeftStack, leftStacks, levelAbove } from '../../src/core/session/stack.ts';
import type { Session } from '../../src/core/session/state.ts';
import type { Actor } from './calls.ts';
import { freeze, isSame } from './plain.ts';
import { checkEvent } from './promises.ts';
import { isRefusal, namedOwner, type Shell, unsteadyClock } from './shell.ts';
import { existing } from './stage.ts';

/** The stacks' refusal for a caller with nothing to work on. */
const NOTHING_ACTIVE: Refusal = {
  code: 'no_session',
  message: 'No active workflow session. Use start_workflow to begin a workflow.',
  next: null,
};

export function openPureShell(guarded: boolean): Shell {
  const keep = guarded ? freeze : <T>(value: T) => value;
  const sessions = new Map<string, Session>();
  const streams = new Map<string, SessionEvent[]>();
  const dead = new Set<string>();
  const clock = unsteadyClock();
  const ownerOf = ({ owner, process }: Actor) => ({ ...namedOwner(owner), process });

  function stackOf(owner: string): Session[] {
    return [...sessions.values()]
      .filter((session) => session.status === 'active' && session.owner.identity === owner)
      .sort((one, other) => one.level - other.level);
  }

  function orphanStacks(actor: Actor): readonly LeftStack[] {
    const active = [...sessions.values()].filter((session) => session.status === 'active');
    return leftStacks(active, ownerOf(actor), (process) => (dead.has(process) ? 'gone' : 'alive'));
  }

  function commit(
    id: string,
    decide: (now: Session | null) => SessionDecision,
    inUse: WorkflowInUse | null,
  ) {
    const before = sessions.get(id) ?? null;
    const decision = decide(before);
    if (decision.kind === 'refused') return decision.refusal;
    if (decision.kind === 'unchanged') return before ?? noSuchSession(id);
    const event = keep(decision.event);
    const after = keep(evolve(before, event));
    checkEvent(before, event, after, inUse);
    sessions.set(id, after);
    const events = streams.get(id);
    if (events === undefined) streams.set(id, [event]);
    else events.push(event);
    return after;
  }

  return {
    clock,
    ownerOf,
    nameOf: (process) => process,
    async claim(actor, id) {
      const own = stackOf(actor.owner);
      const orphans = orphanStacks(actor);
      let target = own.find((session) => session.id === id);
      let stack: readonly Session[] = [];
      if (id === null) {
        const open = orphans.filter(({ claim }) => claim === 'open');
        if (own.length === 0 && open.length !== 1) return NOTHING_ACTIVE;
        stack = own.length > 0 ? [] : (open[0]?.sessions ?? []);
        target = own.at(-1) ?? stack.at(-1);
      } else if (target === undefined) {
        const named = orphans.find(({ sessions }) => sessions.some((each) => each.id === id));
        stack = named?.sessions ?? [];
        target = stack.find((session) => session.id === id);
      }
      if (target === undefined) return noSuchSession(id ?? '');
      const above = levelAbove(own);
      for (const [index, session] of stack.entries()) {
        const owner = ownerOf(actor);
        const whole = stack.map(({ id, takeovers }) => ({ id, takeovers }));
        const adoption = { at: clock(), owner, level: above + index, stack: whole };
        const take = existing(session.id, (now) => decideAdopt(now, adoption));
        const taken = commit(session.id, take, null);
        if (isRefusal(taken)) return taken;
      }
      return sessions.get(target.id) as Session;
    },
    load: async (id) => sessions.get(id) ?? null,
    commit: async (_actor, id, decide, inUse) => commit(id, decide, inUse),
    stack: async (owner) => stackOf(owner),
    async die(process) {
      dead.add(process);
    },
    async rebuild() {
      for (const [id, grown] of sessions) {
        const events = streams.get(id) ?? [];
        const stored = guarded ? (JSON.parse(JSON.stringify(events)) as typeof events) : events;
        let folded: Session | null = null;
        for (const event of stored) folded = evolve(folded, event);
        if (folded === null || !isSame(folded, grown) || !isSame(order(folded), order(grown))) {
          throw new Error(`session ${id} folded from its events is not the session as it grew`);
        }
        sessions.set(id, keep(folded));
      }
    },
  };
}

/** Steps in order of completion: `isSame` ignores the order of keys. */
function order(session: Session): string[] {
  return progressOfAll(session).map(({ stepId }) => stepId);
}
