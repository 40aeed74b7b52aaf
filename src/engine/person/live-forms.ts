// Shows questions on a client that can be asked while a call is running, one form after
// the other. A form stays when the call that opened it has waited long enough, because
// a person may be typing into it: its reply goes to its question, however late, and the
// next call of the same questions finds it on show. It is withdrawn when another way was
// first, and when the client gives the call up.

import { requireFreshReads } from '../../async/call-scope.ts';
import { Refused } from '../../core/refusal.ts';
import type { Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import type { FormEnd, FormOnShow, FormReply, LiveForms } from './forms.ts';

/** A person who answers wrongly this often is left in peace. */
export const ROUNDS = 3;
/** Longer than any process lives. */
const FOR_EVER_MS = 1e12;

/** Ends when every question was shown, or `over` aborts. Calls `late` for lost races. */
export async function showForms(
  forms: LiveForms,
  ledger: QuestionLedger,
  ids: readonly string[],
  over: AbortSignal,
  late: (id: string) => void,
): Promise<void> {
  const { memory } = forms;
  const ended = new Promise<null>((resolve) => {
    over.addEventListener('abort', () => resolve(null));
  });
  for (const id of ids) {
    let problem: string | null = null;
    for (let round = 0; round < ROUNDS; round++) {
      const question = await ledger.find(id);
      if (over.aborted) return;
      if (question?.outcome.kind !== 'open' || memory.declined.has(id)) break;
      const shown: FormOnShow = memory.onShow.get(id) ?? open(forms, ledger, question, problem);
      const end: FormEnd | null = await Promise.race([shown.ended, ended]);
      requireFreshReads();
      if (end === null) return;
      if (end.kind === 'late') late(id);
      if (end.kind !== 'wrong') break;
      problem = end.problem;
    }
  }
}

function open(
  forms: LiveForms,
  ledger: QuestionLedger,
  question: Question,
  problem: string | null,
): FormOnShow {
  const { id } = question;
  const { onShow, declined } = forms.memory;
  const close = new AbortController();
  const ended = forms
    .show(question, problem, close.signal)
    .then((reply) => {
      requireFreshReads();
      if (reply.action === 'decline') declined.add(id);
      return takeReply(ledger, id, reply, forms.by);
    })
    .finally(() => {
      onShow.delete(id);
      close.abort();
    });
  // A call that still waits gets the failure, too; where none does, this is its only trace.
  ended.catch((error: unknown) => process.stderr.write(`deepwork: ${String(error)}\n`));
  ledger.waitFor([id], close.signal, FOR_EVER_MS).then(
    () => close.abort(),
    () => {},
  );
  const shown = { ended, withdraw: () => close.abort() };
  onShow.set(id, shown);
  return shown;
}

export async function takeReply(
  ledger: QuestionLedger,
  id: string,
  reply: FormReply,
  by: string,
): Promise<FormEnd> {
  if (reply.action !== 'accept') return { kind: 'left' };
  try {
    await ledger.answer(id, reply, by, 'elicitation');
    return { kind: 'taken' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code, message } = error.refusal;
    if (code === 'answer_invalid') return { kind: 'wrong', problem: message };
    if (code === 'question_answered' || code === 'question_dismissed') return { kind: 'late' };
    throw error;
  }
}
