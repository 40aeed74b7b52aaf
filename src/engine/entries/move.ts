// Commits what moves a session, with all that it needs and all that follows from it. What the
// decision needs is found out first, outside of the commit. A session that a `run` started and
// that is complete moves the one above it on, and so on up the stack: all of these decisions are
// made before the first of them commits, so that what refuses one of them refuses the call.
//
// The commits come in an order that a crash cannot tear: the session, then the ones above it,
// then the nested session that the last of them runs. What a crash left out the next call finds
// and makes up for (`follow.ts`).

import { refused } from '../../core/decision.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { ofExisting } from '../../core/session/decide.ts';
import type { Evidence, SessionDecision } from '../../core/session/events.ts';
import { evolve } from '../../core/session/evolve.ts';
import { type Facts, type Need, needOf, refuseForNeed } from '../../core/session/facts.ts';
import { decideRunEnded } from '../../core/session/nested-run.ts';
import type { Ending, Session } from '../../core/session/state.ts';
import { allReports } from '../../core/session/variables.ts';
import { allOutputs } from '../../core/session/view.ts';
import { type DefinitionInUse, definitionInUse } from '../definition-in-use.ts';
import { type OpenGate, requireGate } from '../submission/gate-in-use.ts';
import type { Workspace } from '../workspace.ts';
import { afterMove, type MoveContext } from './after-move.ts';
import { findOut } from './find-out.ts';
import { type Asker, type Findings, noFindings, type RunParent } from './findings.ts';
import { nestedIn, waitingParent } from './nested-sessions.ts';

/** What a decision is made with. */
export interface Found {
  readonly facts: Facts;
  /** What ran to find them out. */
  readonly evidence: readonly Evidence[];
  /** Only once it is clear that the session ends. */
  readonly ending?: Ending;
  /** Left out while nobody has looked at it, and where it does not matter. */
  readonly gate?: OpenGate;
}

export interface SessionMove {
  readonly id: string;
  readonly inUse: DefinitionInUse;
  decide(session: Session | null, found: Found): SessionDecision | Promise<SessionDecision>;
  /** Found open by the caller; null: it does not matter. Left out: it is looked at here. */
  readonly gate?: OpenGate | null;
  /** Of a session that is not there yet, as the parent of what it runs. */
  readonly starts?: RunParent & Pick<Asker, 'inputs' | 'context'>;
}

/** Where the caller goes on: in the session itself, above it, or in what it runs. */
export interface Lead {
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  /** Of what was passed over in the sessions above. */
  readonly warnings: readonly string[];
  /** What an agent is to read of the sessions below it that ended with the call. */
  readonly afterwords?: readonly string[];
}

/** With what is to be read of a session whose end leads there. */
export function afterwordsOf(
  { afterword }: Pick<Session, 'afterword'>,
  { afterwords = [] }: Pick<Lead, 'afterwords'>,
): readonly string[] {
  return afterword === null ? afterwords : [afterword, ...afterwords];
}

interface Moved<Prepared> {
  readonly session: Session;
  readonly lead: Lead;
  readonly prepared: Prepared;
  readonly changed: boolean;
  readonly warnings: readonly string[];
}

