// Asks a person and waits for the answer, as long as the caller's client lets it. A wait
// that ends is not an answer: the questions stay open, and a call that asks the same
// ones again goes on waiting.

import { createHash } from 'node:crypto';
import { Refused, refuse } from '../../core/refusal.ts';
import type { Caller } from '../../core/team/caller.ts';
import type { AskedOutcome } from '../../core/team/question-texts.ts';
import { questionsKey } from '../../core/team/questions.ts';
import type { Asked, Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import type { ClientForms, FormsBetweenCalls, FormsWanted, SaidBetween } from './forms.ts';
import { ROUNDS, showForms, takeReply } from './live-forms.ts';

export interface AskOptions {
  readonly ledger: QuestionLedger;
  readonly caller: Caller;
  /** Aborted when the client gives the call up. */
  readonly signal: AbortSignal;
  readonly waitMs: number;
  readonly progress: (message: string) => void;
  /** Only for what an agent asks of its own accord: a client may be no more than the agent. */
  readonly forms?: ClientForms | undefined;
  /** Told of questions that were not there before. */
  readonly asked?: (questions: readonly Question[]) => void;
}

export type Asking =
  | ({ readonly kind: 'outcome'; readonly set: number; readonly settled: boolean } & AskedOutcome)
  | { readonly kind: 'forms'; readonly wanted: FormsWanted };

const PROGRESS_MS = 10_000;

export async function askPerson(options: AskOptions, questions: readonly Asked[]): Promise<Asking> {
  const { ledger, caller, forms } = options;
  const said = forms?.kind === 'between' ? forms.said : null;
  if (said !== null) await requireSame(ledger, said, questions);
  const { set, ids, attached } =
    said === null ? await ledger.ask(caller, questions) : { ...said.token, attached: true };
  if (!attached) options.asked?.(await findAll(ledger, ids));

  const late: string[] = [];
  if (forms?.kind === 'between') {
    const wanted = await formsWanted(ledger, forms, { set, ids, key: keyOf(questions) }, late);
    if (wanted !== null) return { kind: 'forms', wanted };
  }
  const now = await findAll(ledger, ids);
  const found = isSettled(now) ? now : await wait(options, ids, late);
  return { kind: 'outcome', set, settled: isSettled(found), questions: found, late };
}

function isSettled(questions: readonly Question[]): boolean {
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
  const tell = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    progress(`Waiting for a person to answer ${ids.join(', ')} (${seconds} s)`);
  };
  tell();
  const ticking = setInterval(tell, PROGRESS_MS);
  const giveUp = () => over.abort();
  signal.addEventListener('abort', giveUp);
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
    signal.removeEventListener('abort', giveUp);
    over.abort();
    if (signal.aborted && forms?.kind === 'live') {
      for (const id of ids) forms.memory.onShow.get(id)?.withdraw();
    }
  }
}

/** What still has to be shown between calls; null: nothing, the call waits. */
async function formsWanted(
  ledger: QuestionLedger,
  { by, said }: FormsBetweenCalls,
  asked: { readonly set: number; readonly ids: readonly string[]; readonly key: string },
  late: string[],
): Promise<FormsWanted | null> {
  const problems = new Map<string, string | null>();
  if (said === null) {
    for (const id of asked.ids) problems.set(id, null);
  } else {
    for (const id of asked.ids) {
      const reply = said.replies.get(id);
      if (reply === undefined) continue;
      const end = await takeReply(ledger, id, reply, by);
      if (end.kind === 'late') late.push(id);
      if (end.kind === 'wrong') problems.set(id, end.problem);
    }
  }
  const round = (said?.token.round ?? 0) + 1;
  const forms = (await findAll(ledger, [...problems.keys()]))
    .filter(({ outcome }) => outcome.kind === 'open')
    .map((question) => ({ question, problem: problems.get(question.id) ?? null }));
  return forms.length === 0 || round > ROUNDS ? null : { token: { ...asked, round }, forms };
}

/** A token is good for the very questions that it was given for. */
async function requireSame(
  ledger: QuestionLedger,
  { token }: SaidBetween,
  questions: readonly Asked[],
): Promise<void> {
  const found = await findAll(ledger, token.ids);
  const key = keyOf(questions);
  if (key === token.key && found.length === token.ids.length && key === keyOf(found)) return;
  const next = 'call again without it.';
  throw new Refused(refuse('invalid_params', 'requestState belongs to other questions', next));
}

async function findAll(ledger: QuestionLedger, ids: readonly string[]): Promise<Question[]> {
  const found = await Promise.all(ids.map((id) => ledger.find(id)));
  return found.filter((question) => question !== null);
}

function keyOf(questions: readonly Asked[]): string {
  return createHash('sha256').update(questionsKey(questions)).digest('base64url');
}
