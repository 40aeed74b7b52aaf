// The questions answered last, with who answered what and when. Other lists show only open
// questions.

import type { Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { momentInWords } from '../board/times.ts';
import type { Io } from '../io.ts';
import { printableLine } from '../terminal/printable.ts';

const MAX_ANSWERED = 10;
/** More than are shown, because dismissed questions are among them. */
const MAX_CLOSED = 100;

/** Empty if there are none. */
export async function listAnswered(
  { clock }: Pick<Io, 'clock'>,
  ledger: QuestionLedger,
): Promise<string> {
  const closed = await ledger.recent(MAX_CLOSED);
  const all = [...(await ledger.open()), ...closed];
  const answered = closed
    .flatMap((question) => describeAnswered(question, all, clock()))
    .slice(0, MAX_ANSWERED);
  return answered.length === 0 ? '' : `Answered last:\n${answered.join('')}`;
}

function describeAnswered(asked: Question, all: readonly Question[], now: string): string[] {
  const { id, question, outcome } = asked;
  if (outcome.kind !== 'answered') return [];
  const { choices, other, by, at } = outcome;
  const answer = [...choices, ...(other === null ? [] : [other])].join(', ');
  const when = momentInWords(at, now);
  const next = askedAgain(asked, all);
  const isVoid =
    next === null ? '' : ` (void: a file had changed, so it was asked again as ${next.id})`;
  const lines = [`${id}  ${question}`, `  ${answer}${isVoid}`, `  by ${by}, ${when}`];
  return [lines.map((line) => `  ${printableLine(line)}\n`).join('')];
}

/**
 * The question after this one, if its approval did not count: an approval that counts leads on, so
 * the same arrival at the entry does not ask again. A rejection may, and counts all the same.
 */
function askedAgain(asked: Question, all: readonly Question[]): Question | null {
  const { about, outcome, choices } = asked;
  const [approve = ''] = choices;
  const isApproval = about?.grants === 'approval' && outcome.kind === 'answered';
  if (!isApproval || !outcome.choices.includes(approve)) return null;
  const later = all.filter(
    (each) =>
      each.about?.session === about.session &&
      each.about.arrival === about.arrival &&
      each.about.grants === 'approval' &&
      numberOf(each) > numberOf(asked),
  );
  return later.sort((one, other) => numberOf(one) - numberOf(other))[0] ?? null;
}

function numberOf({ id }: Question): number {
  return Number(id.replace('q-', ''));
}
