// A person moves a run, and its agent learns of it, as the operations do it.

import type { Refusal } from '../../src/core/refusal.ts';
import { decideAbort, decideGoBack } from '../../src/core/session/decide.ts';
import type { Session } from '../../src/core/session/state.ts';
import {
  decideInformed,
  decideStackChanged,
  mustInformAgent,
  steeredByPerson,
} from '../../src/core/session/steering.ts';
import type { Answer } from './answers.ts';
import type { Actor, Steer } from './calls.ts';
import { isRefusal } from './shell.ts';
import { answer, definitionInUse, existing, jobOf, type Stage, WORKFLOW_GONE } from './stage.ts';

/** A process of its own, which owns nothing. */
const DASHBOARD: Actor = { owner: 'dashboard', process: 'dashboard#1' };

/** What a call that was made without knowing is refused with; null: its caller knows all. */
export async function informed(
  { shell }: Stage,
  actor: Actor,
  session: Session,
): Promise<Refusal | null> {
  const { steering, id } = session;
  if (steering === null || !mustInformAgent(session)) return null;
  const by = shell.ownerOf(actor);
  const decide = existing(id, (now) => decideInformed(now, { at: shell.clock(), by }));
  const now = await shell.commit(actor, id, decide, null);
  if (isRefusal(now)) throw new Error(`the agent of ${id} could not be informed: ${now.message}`);
  return steeredByPerson(now, steering);
}

export async function steer(stage: Stage, call: Steer): Promise<Answer> {
  const { shell } = stage;
  const { session: id, stepId, person, reason } = call;
  const before = await shell.load(id);
  if (before === null) throw new Error(`the history has no session '${id}'`);
  const caller = { owner: before.owner.identity, process: shell.nameOf(before.owner.process) };
  const job = jobOf(stage, before.jobName);
  const inUse = definitionInUse(job);
  if (stepId !== null && before.status !== 'aborted' && job.workflow !== before.workflowName) {
    return answer(stage, caller, WORKFLOW_GONE, id);
  }
  if (stepId === null && before.status === 'active') {
    const rest = (await shell.stack(before.owner.identity)).filter((each) => each.id !== id);
    const onTop = rest.at(-1)?.id;
    if (onTop !== undefined) {
      const news = existing(onTop, (now) =>
        decideStackChanged(now, { at: shell.clock(), ended: id, person, reason }),
      );
      await shell.commit(DASHBOARD, onTop, news, null);
    }
  }
  const decide = existing(id, (now) => {
    const by = { person };
    const at = shell.clock();
    if (stepId !== null) return decideGoBack(now, { at, by, reason, stepId, inUse });
    return decideAbort(now, { at, by, explanation: reason, ending: { nth: 1, resumes: null } });
  });
  const session = await shell.commit(DASHBOARD, id, decide, inUse);
  return answer(stage, caller, isRefusal(session) ? session : 'steered', id);
}
