// Asks open questions at a terminal, oldest first, until each is answered, dismissed or
// postponed. If one is answered elsewhere meanwhile, the prompt says so and moves on.

import { createInterface, type Interface } from 'node:readline/promises';
import { styleText } from 'node:util';
import type { GivenAnswer, Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { row, wrapWords } from '../board/columns.ts';
import { screenOf } from '../board/screen.ts';
import { isYes } from '../terminal/ask.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import { readTyped } from './answer-input.ts';
import { closedReason, lacksReason, refusalOf, TERMINAL_ROUTE } from './answer-outcome.ts';
import { listAnswered } from './answered-questions.ts';

const INTERRUPTED = 130;
const INDENT = 2;
const NO_TIMEOUT_MS = 1e12;

interface Answering {
  readonly ledger: QuestionLedger;
  readonly by: string;
  /** What a person has to know about an answer that was just given. */
  warningsOf(question: Question): Promise<readonly string[]>;
}

interface PromptSession extends Answering {
  readonly prompt: Interface;
}

/** Asks the question with this id, or all open ones. */
export async function promptForAnswers(answering: Answering, only: string | null): Promise<number> {
  const { ledger } = answering;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const left = new AbortController();
  prompt.once('close', () => left.abort());
  const later = new Set<string>();
  let code = 0;
  try {
    for (;;) {
      const open = (await ledger.open()).filter(
        ({ id }) => !later.has(id) && (only === null || id === only),
      );
      const [question] = open;
      if (question === undefined) break;
      code = await ask({ ...answering, prompt }, question, open.length, left.signal);
      if (left.signal.aborted) return INTERRUPTED;
      later.add(question.id);
    }
    const waiting = (await ledger.open()).length;
    if (only !== null && later.size === 0) return await explain(ledger, only);
    say(
      waiting === 0
        ? later.size === 0
          ? 'No open questions.'
          : 'No more open questions.'
        : `${waiting} still open. Answer later with: deepwork answer`,
    );
    if (only === null && later.size === 0) process.stdout.write(await listAnswered(ledger));
    return code;
  } finally {
    prompt.close();
  }
}

async function ask(
  session: PromptSession,
  question: Question,
  open: number,
  left: AbortSignal,
): Promise<number> {
  const { ledger, by } = session;
  const { id } = question;
  present(question, open);
  const done = new AbortController();
  const elsewhere = new AbortController();
  ledger.waitFor([id], done.signal, NO_TIMEOUT_MS).then(
    () => elsewhere.abort(),
    () => {},
  );
  const stop = AbortSignal.any([left, elsewhere.signal]);
  const whole = async (given: GivenAnswer): Promise<GivenAnswer> => {
    if (!lacksReason(question, given)) return given;
    const why = await session.prompt.question('Why? (Enter: no reason) ', { signal: stop });
    return { ...given, other: why.trim() === '' ? null : why.trim() };
  };
  try {
    for (;;) {
      const typed = readTyped(await session.prompt.question('> ', { signal: stop }), question);
      if (typed.kind === 'later') return 0;
      if (typed.kind === 'unclear') {
        say(styleText('yellow', typed.problem));
        continue;
      }
      if (typed.kind === 'dismiss' && !(await confirmed(session, id, stop))) continue;
      try {
        const closed =
          typed.kind === 'dismiss'
            ? await ledger.dismiss(id, by, TERMINAL_ROUTE)
            : await ledger.answer(id, await whole(typed.given), by, TERMINAL_ROUTE);
        say(styleText('green', typed.kind === 'dismiss' ? `Dismissed: ${id}` : `Answered: ${id}`));
        for (const each of await session.warningsOf(closed)) {
          say(styleText('yellow', printable(each)));
        }
        return 0;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.code !== 'answer_invalid') throw error;
        say(styleText('yellow', printable(refusal.message)));
      }
    }
  } catch (error) {
    if (left.aborted) {
      say('');
      return INTERRUPTED;
    }
    if (!elsewhere.signal.aborted && refusalOf(error) === null) throw error;
    say('');
    return await explain(ledger, id);
  } finally {
    done.abort();
  }
}

async function confirmed(
  { prompt }: PromptSession,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  return isYes(await prompt.question(`Dismiss ${id} without an answer? [y/N] `, { signal }));
}

function present({ id, question, choices, multiSelect }: Question, open: number): void {
  const options = [...new Set(choices)];
  const more = open > 1 ? styleText('dim', `  (${open - 1} more after this)`) : '';
  say(`\n${styleText('bold', id)}${more}\n`);
  const { width } = screenOf(process.stdout);
  for (const line of printable(question).split('\n')) sayWrapped(line, width);
  say('');
  const digits = String(options.length).length;
  for (const [index, choice] of options.entries()) {
    const cells = [
      { text: `${index + 1}`, width: digits, style: (text: string) => styleText('cyan', text) },
      { text: printableLine(choice), width: width - INDENT - digits - 2 },
    ];
    for (const line of row(cells, INDENT)) say(line);
  }
  const how = multiSelect ? 'Numbers of your choices (1 2)' : 'The number of your choice';
  say('');
  sayWrapped(`${how}, or your own words; both: 1 | words. Enter: later, d: dismiss`, width, 'dim');
}

/** Prints who closed a question, if it can no longer be answered. */
async function explain(ledger: QuestionLedger, id: string): Promise<number> {
  const closed = closedReason(id, await ledger.find(id));
  if (closed !== null) say(closed.line);
  return closed?.code ?? 0;
}

function sayWrapped(text: string, width: number, style?: 'dim'): void {
  for (const line of wrapWords(text, width - INDENT)) {
    say(' '.repeat(INDENT) + (style === undefined ? line : styleText(style, line)));
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
