// Shows questions in a client that can be asked while a call is running, one form after the
// other. When the call that opened a form stops waiting, the form stays open, because a person may
// be typing into it: its reply answers its question, however late, and the next call with the same
// questions finds it open. It is withdrawn when the question is answered by another route, and
// when the client cancels the call.

import { requireFreshReads } from '../../async/call-scope.ts';
import { Refused } from '../../core/refusal.ts';
import type { Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import type { FormEnd, FormReply, LiveForms, OpenForm } from './forms.ts';

/** Stop re-prompting after this many invalid answers. */
export const MAX_ROUNDS = 3;
/** Longer than any process lives. */
const NO_LIMIT_MS = 1e12;

/** Ends when every form has ended, or `over` aborts. Calls `late` for replies that are too late. */
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
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const question = await ledger.find(id);
      if (over.aborted) return;
      if (question?.outcome.kind !== 'open' || memory.declined.has(id)) break;
      const shown: OpenForm = memory.openForms.get(id) ?? open(forms, ledger, question, problem);
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
): OpenForm {
  const { id } = question;
  const { openForms, declined } = forms.memory;
  const close = new AbortController();
  const ended = forms
    .show(question, problem, close.signal)
    .then((reply) => {
      requireFreshReads();
      if (reply.action === 'decline') declined.add(id);
      return takeReply(ledger, id, reply, forms.by);
    })
    .finally(() => {
      openForms.delete(id);
      close.abort();
    });
  // A call that still waits gets the failure, too; otherwise this is the only report of it.
  ended.catch((error: unknown) => process.stderr.write(`deepwork: ${String(error)}\n`));
  ledger.waitFor([id], close.signal, NO_LIMIT_MS).then(
    () => close.abort(),
    () => {},
  );
  const shown = { ended, withdraw: () => close.abort() };
  openForms.set(id, shown);
  return shown;
}

export async function takeReply(
  ledger: QuestionLedger,
  id: string,
  reply: FormReply,
  by: string,
): Promise<FormEnd> {
  if (reply.action !== 'accept') return { kind: 'unanswered' };
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
