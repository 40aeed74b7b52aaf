// deepwork answer: shows the questions of agents and takes a person's answers. Agents are
// refused: they must not answer their own questions.

import { styleText } from 'node:util';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { refusalText } from '../../core/refusal.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import type { Question } from '../../core/team/state.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { momentInWords, withLocalTimes } from '../board/times.ts';
import { bundled, readCommandLine, UsageError } from '../command-line.ts';
import { ANSWER_HELP } from '../help.ts';
import { requireProjectOrTeam } from '../project.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { printable } from '../terminal/printable.ts';
import { answerCommand } from './answer-command.ts';
import { namedChoice } from './answer-input.ts';
import {
  BAD_ANSWER,
  closedReason,
  exitCodeOf,
  lacksReason,
  refusalOf,
  TERMINAL_ROUTE,
} from './answer-outcome.ts';
import { promptForAnswers } from './answer-prompt.ts';
import { listAnswered } from './answered-questions.ts';

export async function answer(argv: readonly string[]): Promise<number> {
  const line = readCommandLine('answer', argv, ANSWER_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  if (refusesAgent('answer questions')) return AGENTS_CANNOT;
  const [id, ...more] = positionals;
  const { choose = [], other, dismiss = false } = values;
  const named = [...choose, ...more];
  const hasAnswer = named.length > 0 || other !== undefined;
  if (hasAnswer && dismiss) throw new UsageError('give an answer or --dismiss, not both');
  if (id === undefined && (hasAnswer || dismiss)) {
    throw new UsageError('say which question: deepwork answer <id> …');
  }
  const by = nameOf(values.by) ?? systemUser();
  const projectRoot = requireProjectOrTeam(values.path);
  const { openWorkspace, dismissEnded, voidWarnings } = loadBundle('engine');
  const workspace = openWorkspace({ projectRoot, ...bundled() });
  const ledger = workspace.team.questions;
  const warningsOf = (question: Question) => voidWarnings(workspace, question);
  await dismissEnded(workspace);

  if (id !== undefined && dismiss) {
    return closeQuestion(id, () => ledger.dismiss(id, by, TERMINAL_ROUTE), warningsOf);
  }
  if (id !== undefined && hasAnswer) {
    const options = (await ledger.find(id))?.choices ?? [];
    const choices = named.map((text) => namedChoice(options, text) ?? text);
    const given = { choices, other: other ?? null };
    return closeQuestion(id, () => ledger.answer(id, given, by, TERMINAL_ROUTE), warningsOf);
  }
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return promptForAnswers({ ledger, by, warningsOf }, id ?? null);
  }
  return id === undefined ? list(ledger) : show(ledger, id);
}

/** Prints the outcome; returns the exit code. */
async function closeQuestion(
  id: string,
  close: () => Promise<Question>,
  warningsOf: (question: Question) => Promise<readonly string[]>,
): Promise<number> {
  try {
    const question = await close();
    const { outcome } = question;
    process.stdout.write(`${outcome.kind === 'answered' ? 'Answered' : 'Dismissed'}: ${id}\n`);
    if (outcome.kind === 'answered' && lacksReason(question, outcome)) {
      process.stdout.write(
        'No reason was given, and the answer is final. Next time, add: --other "…"\n',
      );
    }
    for (const each of await warningsOf(question)) process.stdout.write(`${printable(each)}\n`);
    return 0;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const why = withLocalTimes(refusalText(refusal), new Date().toISOString());
    const own = refusal.code === 'answer_invalid' ? ` To do that: ${ownWords(id)}` : '';
    process.stderr.write(`deepwork: ${printable(why)}${own}\n`);
    return exitCodeOf(refusal);
  }
}

async function list(ledger: QuestionLedger): Promise<number> {
  const open = await ledger.open();
  const answered = await listAnswered(ledger);
  process.stdout.write(open.length === 0 ? 'No open questions.\n' : open.map(describe).join('\n'));
  if (answered !== '') process.stdout.write(`\n${answered}`);
  return 0;
}

async function show(ledger: QuestionLedger, id: string): Promise<number> {
  const question = await ledger.find(id);
  const closed = closedReason(id, question);
  if (closed !== null || question === null) {
    process.stderr.write(`deepwork: ${closed?.line}\n`);
    return closed?.code ?? BAD_ANSWER;
  }
  process.stdout.write(describe(question));
  process.stderr.write(
    `deepwork: no answer was given. Give one with a command above, or a text of your own: ${ownWords(id)}\n`,
  );
  return BAD_ANSWER;
}

function ownWords(id: string): string {
  return `deepwork answer ${id} --other "…"`;
}

function describe({ id, askedAt, question, choices, multiSelect }: Question): string {
  const lines = printable(question).split('\n');
  return [
    `${styleText('bold', id)}  asked ${momentInWords(askedAt, new Date().toISOString())}${multiSelect ? ', several choices' : ''}`,
    ...lines.map((line) => `  ${line}`),
    '',
    '  Answer it with one of these:',
    ...[...new Set(choices)].map((choice) => `    ${answerCommand(id, choice)}`),
    '',
  ].join('\n');
}
