// Asks a person to let something pass that an agent may not decide: by the same ledger and
// the same ways as any question, except forms in a client, which the agent may fill in. What is
// asked for is part of the question's text, so that a grant is good for that and nothing else.
// The question stays open for as long as it takes, but no longer than the arrival it is about
// (`ended-questions.ts`); a call that asks for the same thing again goes on waiting for it.

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
      /** To be called once what was granted is on record. */
      readonly used: () => Promise<void>;
    }
  | { readonly kind: 'pending'; readonly question: string }
  | {
      readonly kind: 'refused';
      readonly question: string;
      readonly by: string;
      /** What the person said besides, with a blank and a colon in front; or nothing. */
      readonly words: string;
    };

export interface GrantWait {
  readonly signal: AbortSignal;
  /** How many milliseconds are left in which the call has to be answered. */
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
  const calling = notifyPerson(workspace);
  const asking = await askPerson(
    {
      ledger,
      caller,
      signal,
      waitMs: Math.min(settings.team.questionWaitSeconds * 1000, timeLeft),
      progress,
      asked: calling.begin,
    },
    [{ question, choices: [GRANT, REFUSE], multiSelect: false, about }],
  );
  const [found] = asking.kind === 'outcome' ? asking.questions : [];
  if (asking.kind !== 'outcome' || found === undefined) throw new Error('the question is gone');
  const { id, outcome } = found;
  if (outcome.kind === 'open') return { kind: 'pending', question: id };
  calling.end();
  const used = () => ledger.collected(asking.set);
  if (outcome.kind === 'dismissed') {
    // No answer: the next call asks anew.
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
