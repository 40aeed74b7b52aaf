// Asks a person to allow something that an agent may not decide. It uses the same ledger and the
// same routes as any question, except forms in a client, which the agent might fill in. What is
// granted is part of the question's text, so that a grant is valid for nothing else. The question
// stays open until it is answered or the arrival that it is about is over (`ended-questions.ts`);
// a call that asks for the same thing again continues to wait for it.

import type { Grant } from '../../core/session/gate.ts';
import type { ArrivalId } from '../../core/team/state.ts';
import { shown } from '../../core/wording.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { CallContext } from '../call-context.ts';
import { askPerson } from './ask-person.ts';
import { notifyPerson } from './notify-person.ts';

export type GrantAnswer =
  | {
      readonly kind: 'granted';
      readonly grant: Grant;
      /** To be called once what was granted is recorded. */
      readonly used: () => Promise<void>;
    }
  | { readonly kind: 'pending'; readonly question: string }
  | {
      readonly kind: 'refused';
      readonly question: string;
      readonly by: string;
      /** The person's own words after `: `; empty if there are none. */
      readonly words: string;
    };

export interface GrantWait {
  readonly signal: AbortSignal;
  /** How many milliseconds are left to answer the call. */
  readonly timeLeft: number;
}

const GRANT = 'Grant';
const REFUSE = 'Refuse';

export async function askGrant(
  context: Pick<CallContext, 'workspace' | 'caller' | 'progress'>,
  settings: Settings,
  { question, about }: { readonly question: string; readonly about: ArrivalId },
  { signal, timeLeft }: GrantWait,
): Promise<GrantAnswer> {
  const { workspace, caller, progress } = context;
  const { questions: ledger } = workspace.team;
  const notice = notifyPerson(workspace);
  const asking = await askPerson(
    {
      ledger,
      caller,
      signal,
      waitMs: Math.min(settings.team.questionWaitSeconds * 1000, timeLeft),
      progress,
      asked: notice.begin,
    },
    [{ question, choices: [GRANT, REFUSE], multiSelect: false, about }],
  );
  const [found] = asking.kind === 'outcome' ? asking.questions : [];
  if (asking.kind !== 'outcome' || found === undefined) throw new Error('the question is gone');
  const { id, outcome } = found;
  if (outcome.kind === 'open') return { kind: 'pending', question: id };
  notice.end();
  const used = () => ledger.collected(asking.set);
  if (outcome.kind === 'dismissed') {
    // A dismissal is not an answer: the next call asks again.
    await used();
    return { kind: 'pending', question: id };
  }
  const { choices, other, by, route } = outcome;
  if (choices.length === 1 && choices[0] === GRANT) {
    return { kind: 'granted', grant: { question: id, by, route }, used };
  }
  const words = other === null ? '' : `: ${shown(other)}`;
  return { kind: 'refused', question: id, by, words };
}
