// Commits the move of a session and everything that follows from it. The facts that the decision
// needs are found out first, outside of the commit. When a nested session is complete, its parent
// moves on, which may complete the parent, too, and so on. All these decisions are made before the
// first commit, so that a refusal of one of them refuses the call.
//
// The order of the commits is: the session, its parents, then the nested session that the last of
// them runs. If a crash interrupts them, the next call finds what is missing and does it
// (`follow.ts`).

import { refused } from '../../core/decision.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import type { Evidence, SessionDecision } from '../../core/session/events.ts';
import { evolve } from '../../core/session/evolve.ts';
import { type Facts, type Need, needOf, refuseForNeed } from '../../core/session/facts.ts';
import { decideRunEnded } from '../../core/session/nested-run.ts';
import { openStepId } from '../../core/session/progress.ts';
import { noSuchSession } from '../../core/session/refusals.ts';
import type { Ending, Session } from '../../core/session/state.ts';
import { allReports } from '../../core/session/variables.ts';
import { allOutputs } from '../../core/session/view.ts';
import { type DefinitionInUse, definitionInUse } from '../definition-in-use.ts';
import { gateRecord, type OpenGate, requireGate } from '../submission/gate-in-use.ts';
import { whileHere } from '../submission/while-here.ts';
import type { Workspace } from '../workspace.ts';
import { afterMove, type MoveContext } from './after-move.ts';
import { findOut } from './find-out.ts';
import { type Findings, noFindings, type Requester, type RunParent } from './findings.ts';
import { nestedIn, waitingParent } from './nested-sessions.ts';

/** What a decision is based on, besides the session. */
export interface Found {
  readonly facts: Facts;
  /** What ran to find out the facts. */
  readonly evidence: readonly Evidence[];
  /** Given once it is clear that the session ends. */
  readonly ending?: Ending;
  /** Left out until it has been compared, and if it does not matter. */
  readonly gate?: OpenGate;
}

export interface SessionMove {
  readonly id: string;
  readonly inUse: DefinitionInUse;
  decide(session: Session, found: Found): SessionDecision | Promise<SessionDecision>;
  /** Given if the caller has compared it; null if it does not matter; else it is compared here. */
  readonly gate?: OpenGate | null;
  /** For a session that does not exist yet; without this, such a call is refused. */
  readonly starts?: {
    decide(found: Found): SessionDecision;
    /** What the session passes on to a session that it runs. */
    readonly passesOn: RunParent & Pick<Requester, 'context'>;
  };
}

/** Where the caller continues: in the session itself, in a parent, or in a nested session. */
export interface Lead {
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  /** Warnings from the moves of the parents. */
  readonly warnings: readonly string[];
  /** The closing texts of nested sessions that ended with the call. */
  readonly afterwords?: readonly string[];
}

/** The closing text of a session that ended, followed by those that are already in the lead. */
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

/** `prepare` runs before anything commits: if the answer cannot be built, nothing changes. */
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
    const want = (missing: Wanted) => {
      wanted = missing;
      return refused(refuseForWanted(missing));
    };
    const decide = async (now: Session | null): Promise<SessionDecision> => {
      wanted = null;
      before = now;
      const decision = await decideWithEnding(context, move, now, [], findings);
      const need = needOf(decision);
      if (need !== null) {
        return want({ kind: 'need', requester: requesterOf(context.workspace, move, now), need });
      }
      if (decision.kind === 'refused') return decision;
      if (now !== null && lacksGate(move, now, decision, findings)) {
        return want({ kind: 'gate', session: now, inUse: move.inUse });
      }
      const next = decision.kind === 'commit' ? evolve(now, decision.event) : now;
      if (next === null) return decision;
      const result = await leadFrom(context, next, move.inUse, findings);
      if (result.kind === 'need' || result.kind === 'gate') return want(result);
      if (result.kind === 'refused') return result.decision;
      lead = result.lead;
      return decision;
    };
    try {
      const committed = await store.commit(move.id, decide, (next) =>
        prepare(next, lead ?? leadOf(next, move.inUse)),
      );
      const { session } = committed;
      if (committed.changed) await afterMove(context, before, session, findings);
      await gateOf(move, findings)?.used();
      await moveWaitingParents(context, session, findings);
      return { ...committed, lead: lead ?? leadOf(session, move.inUse) };
    } catch (error) {
      const missing = wanted as Wanted | null;
      if (missing === null || !(error instanceof Refused)) throw error;
      if (missing.kind === 'need') {
        const { requester, need } = missing;
        const find = (signal: AbortSignal) =>
          findOut({ ...context, signal }, requester, need, findings);
        const here = before as Session | null;
        if (here === null || !runsCommand(need)) await find(context.signal);
        else await whileHere(context.workspace, here, openStepId(here), context.signal, find);
      } else {
        const gate = await requireGate(context, missing.session, missing.inUse);
        findings.gates.set(gateKey(missing.session, missing.inUse), gate);
      }
    }
  }
}

function runsCommand(need: Need): boolean {
  return need.kind === 'until' && need.loop.until.kind === 'check';
}

/** What is missing for a decision. */
type Wanted =
  | { readonly kind: 'need'; readonly requester: Requester; readonly need: Need }
  | { readonly kind: 'gate'; readonly session: Session; readonly inUse: DefinitionInUse };

