// The questions answered last, with who answered what and when. Other lists show only open
// questions.

import type { Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { momentInWords } from '../board/times.ts';
import { printableLine } from '../terminal/printable.ts';

const MAX_ANSWERED = 10;
/** More than are shown, because dismissed questions are among them. */
const MAX_CLOSED = 100;

/** Empty if there are none. */
export async function listAnswered(ledger: QuestionLedger): Promise<string> {
  const closed = await ledger.recent(MAX_CLOSED);
  const answered = closed.flatMap(describeAnswered).slice(0, MAX_ANSWERED);
  return answered.length === 0 ? '' : `Answered last:\n${answered.join('')}`;
}

function describeAnswered({ id, question, outcome }: Question): string[] {
  if (outcome.kind !== 'answered') return [];
  const { choices, other, by, at } = outcome;
  const answer = [...choices, ...(other === null ? [] : [other])].join(', ');
  const when = momentInWords(at, new Date().toISOString());
  const lines = [`${id}  ${question}`, `  ${answer}`, `  by ${by}, ${when}`];
  return [lines.map((line) => `  ${printableLine(line)}\n`).join('')];
}
