// Compares what the gate of a run demands now with what it demanded before. If agents may override
// reviews, a weaker gate is accepted and recorded; otherwise a person has to agree, or the gate has
// to be restored.

import { createHash } from 'node:crypto';
import { stricterRule } from '../../core/overrides.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { decideGateWeakened } from '../../core/session/decide.ts';
import { demandsOf, type GatePlace, runName } from '../../core/session/demands.ts';
import type { GateChange } from '../../core/session/events.ts';
import {
  describeWeakening,
  type Gate,
  gateOf,
  isSameGate,
  type NestedPlaces,
  weakenings,
} from '../../core/session/gate.ts';
import type { Session } from '../../core/session/state.ts';
import { shownUpTo } from '../../core/wording.ts';
import { type RunEntry, runsOf, type Workflow } from '../../core/workflow.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import { keyOf } from '../../gate/review/tasks.ts';
import type { CallContext } from '../call-context.ts';
import { type DefinitionInUse, findDefinition } from '../definition-in-use.ts';
import { askGrant } from '../person/ask-grant.ts';
import type { Workspace } from '../workspace.ts';

const known = new WeakMap<Workflow, readonly GatePlace[]>();

export async function gateNow(
  workspace: Workspace,
  { workflow }: Pick<DefinitionInUse, 'workflow'>,
  settings: Settings,
): Promise<Gate> {
  const runs = await nestedPlaces(workspace, workflow);
  const places = placesOf(workflow);
  return gateOf({ places, ...(runs !== null && { runs }) }, settings, digest);
}

function placesOf(workflow: Workflow): readonly GatePlace[] {
  const places = known.get(workflow) ?? demandsOf(workflow, digest);
  known.set(workflow, places);
  return places;
}

/** How many nested workflows are compared; the others count as unreadable. */
const MAX_NESTED = 100;

/** Null if it runs none. */
async function nestedPlaces(
  workspace: Workspace,
  workflow: Workflow,
): Promise<NestedPlaces | null> {
  const found = new Map<string, readonly GatePlace[] | null>();
  const pending = [...runsOf(workflow)];
  for (let run = pending.shift(); run !== undefined; run = pending.shift()) {
    const name = runName(run);
    if (found.has(name)) continue;
    const nested = found.size < MAX_NESTED ? await readNested(workspace, run) : null;
    found.set(name, nested && placesOf(nested));
    if (nested !== null) pending.push(...runsOf(nested));
  }
  return found.size === 0 ? null : Object.fromEntries(found);
}

/** Null if it cannot be read: then the call that would start it is refused. */
async function readNested(
  workspace: Workspace,
  { job, workflow }: RunEntry,
): Promise<Workflow | null> {
  try {
    const { inUse, isRenamed } = await findDefinition(workspace, job, workflow);
    return isRenamed ? null : inUse.workflow;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

export interface OpenGate {
  /** To be recorded with the outcome. */
  readonly change: GateChange | null;
  /** For the answer: weakenings that were recorded without asking anyone. */
  readonly warnings: readonly string[];
  /** To be called once the change is recorded. */
  used(): Promise<void>;
}

/** A person has to agree first. Calls that cannot wait for that report it as a refusal. */
export class AwaitsGrant extends Refused {
  readonly warnings: readonly string[];

  constructor(feedback: string, warnings: readonly string[]) {
    super(refuse('gate_weakened', feedback, 'then make the same call again.'));
    this.warnings = warnings;
  }
}

type GateContext = Pick<CallContext, 'workspace' | 'owner' | 'caller' | 'signal' | 'progress'> & {
  /** How many milliseconds are left to answer the call. */
  readonly timeLeft?: () => number;
};

/** Called before each move. Refuses if the gate became weaker and that is not allowed. */
export async function requireGate(
  context: GateContext,
  session: Session,
  inUse: DefinitionInUse,
): Promise<OpenGate> {
  const settings = await context.workspace.settings();
  const now = await gateNow(context.workspace, inUse, settings);
  const before = session.gate;
  if (before === null) return openWith({ now });
  if (isSameGate(before, now)) return openWith(null);
  const weakened = weakenings(before, now);
  if (weakened.length === 0) return openWith({ now });
  const rule = stricterRule(before.overrides, now.overrides);
  if (rule === 'agent') return openWith({ now, weakened });

  const { store, clock } = context.workspace;
  await store.change(session.id, (current) =>
    decideGateWeakened(current, { at: clock(), by: context.owner, weakened }),
  );
  const summary = shownUpTo(weakened.map(describeWeakening).join('; '), MAX_SUMMARY_CHARS);
  if (rule === 'never') throw new Refused(mayNotWeaken(session, summary));
  const code = keyOf([session.id, before, now]).slice(0, 8);
  const question = `The gate of ${session.jobName}/${session.workflowName} (session ${session.id}) was made weaker during the run: ${summary}. May the run continue with the weaker gate? (${code})`;
  const { arrival } = session.position;
  const about = { session: session.id, arrival, grants: 'weaker_gate' } as const;
  const timeLeft = context.timeLeft?.() ?? settings.answerWithinSeconds * 1000;
  const wait = { signal: context.signal, timeLeft };
  const answer = await askGrant(context, settings, { question, about }, wait);
  switch (answer.kind) {
    case 'granted':
      return openWith({ now, weakened, granted: answer.grant }, answer.used);
    case 'pending':
      throw new AwaitsGrant(
        `The gate was made weaker during this run (${summary}). A person was asked whether that is intended (${answer.question}); make the same call again to wait for the answer, or restore the definition.`,
        inUse.warnings,
      );
    case 'refused':
      // There is nothing to wait for: calling again would never help.
      throw new Refused(
        mayNotWeaken(
          session,
          `${summary}. ${answer.by} refused it (${answer.question})${answer.words}`,
        ),
      );
  }
}

/** What a move records about the gate that it passed. */
export function gateRecord(gate: OpenGate | null | undefined, inUse: DefinitionInUse) {
  const change = gate?.change ?? null;
  return {
    ...(change !== null && { gate: change }),
    warnings: [...inUse.warnings, ...(gate?.warnings ?? [])],
  };
}

function openWith(change: GateChange | null, used = async () => {}): OpenGate {
  const warnings = (change?.weakened ?? []).map(
    (each) => `The gate became weaker during this run: ${describeWeakening(each)}`,
  );
  return { change, warnings, used };
}

/** A longer text would push the question off the screen. */
const MAX_SUMMARY_CHARS = 1500;

function mayNotWeaken({ jobName, jobDir }: Session, summary: string) {
  return refuse(
    'gate_weakened',
    `The gate of '${jobName}' was made weaker during this run: ${summary}`,
    `restore what was changed (${jobDir}, .deepwork/config.yml) and call again, or ask your user.`,
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
