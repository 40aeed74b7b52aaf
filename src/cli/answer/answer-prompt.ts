// Asks open questions at a terminal, oldest first, until each is answered, dismissed or
// postponed. If one is answered elsewhere meanwhile, the prompt says so and moves on.

import { createInterface, type Interface } from 'node:readline/promises';
import type { GivenAnswer, Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { row, wrapWords } from '../board/columns.ts';
import { type Screen, screenOf } from '../board/screen.ts';
import type { Io } from '../io.ts';
import { isYes } from '../terminal/ask.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import { readTyped } from './answer-input.ts';
import { closedReason, lacksReason, refusalOf, TERMINAL_ROUTE } from './answer-outcome.ts';
import { listAnswered } from './answered-questions.ts';

const INTERRUPTED = 130;
const INDENT = 2;
const NO_TIMEOUT_MS = 1e12;

interface Answering {
  readonly io: Io;
  readonly ledger: QuestionLedger;
  readonly by: string;
  /** What a person has to know about an answer that was just given. */
  warningsOf(question: Question): Promise<readonly string[]>;
}

interface PromptSession extends Answering {
  readonly screen: Screen;
  say(line: string): void;
  readonly prompt: Interface;
}

/** Asks the question with this id, or all open ones. */
export async function promptForAnswers(answering: Answering, only: string | null): Promise<number> {
  const { io, ledger } = answering;
  const screen = screenOf(io);
  const say = (line: string) => void io.stdout.write(`${line}\n`);
  const prompt = createInterface({ input: io.stdin, output: io.stdout });
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
      code = await ask({ ...answering, screen, say, prompt }, question, open.length, left.signal);
      if (left.signal.aborted) return INTERRUPTED;
      later.add(question.id);
    }
    const waiting = (await ledger.open()).length;
    if (only !== null && later.size === 0) return await explain({ ...answering, say }, only);
    say(
      waiting === 0
        ? later.size === 0
          ? 'No open questions.'
          : 'No more open questions.'
        : `${waiting} still open. Answer later with: deepwork answer`,
    );
    if (only === null && later.size === 0) io.stdout.write(await listAnswered(io, ledger));
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
  const { ledger, by, say } = session;
  const { paint } = session.screen;
  const { id } = question;
  present(session, question, open);
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
        say(paint('yellow', typed.problem));
        continue;
      }
      if (typed.kind === 'dismiss' && !(await confirmed(session, id, stop))) continue;
      try {
        const closed =
          typed.kind === 'dismiss'
            ? await ledger.dismiss(id, by, TERMINAL_ROUTE)
            : await ledger.answer(id, await whole(typed.given), by, TERMINAL_ROUTE);
        say(paint('green', typed.kind === 'dismiss' ? `Dismissed: ${id}` : `Answered: ${id}`));
        for (const each of await session.warningsOf(closed)) {
          say(paint('yellow', printable(each)));
        }
        return 0;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.code !== 'answer_invalid') throw error;
        say(paint('yellow', printable(refusal.message)));
      }
    }
  } catch (error) {
    if (left.aborted) {
      say('');
      return INTERRUPTED;
    }
    if (!elsewhere.signal.aborted && refusalOf(error) === null) throw error;
    say('');
    return await explain(session, id);
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

function present({ screen, say }: PromptSession, asked: Question, open: number): void {
  const { id, question, choices, multiSelect } = asked;
  const { paint, width } = screen;
  const options = [...new Set(choices)];
  const more = open > 1 ? paint('dim', `  (${open - 1} more after this)`) : '';
  say(`\n${paint('bold', id)}${more}\n`);
  for (const line of printable(question).split('\n')) {
    for (const each of indented(line, width)) say(each);
  }
  say('');
  const digits = String(options.length).length;
  for (const [index, choice] of options.entries()) {
    const cells = [
      { text: `${index + 1}`, width: digits, style: (text: string) => paint('cyan', text) },
      { text: printableLine(choice), width: width - INDENT - digits - 2 },
    ];
    for (const line of row(cells, INDENT)) say(line);
  }
  const how = multiSelect ? 'Numbers of your choices (1 2)' : 'The number of your choice';
  say('');
  const keys = `${how}, or your own words; both: 1 | words. Enter: later, d: dismiss`;
  for (const line of indented(keys, width, (text) => paint('dim', text))) say(line);
}

/** Prints who closed a question, if it can no longer be answered. */
async function explain(
  { io, ledger, say }: Pick<PromptSession, 'io' | 'ledger' | 'say'>,
  id: string,
): Promise<number> {
  const closed = closedReason(io, id, await ledger.find(id));
  if (closed !== null) say(closed.line);
  return closed?.code ?? 0;
}

function indented(text: string, width: number, style = (line: string) => line): string[] {
  return wrapWords(text, width - INDENT).map((line) => ' '.repeat(INDENT) + style(line));
}