/** `prepare` runs before anything commits: an answer that cannot be made changes nothing. */
export async function commitMove<Prepared>(
  context: MoveContext,
  move: SessionMove,
  prepare: (next: Session, lead: Lead) => Promise<Prepared>,
  findings: Findings = noFindings(),
): Promise<Moved<Prepared>> {
  const { store } = context.workspace;
  for (;;) {
    let wanted: Wanted | null = null;
    let before: Session | null = null;
    let lead: Lead | null = null;
    const want = (asker: Asker, need: Need) => {
      wanted = { kind: 'fact', asker, need };
      return refused(refuseForNeed(need));
    };
    const wantGate = (session: Session, inUse: DefinitionInUse) => {
      wanted = { kind: 'gate', session, inUse };
      return refused(refuse('fact_missing', `the gate of ${session.id} was not looked at yet`));
    };
    const decide = async (now: Session | null): Promise<SessionDecision> => {
      wanted = null;
      before = now;
      const decision = await decideWithEnding(context, move, now, [], findings);
      const need = needOf(decision);
      if (need !== null) return want(askerOf(context.workspace, move, now), need);
      if (decision.kind === 'refused') return decision;
      if (now !== null && lacksGate(move, now, decision, findings))
        return wantGate(now, move.inUse);
      const next = decision.kind === 'commit' ? evolve(now, decision.event) : now;
      if (next === null) return decision;
      const way = await leadFrom(context, next, move.inUse, findings);
      if (way.kind === 'need') return want(way.asker, way.need);
      if (way.kind === 'gate') return wantGate(way.session, way.inUse);
      if (way.kind === 'refused') return way.decision;
      lead = way.lead;
      return decision;
    };
    try {
      const committed = await store.commit(move.id, decide, (next) =>
        prepare(next, lead ?? leadOf(next, move.inUse)),
      );
      const { session } = committed;
      if (committed.changed) await afterMove(context, before, session, findings);
      await gateOf(move, findings)?.used();
      await goOnAbove(context, session, findings);
      return { ...committed, lead: lead ?? leadOf(session, move.inUse) };
    } catch (error) {
      const missing = wanted as Wanted | null;
      if (missing === null || !(error instanceof Refused)) throw error;
      if (missing.kind === 'fact') await findOut(context, missing.asker, missing.need, findings);
      else {
        const gate = await requireGate(context, missing.session, missing.inUse);
        findings.gates.set(gateKey(missing.session, missing.inUse), gate);
      }
    }
  }
}

type Wanted =
  | { readonly kind: 'fact'; readonly asker: Asker; readonly need: Need }
  | { readonly kind: 'gate'; readonly session: Session; readonly inUse: DefinitionInUse };

function gateKey({ id }: Pick<Session, 'id'>, { hash }: DefinitionInUse): string {
  return `${id} ${hash}`;
}

function gateOf(move: SessionMove, { gates }: Findings): OpenGate | null {
  const { gate = gates.get(gateKey(move, move.inUse)) ?? null } = move;
  return gate;
}

/** Whether a session would leave its arrival by a definition that was not compared yet. */
function lacksGate(
  move: SessionMove,
  now: Session,
  decision: SessionDecision,
  findings: Findings,
): boolean {
  if (decision.kind !== 'commit' || move.gate !== undefined) return false;
  if (gateOf(move, findings) !== null) return false;
  const { status, position } = evolve(now, decision.event);
  if (status === 'active') return position.arrival !== now.position.arrival;
  return status === 'completed';
}

function leadOf(session: Session, inUse: DefinitionInUse): Lead {
  return { session, inUse, warnings: [] };
}

/** `ended`: sessions above it on the stack that end with the same call. */
async function decideWithEnding(
  { workspace }: MoveContext,
  move: SessionMove,
  now: Session | null,
  ended: readonly string[],
  findings: Findings,
): Promise<SessionDecision> {
  const { id, decide } = move;
  const gate = gateOf(move, findings);
  const found = {
    facts: findings.facts.get(id) ?? {},
    evidence: findings.evidence.get(id) ?? [],
    ...(gate !== null && { gate }),
  };
  const decision = await decide(now, found);
  if (now === null || !ends(decision)) return decision;
  const nested = await nestedIn(workspace, now);
  const ending = await workspace.stacks.ending(now.owner, id, [...ended, ...nested]);
  return decide(now, { ...found, ending });
}

/** Only then the stack is looked at for what comes after it. */
function ends(decision: SessionDecision): boolean {
  if (decision.kind !== 'commit') return false;
  const { type, data } = decision.event;
  return type === 'aborted' || ('completed' in data && data.completed === true);
}

type Way =
  | { readonly kind: 'lead'; readonly lead: Lead }
  | { readonly kind: 'need'; readonly asker: Asker; readonly need: Need }
  | { readonly kind: 'gate'; readonly session: Session; readonly inUse: DefinitionInUse }
  | { readonly kind: 'refused'; readonly decision: Extract<SessionDecision, { kind: 'refused' }> };

