// What the gate of a run demands now, beside what it demanded before. A gate that became
// weaker is followed and recorded where agents may override reviews; where they may not, a
// person has to agree, or it has to be restored.

import { createHash } from 'node:crypto';
import { stricterRule } from '../../core/overrides.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { decideReport, ofExisting } from '../../core/session/decide.ts';
import type { GateChange } from '../../core/session/events.ts';
import {
  demandsOf,
  type Gate,
  gateOf,
  isSameGate,
  tellWeakening,
  type Weakening,
  weakenings,
} from '../../core/session/gate.ts';
import type { Session } from '../../core/session/state.ts';
import { shownUpTo } from '../../core/wording.ts';
import type { Workflow } from '../../core/workflow.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import { keyOf } from '../../gate/review/tasks.ts';
import type { CallContext } from '../call-context.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import { askGrant } from '../person/ask-grant.ts';

const known = new WeakMap<Workflow, Gate['steps']>();

export function gateNow({ workflow }: Pick<DefinitionInUse, 'workflow'>, settings: Settings): Gate {
  const steps = known.get(workflow) ?? demandsOf(workflow, digest);
  known.set(workflow, steps);
  return gateOf(steps, settings, digest);
}

export type GateState =
  /** `change` is to be put on record with the outcome. */
  | { readonly kind: 'open'; readonly change: GateChange | null; used(): Promise<void> }
  | { readonly kind: 'waiting'; readonly feedback: string };

/** Refused if the gate became weaker where it must not. */
export async function openGate(
  context: CallContext,
  session: Session,
  inUse: DefinitionInUse,
  settings: Settings,
): Promise<GateState> {
  const now = gateNow(inUse, settings);
  const before = session.gate;
  const open = (change: GateChange | null, used = async () => {}) =>
    ({ kind: 'open', change, used }) as const;
  if (before === null) return open({ now });
  if (isSameGate(before, now)) return open(null);
  const weakened = weakenings(before, now);
  if (weakened.length === 0) return open({ now });
  const rule = stricterRule(before.overrides, now.overrides);
  if (rule === 'agent') return open({ now, weakened });

  await report(context, session, weakened);
  const told = shownUpTo(weakened.map(tellWeakening).join('; '), MAX_TOLD);
  if (rule === 'never') throw new Refused(mayNotWeaken(session, told));
  const code = keyOf([session.id, before, now]).slice(0, 8);
  const question = `The gate of ${session.jobName}/${session.workflowName} (session ${session.id}) was made weaker during the run: ${told}. May the run go on with the weaker gate? (${code})`;
  const { arrival } = session.position;
  const about = { session: session.id, arrival, grants: 'weaker_gate' } as const;
  const answer = await askGrant(
    context,
    settings,
    { question, about },
    { signal: context.signal, timeLeft: settings.answerWithinSeconds * 1000 },
  );
  switch (answer.kind) {
    case 'granted':
      return open({ now, weakened, granted: answer.grant }, answer.used);
    case 'pending':
      return {
        kind: 'waiting',
        feedback: `The gate was made weaker during this run (${told}). A person was asked whether that is meant (${answer.question}); make the same call again to wait for the answer, or restore the definition.`,
      };
    case 'refused':
      // Nothing to wait for: an agent that calls again and again would never get further.
      throw new Refused(
        mayNotWeaken(
          session,
          `${told}. ${answer.by} refused it (${answer.question})${answer.words}`,
        ),
      );
  }
}

/** The same for a move: which steps lie behind depends on the definition, too. */
export async function requireGateForMove(
  context: CallContext,
  session: Session,
  inUse: DefinitionInUse,
): Promise<void> {
  const settings = await context.workspace.settings();
  const gate = await openGate(context, session, inUse, settings);
  if (gate.kind === 'waiting') {
    throw new Refused(refuse('gate_weakened', gate.feedback, 'then make the same call again.'));
  }
  const { weakened, granted } = gate.change ?? {};
  if (weakened !== undefined && granted === undefined) await report(context, session, weakened);
}

/** For answers, of what was recorded without asking anyone. */
export function weakeningWarnings(change: GateChange | null): string[] {
  return (change?.weakened ?? []).map(
    (each) => `The gate became weaker during this run: ${tellWeakening(each)}`,
  );
}

/** More than this would push what is asked off the screen. */
const MAX_TOLD = 1500;

async function report(
  { workspace, owner }: CallContext,
  { id }: Session,
  weakened: readonly Weakening[],
): Promise<void> {
  const { store, clock } = workspace;
  await store.commit(
    id,
    ofExisting(id, (session) => decideReport(session, { at: clock(), by: owner, weakened })),
    async () => null,
  );
}

function mayNotWeaken({ jobName, jobDir }: Session, told: string) {
  return refuse(
    'gate_weakened',
    `The gate of '${jobName}' was made weaker during this run: ${told}`,
    `restore what was changed (${jobDir}, .deepwork/config.yml) and call again, or ask your user.`,
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