function refuseForWanted(wanted: Wanted) {
  return wanted.kind === 'need'
    ? refuseForNeed(wanted.need)
    : refuse('fact_missing', `the gate of ${wanted.session.id} has not been compared yet`);
}

function gateKey({ id }: Pick<Session, 'id'>, { hash }: DefinitionInUse): string {
  return `${id} ${hash}`;
}

function gateOf(move: SessionMove, { gates }: Findings): OpenGate | null {
  const { gate = gates.get(gateKey(move, move.inUse)) ?? null } = move;
  return gate;
}

/** Whether a session would leave its arrival before its gate has been compared. */
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

/** `ended`: nested sessions that end with the same call. */
async function decideWithEnding(
  { workspace }: MoveContext,
  move: SessionMove,
  now: Session | null,
  ended: readonly string[],
  findings: Findings,
): Promise<SessionDecision> {
  const { id, decide, starts } = move;
  const gate = gateOf(move, findings);
  const found = {
    facts: findings.facts.get(id) ?? {},
    evidence: findings.evidence.get(id) ?? [],
    ...(gate !== null && { gate }),
  };
  if (now === null) return starts?.decide(found) ?? refused(noSuchSession(id));
  const decision = await decide(now, found);
  if (!ends(decision)) return decision;
  const nested = await nestedIn(workspace, now);
  const ending = await workspace.stacks.ending(now.owner, id, [...ended, ...nested]);
  return decide(now, { ...found, ending });
}

/** Whether the session ends. Only then is the stack read for what is resumed. */
function ends(decision: SessionDecision): boolean {
  if (decision.kind !== 'commit') return false;
  const { type, data } = decision.event;
  return type === 'aborted' || ('completed' in data && data.completed === true);
}

type LeadResult =
  | Wanted
  | { readonly kind: 'lead'; readonly lead: Lead }
  | { readonly kind: 'refused'; readonly decision: Extract<SessionDecision, { kind: 'refused' }> };

/** Follows a session as it will be: to the parents that its end moves, and to what it will run. */
async function leadFrom(
  context: MoveContext,
  session: Session,
  inUse: DefinitionInUse,
  findings: Findings,
  ended: readonly string[] = [],
  warnings: readonly string[] = [],
): Promise<LeadResult> {
  const { workspace } = context;
  const parent = await waitingParent(workspace, session);
  if (parent !== null) {
    const move = await runEnded(context, parent, session);
    const allEnded = [...ended, session.id];
    const decision = await decideWithEnding(context, move, parent, allEnded, findings);
    const need = needOf(decision);
    if (need !== null) {
      return { kind: 'need', requester: requesterOf(workspace, move, parent, allEnded), need };
    }
    if (decision.kind === 'refused') return { kind: 'refused', decision };
    if (lacksGate(move, parent, decision, findings)) {
      return { kind: 'gate', session: parent, inUse: move.inUse };
    }
    const withAfterword = (result: LeadResult): LeadResult => {
      if (result.kind !== 'lead') return result;
      const { lead } = result;
      return { ...result, lead: { ...lead, afterwords: afterwordsOf(session, lead) } };
    };
    if (decision.kind === 'unchanged') {
      return withAfterword({
        kind: 'lead',
        lead: { session: parent, inUse: move.inUse, warnings },
      });
    }
    const { event } = decision;
    const more = event.type === 'run_ended' ? (event.data.warnings ?? []) : [];
    const allWarnings = [...warnings, ...more];
    const next = evolve(parent, event);
    return withAfterword(
      await leadFrom(context, next, move.inUse, findings, allEnded, allWarnings),
    );
  }
  const { at } = session.position;
  const plan = at?.kind === 'run' ? findings.plans.get(at.session) : undefined;
  if (session.status === 'active' && plan !== undefined) {
    return leadFrom(context, plan.session, plan.inUse, findings, ended, warnings);
  }
  return { kind: 'lead', lead: { session, inUse, warnings } };
}

/** The move of a parent whose nested session is complete. */
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
      const passed = gateRecord(gate, inUse);
      const command = { at, by, session: nested.id, outcome, inUse, facts, ...passed };
      return decideRunEnded(now, { ...command, ...(ending !== undefined && { ending }) });
    },
  };
}

/** Moves the parent that waits for this session, and further parents that complete with it. */
export async function moveWaitingParents(
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

function requesterOf(
  workspace: Workspace,
  { id, inUse, starts }: SessionMove,
  now: Session | null,
  ended: readonly string[] = [],
): Requester {
  if (now === null) {
    if (starts === undefined) throw new Error(`there is no session ${id}`);
    const { passesOn } = starts;
    const { inputs, context } = passesOn;
    return { id, inUse, inputs, context, parent: async () => passesOn };
  }
  const { inputs, context } = now;
  return { id, inUse, inputs, context, parent: () => runParentOf(workspace, now, ended) };
}

/** What a nested session gets from its parent; sessions in `ended` no longer count as stacked. */
export async function runParentOf(
  workspace: Workspace,
  session: Session,
  ended: readonly string[] = [],
): Promise<RunParent> {
  const { id, goal, inputs, instanceId, branchName, owner } = session;
  const gone = [...ended, ...(await nestedIn(workspace, session))];
  const stack = (await workspace.stacks.of(owner)).filter((each) => !gone.includes(each.id));
  const level = Math.max(session.level, ...stack.map((each) => each.level));
  return { id, goal, inputs, instanceId, branchName, level, depth: stack.length };
}
