// Stacks of sessions, bottom to top. Their order is recorded: each session has a level, one above
// the top of its owner's stack when it was added. Times are not used, because clocks can step back
// and differ between machines.

import { groupBy } from '../groups.ts';
import { claimOf, type Liveness } from './ownership.ts';
import type { Owner, Session } from './state.ts';

export function stackOf(sessions: readonly Session[], identity: string): Session[] {
  return sessions.filter((session) => session.owner.identity === identity).sort(byLevel);
}

/** Two sessions started at the same moment have the same level; then ids decide. */
function byLevel(a: Session, b: Session): number {
  return a.level - b.level || (a.id < b.id ? -1 : 1);
}

/** The level of the next session on a stack. */
export function levelAbove(stack: readonly Session[]): number {
  return (stack.at(-1)?.level ?? 0) + 1;
}

/** A stack without a running owner that a caller may take over. */
export interface LeftStack {
  readonly sessions: readonly Session[];
  readonly claim: 'open' | 'by_id';
}

/** The liveness of the owner of these sessions: one running process is enough. */
export function livenessOfAll(
  sessions: readonly Session[],
  livenessOf: (process: string) => Liveness,
): Liveness {
  const found = new Set(sessions.map((session) => livenessOf(session.owner.process)));
  return found.has('alive') ? 'alive' : found.has('unknown') ? 'unknown' : 'gone';
}

/**
 * Every stack that this caller may take over. A process that died during a takeover left the stack
 * in pieces, under two owners; `takenWith` of the sessions it took tells which belong together.
 */
export function leftStacks(
  sessions: readonly Session[],
  caller: Owner,
  livenessOf: (process: string) => Liveness,
): LeftStack[] {
  const pieces: Piece[] = [];
  for (const [identity, owned] of groupBy(sessions, ({ owner }) => [owner.identity])) {
    const piece = [...owned].sort(byLevel);
    const { owner } = piece[0] as Session;
    if (identity === caller.identity) continue;
    const claim = claimOf(caller, owner, livenessOfAll(piece, livenessOf));
    if (claim === 'open' || claim === 'by_id') pieces.push({ sessions: piece, claim });
  }
  return joined(pieces).map((group) => ({
    sessions: inOrder(group).flatMap((piece) => piece.sessions),
    claim: group.every(({ claim }) => claim === 'open') ? 'open' : 'by_id',
  }));
}

type Piece = LeftStack;

/** Groups the pieces that belong to one stack. */
function joined(pieces: readonly Piece[]): Piece[][] {
  const placeOf = new Map(
    pieces.flatMap((piece) => piece.sessions.map((session) => [session.id, { piece, session }])),
  );
  const groupOf = new Map(pieces.map((piece) => [piece, [piece]]));
  for (const piece of pieces) {
    for (const one of piece.sessions) {
      for (const { id } of one.takenWith) {
        const other = placeOf.get(id);
        if (other !== undefined && isLeftBehind(other.session, one)) join(piece, other.piece);
      }
    }
  }
  return [...new Set(groupOf.values())];

  function join(piece: Piece, other: Piece): void {
    const [into = [], from = []] = [groupOf.get(piece), groupOf.get(other)];
    if (into === from) return;
    into.push(...from);
    for (const each of from) groupOf.set(each, into);
  }
}

/** A takeover goes from bottom to top, so taken pieces are below the ones left behind. */
function inOrder(group: readonly Piece[]): Piece[] {
  const placed = new Set<Piece>();
  const ordered: Piece[] = [];
  const place = (piece: Piece) => {
    if (placed.has(piece)) return;
    placed.add(piece);
    for (const other of group) if (wasLeftBy(piece, other)) place(other);
    ordered.push(piece);
  };
  for (const piece of group) place(piece);
  return ordered;
}

function wasLeftBy(left: Piece, taken: Piece): boolean {
  return taken.sessions.some((one) => left.sessions.some((other) => isLeftBehind(other, one)));
}

/** Whether the takeover that reached `taken` included the other one and did not get to it. */
function isLeftBehind(other: Session, taken: Session): boolean {
  const { takenWith } = taken;
  const at = takenWith.findIndex(({ id }) => id === other.id);
  if (at <= takenWith.findIndex(({ id }) => id === taken.id)) return false;
  return takenWith[at]?.takeovers === other.takeovers;
}
