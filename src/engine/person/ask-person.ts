// Asks a person and waits for the answer, as long as the caller's client allows. A wait that ends
// is not an answer: the questions stay open, and a call that asks the same ones again continues to
// wait.

import { createHash } from 'node:crypto';
import { refusedWith } from '../../core/refusal.ts';
import type { Caller } from '../../core/team/caller.ts';
import type { AskedOutcome } from '../../core/team/question-texts.ts';
import { questionsKey } from '../../core/team/questions.ts';
import type { Asked, Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import type { ClientForms, FormsBetweenCalls, FormsWanted, ReturnedForms } from './forms.ts';
import { MAX_ROUNDS, showForms, takeReply } from './live-forms.ts';

export interface AskOptions {
  readonly ledger: QuestionLedger;
  readonly caller: Caller;
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly waitMs: number;
  readonly progress: (message: string) => void;
  /** Only for an agent's own questions: an agent may fill in the forms of its client itself. */
  readonly forms?: ClientForms | undefined;
  /** Called with questions that are new. */
  readonly asked?: (questions: readonly Question[]) => void;
}

export type Asking =
  | ({ readonly kind: 'outcome'; readonly set: number; readonly closed: boolean } & AskedOutcome)
  | { readonly kind: 'forms'; readonly wanted: FormsWanted };

const PROGRESS_MS = 10_000;

export async function askPerson(options: AskOptions, questions: readonly Asked[]): Promise<Asking> {
  const { ledger, caller, forms } = options;
  const returned = forms?.kind === 'between' ? forms.returned : null;
  if (returned !== null) await requireSame(ledger, returned, questions);
  const { set, ids, attached } =
    returned === null ? await ledger.ask(caller, questions) : { ...returned.token, attached: true };
  if (!attached) options.asked?.(await findAll(ledger, ids));

  const late: string[] = [];
  if (forms?.kind === 'between') {
    const wanted = await formsWanted(ledger, forms, { set, ids, key: keyOf(questions) }, late);
    if (wanted !== null) return { kind: 'forms', wanted };
  }
  const now = await findAll(ledger, ids);
  const found = areClosed(now) ? now : await wait(options, ids, late);
  return { kind: 'outcome', set, closed: areClosed(found), questions: found, late };
}

function areClosed(questions: readonly Question[]): boolean {
  return questions.every(({ outcome }) => outcome.kind !== 'open');
}

async function wait(
  options: AskOptions,
  ids: readonly string[],
  late: string[],
): Promise<Question[]> {
  const { ledger, signal, waitMs, progress, forms } = options;
  const over = new AbortController();
  let failure: unknown = null;
  const began = performance.now();
  const report = (more = '') => {
    const seconds = Math.round((performance.now() - began) / 1000);
    progress(`Waiting for a person to answer ${ids.join(', ')} (${seconds} s)${more}`);
  };
  report(`: deepwork answer${ids.length === 1 ? ` ${ids[0]}` : ''}`);
  const ticking = setInterval(() => report(), PROGRESS_MS);
  const cancel = () => over.abort();
  signal.addEventListener('abort', cancel);
  try {
    if (forms?.kind === 'live' && !signal.aborted) {
      showForms(forms, ledger, ids, over.signal, (id) => late.push(id)).catch((error) => {
        failure = error;
        over.abort();
      });
    }
    const until = AbortSignal.any([signal, over.signal]);
    const found = await ledger.waitFor(ids, until, waitMs);
    if (failure !== null) throw failure;
    return found;
  } finally {
    clearInterval(ticking);
    signal.removeEventListener('abort', cancel);
    over.abort();
    if (signal.aborted && forms?.kind === 'live') {
      for (const id of ids) forms.memory.openForms.get(id)?.withdraw();
    }
  }
}

/** The forms that the client still has to show between calls; null if there are none. */
async function formsWanted(
  ledger: QuestionLedger,
  { by, returned }: FormsBetweenCalls,
  asked: { readonly set: number; readonly ids: readonly string[]; readonly key: string },
  late: string[],
): Promise<FormsWanted | null> {
  const problems = new Map<string, string | null>();
  if (returned === null) {
    for (const id of asked.ids) problems.set(id, null);
  } else {
    for (const id of asked.ids) {
      const reply = returned.replies.get(id);
      if (reply === undefined) continue;
      const end = await takeReply(ledger, id, reply, by);
      if (end.kind === 'late') late.push(id);
      if (end.kind === 'wrong') problems.set(id, end.problem);
    }
  }
  const round = (returned?.token.round ?? 0) + 1;
  const forms = (await findAll(ledger, [...problems.keys()]))
    .filter(({ outcome }) => outcome.kind === 'open')
    .map((question) => ({ question, problem: problems.get(question.id) ?? null }));
  return forms.length === 0 || round > MAX_ROUNDS ? null : { token: { ...asked, round }, forms };
}

/** A token is valid only for the questions that it was issued for. */
async function requireSame(
  ledger: QuestionLedger,
  { token }: ReturnedForms,
  questions: readonly Asked[],
): Promise<void> {
  const found = await findAll(ledger, token.ids);
  const key = keyOf(questions);
  if (key === token.key && found.length === token.ids.length && key === keyOf(found)) return;
  const next = 'call again without it.';
  throw refusedWith('invalid_params', 'requestState belongs to other questions', next);
}

async function findAll(ledger: QuestionLedger, ids: readonly string[]): Promise<Question[]> {
  const found = await Promise.all(ids.map((id) => ledger.find(id)));
  return found.filter((question) => question !== null);
}

function keyOf(questions: readonly Asked[]): string {
  return createHash('sha256').update(questionsKey(questions)).digest('base64url');
}
