// deepwork answer: shows the questions of agents and takes a person's answers. Agents are
// refused: they must not answer their own questions.

import { loadBundle } from '../../bundles/load-bundle.ts';
import { refusalText } from '../../core/refusal.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import type { Question } from '../../core/team/state.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { screenOf } from '../board/screen.ts';
import { momentInWords, withLocalTimes } from '../board/times.ts';
import { readCommandLine, UsageError } from '../command-line.ts';
import { ANSWER_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { projectOptions, requireProjectOrTeam } from '../project.ts';
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

export async function answer(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'answer', argv, ANSWER_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  if (refusesAgent(io, 'answer questions')) return AGENTS_CANNOT;
  const [id, ...more] = positionals;
  const { choose = [], other, dismiss = false } = values;
  const named = [...choose, ...more];
  const hasAnswer = named.length > 0 || other !== undefined;
  if (hasAnswer && dismiss) throw new UsageError('give an answer or --dismiss, not both');
  if (id === undefined && (hasAnswer || dismiss)) {
    throw new UsageError('say which question: deepwork answer <id> …');
  }
  const by = nameOf(values.by) ?? systemUser(io.env);
  const projectRoot = requireProjectOrTeam(io, values.path);
  const { openWorkspace, dismissEnded, voidWarnings } = loadBundle('engine');
  const workspace = openWorkspace(projectOptions(io, projectRoot));
  const ledger = workspace.team.questions;
  const warningsOf = (question: Question) => voidWarnings(workspace, question);
  await dismissEnded(workspace);

  if (id !== undefined && dismiss) {
    return closeQuestion(io, id, () => ledger.dismiss(id, by, TERMINAL_ROUTE), warningsOf);
  }
  if (id !== undefined && hasAnswer) {
    const options = (await ledger.find(id))?.choices ?? [];
    const choices = named.map((text) => namedChoice(options, text) ?? text);
    const given = { choices, other: other ?? null };
    return closeQuestion(io, id, () => ledger.answer(id, given, by, TERMINAL_ROUTE), warningsOf);
  }
  if (io.stdin.isTTY && io.stdout.isTTY) {
    return promptForAnswers({ io, ledger, by, warningsOf }, id ?? null);
  }
  return id === undefined ? list(io, ledger) : show(io, ledger, id);
}

/** Prints the outcome; returns the exit code. */
async function closeQuestion(
  io: Io,
  id: string,
  close: () => Promise<Question>,
  warningsOf: (question: Question) => Promise<readonly string[]>,
): Promise<number> {
  try {
    const question = await close();
    const { outcome } = question;
    io.stdout.write(`${outcome.kind === 'answered' ? 'Answered' : 'Dismissed'}: ${id}\n`);
    if (outcome.kind === 'answered' && lacksReason(question, outcome)) {
      io.stdout.write(
        'No reason was given, and the answer is final. Next time, add: --other "…"\n',
      );
    }
    for (const each of await warningsOf(question)) io.stdout.write(`${printable(each)}\n`);
    return 0;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const why = withLocalTimes(refusalText(refusal), io.clock());
    const own = refusal.code === 'answer_invalid' ? ` To do that: ${ownWords(id)}` : '';
    io.stderr.write(`deepwork: ${printable(why)}${own}\n`);
    return exitCodeOf(refusal);
  }
}

async function list(io: Io, ledger: QuestionLedger): Promise<number> {
  const open = await ledger.open();
  const answered = await listAnswered(io, ledger);
  const shown = open.map((question) => describe(io, question));
  io.stdout.write(open.length === 0 ? 'No open questions.\n' : shown.join('\n'));
  if (answered !== '') io.stdout.write(`\n${answered}`);
  return 0;
}

async function show(io: Io, ledger: QuestionLedger, id: string): Promise<number> {
  const question = await ledger.find(id);
  const closed = closedReason(io, id, question);
  if (closed !== null || question === null) {
    io.stderr.write(`deepwork: ${closed?.line}\n`);
    return closed?.code ?? BAD_ANSWER;
  }
  io.stdout.write(describe(io, question));
  io.stderr.write(
    `deepwork: no answer was given. Give one with a command above, or a text of your own: ${ownWords(id)}\n`,
  );
  return BAD_ANSWER;
}

function ownWords(id: string): string {
  return `deepwork answer ${id} --other "…"`;
}

function describe(io: Io, asked: Question): string {
  const { id, askedAt, question, choices, multiSelect } = asked;
  const lines = printable(question).split('\n');
  return [
    `${screenOf(io).paint('bold', id)}  asked ${momentInWords(askedAt, io.clock())}${multiSelect ? ', several choices' : ''}`,
    ...lines.map((line) => `  ${line}`),
    '',
    '  Answer it with one of these:',
    ...[...new Set(choices)].map((choice) => `    ${answerCommand(id, choice)}`),
    '',
  ].join('\n');
}
