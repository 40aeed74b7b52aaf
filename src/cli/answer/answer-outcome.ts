// Outcomes and exit codes shared by the ways of answering at a terminal.

import type { Refusal } from '../../core/refusal.ts';
import type { Asked, GivenAnswer, Question } from '../../core/team/state.ts';
import { momentInWords } from '../board/times.ts';
import type { Io } from '../io.ts';
import { printable } from '../terminal/printable.ts';

export const TERMINAL_ROUTE = 'terminal';

export const BAD_ANSWER = 2;
const ALREADY_ANSWERED = 3;

/** The engine bundle has its own copy of the class, so `instanceof` fails; compare names. */
export function refusalOf(error: unknown): Refusal | null {
  const isRefused = error instanceof Error && error.name === 'Refused';
  return isRefused ? (error as Error & { readonly refusal: Refusal }).refusal : null;
}

export function exitCodeOf({ code }: Refusal): number {
  if (code === 'answer_invalid' || code === 'question_unknown') return BAD_ANSWER;
  return code === 'question_answered' || code === 'question_dismissed' ? ALREADY_ANSWERED : 1;
}

/** Whether it rejects an approval, whose first choice approves, and does not say why. */
export function lacksReason(
  { about, choices: [approve = ''] }: Asked,
  given: GivenAnswer,
): boolean {
  const { choices, other } = given;
  const isRejected = about?.grants === 'approval' && !choices.includes(approve);
  return isRejected && choices.length > 0 && other === null;
}

/** Why a question cannot be answered, with the exit code; null if it can. */
export function closedReason(
  { clock }: Pick<Io, 'clock'>,
  id: string,
  question: Question | null,
): { readonly line: string; readonly code: number } | null {
  if (question === null) {
    return { line: `There is no question '${printable(id.slice(0, 100))}'`, code: BAD_ANSWER };
  }
  if (question.outcome.kind === 'open') return null;
  const { kind, by, route, at } = question.outcome;
  const when = momentInWords(at, clock());
  const line = printable(`Already ${kind}: ${id} (by ${by}, ${route}, ${when})`);
  return { line, code: ALREADY_ANSWERED };
}