/** From a session as it will be: up to what its end moves on, down to what it will run. */
async function leadFrom(
  context: MoveContext,
  session: Session,
  inUse: DefinitionInUse,
  findings: Findings,
  ended: readonly string[] = [],
  warnings: readonly string[] = [],
): Promise<Way> {
  const { workspace } = context;
  const parent = await waitingParent(workspace, session);
  if (parent !== null) {
    const move = await runEnded(context, parent, session);
    const over = [...ended, session.id];
    const decision = await decideWithEnding(context, move, parent, over, findings);
    const need = needOf(decision);
    if (need !== null) {
      return { kind: 'need', asker: askerOf(workspace, move, parent, over), need };
    }
    if (decision.kind === 'refused') return { kind: 'refused', decision };
    if (lacksGate(move, parent, decision, findings)) {
      return { kind: 'gate', session: parent, inUse: move.inUse };
    }
    const after = (way: Way): Way => {
      if (way.kind !== 'lead') return way;
      return { ...way, lead: { ...way.lead, afterwords: afterwordsOf(session, way.lead) } };
    };
    if (decision.kind === 'unchanged') {
      return after({ kind: 'lead', lead: { session: parent, inUse: move.inUse, warnings } });
    }
    const { event } = decision;
    const told = event.type === 'run_ended' ? (event.data.warnings ?? []) : [];
    const next = evolve(parent, event);
    return after(await leadFrom(context, next, move.inUse, findings, over, [...warnings, ...told]));
  }
  const { at } = session.position;
  const plan = at?.kind === 'run' ? findings.plans.get(at.session) : undefined;
  if (session.status === 'active' && plan !== undefined) {
    return leadFrom(context, plan.session, plan.inUse, findings, ended, warnings);
  }
  return { kind: 'lead', lead: { session, inUse, warnings } };
}

/** The move of a session when what it ran is complete. */
async function runEnded(
  { workspace, owner: by }: MoveContext,
  parent: Session,
  nested: Session,
): Promise<SessionMove> {
  const { id } = parent;
  const inUse = await definitionInUse(workspace, parent);
  const outcome = {
    kind: 'completed',
    outputs: allOutputs(nested),
    reports: allReports(nested),
  } as const;
  return {
    id,
    inUse,
    decide: (now, { facts, ending, gate }) => {
      const at = workspace.clock();
      const warnings = [...inUse.warnings, ...(gate?.warnings ?? [])];
      const change = gate?.change ?? undefined;
      const through = { warnings, ...(change && { gate: change }) };
      const command = { at, by, session: nested.id, outcome, inUse, facts, ...through };
      return ofExisting(id, (session) =>
        decideRunEnded(session, { ...command, ...(ending !== undefined && { ending }) }),
      )(now);
    },
  };
}

/** Moves what waits for the end of this session, and what waits for the end of that. */
export async function goOnAbove(
  context: MoveContext,
  session: Session,
  findings: Findings = noFindings(),
): Promise<Lead | null> {
  const parent = await waitingParent(context.workspace, session);
  if (parent === null) return null;
  const move = await runEnded(context, parent, session);
  const { lead } = await commitMove(context, move, async () => null, findings);
  return { ...lead, afterwords: afterwordsOf(session, lead) };
}

function askerOf(
  workspace: Workspace,
  { id, inUse, starts }: SessionMove,
  now: Session | null,
  ended: readonly string[] = [],
): Asker {
  if (now === null) {
    if (starts === undefined) throw new Error(`there is no session ${id}`);
    return {
      id,
      inUse,
      inputs: starts.inputs,
      context: starts.context,
      parent: async () => starts,
    };
  }
  const { inputs, context } = now;
  return { id, inUse, inputs, context, parent: () => parentOf(workspace, now, ended) };
}

/** A session as the parent of what it runs, without what ends with the same call. */
export async function parentOf(
  workspace: Workspace,
  session: Session,
  ended: readonly string[] = [],
): Promise<RunParent> {
  const { id, goal, instanceId, branchName, owner } = session;
  const over = [...ended, ...(await nestedIn(workspace, session))];
  const stack = (await workspace.stacks.of(owner)).filter((each) => !over.includes(each.id));
  const level = Math.max(session.level, ...stack.map((each) => each.level));
  return { id, goal, instanceId, branchName, level, depth: stack.length };
}
