// The fields of an event that say where the session goes, built from the result of `next-entry.ts`.
// All events that move a session share them.

import type { RefusedCall } from '../decision.ts';
import type { Refusal } from '../refusal.ts';
import { counted, shownUpTo } from '../wording.ts';
import type { Workflow } from '../workflow.ts';
import type { AcceptedMember, DefinitionChange, GateChange, MoveFields } from './events.ts';
import type { Facts } from './facts.ts';
import { isSameGate } from './gate.ts';
import type { Moving, Onward } from './next-entry.ts';
import { handedInBy } from './positions.ts';
import type { Call } from './repeats.ts';
import type { Ending, LoopLimit, Owner, Session } from './state.ts';

/** The workflow that a command is decided with, as its file was when the call arrived. */
export interface WorkflowInUse {
  readonly workflow: Workflow;
  readonly hash: string;
  /** The refusal if the session's current step is no longer in it. */
  readonly stepGone: (session: Session) => Refusal;
}

/** A command about a call that is bound to an arrival. */
export interface CallCommand extends MoveCommand {
  readonly at: string;
  readonly by: Owner;
  readonly arrival: number;
  readonly call: Call;
}

/** The part of a command that every move needs. */
export interface MoveCommand {
  readonly inUse: WorkflowInUse;
  /** The facts known so far. */
  readonly facts?: Facts;
  /** Recorded if this completes the session; absent if it cannot. */
  readonly ending?: Ending;
  /** What the gate demands now, and what is weaker than before. */
  readonly gate?: GateChange;
  /** Part of the answer, also if the same call is repeated. */
  readonly warnings?: readonly string[];
}

export function movingFrom(
  session: Session,
  { inUse, facts = {} }: MoveCommand,
  more: {
    readonly context?: Session['context'];
    readonly accepted?: readonly Pick<AcceptedMember, 'step_id' | 'outputs' | 'files'>[];
  } = {},
): Moving {
  return {
    workflow: inUse.workflow,
    context: { ...session.context, ...more.context },
    facts,
    handedIn: handedInBy(session, more.accepted),
    arrival: session.position.arrival + 1,
  };
}

export type Move = { readonly kind: 'moves'; readonly data: MoveFields } | RefusedCall;

export function moveBy(
  { stop, skipped, untils, ...onward }: Onward,
  { ending, inUse, warnings: given = [] }: Omit<MoveCommand, 'facts'>,
): Move {
  if (stop.kind === 'refused') return stop;
  const warnings = [...given, ...onward.warnings];
  const found = {
    ...(warnings.length > 0 && { warnings }),
    ...(untils.length > 0 && { untils }),
  };
  if (stop.kind === 'limit') {
    const { limit } = stop;
    const data = { ...found, position: null, limit, feedback: waitsForPerson(limit) };
    return { kind: 'moves', data };
  }
  const { afterword } = inUse.workflow;
  const data = {
    ...found,
    position: stop.kind === 'at' ? stop.position : null,
    ...(skipped.length > 0 && { skipped }),
    ...(stop.kind === 'end' && {
      completed: true as const,
      ...(afterword !== undefined && { afterword }),
      ...(ending !== undefined && { ending }),
    }),
  };
  return { kind: 'moves', data };
}

const MAX_SAID = 500;

function waitsForPerson({ loop, pass, said }: LoopLimit): string {
  const why = said === '' ? '' : ` (${shownUpTo(said, MAX_SAID)})`;
  return `Loop '${loop}' is not done after ${counted(pass, 'pass', 'passes')}${why}. A person has to decide how it continues: call finished_step again with the same outputs to wait for the answer`;
}

/** The definition, the number of its entries and the gate, as far as they have changed. */
export function definitionIfNew(
  session: Session,
  { inUse: { hash, workflow }, gate }: Pick<MoveCommand, 'inUse' | 'gate'>,
): DefinitionChange {
  const { length: entries } = workflow.entries;
  const isNewGate =
    gate !== undefined && (session.gate === null || !isSameGate(session.gate, gate.now));
  return {
    ...(hash !== session.definition && { definition: hash }),
    ...(entries !== session.entries && { entries }),
    ...(isNewGate && { gate }),
  };
}
