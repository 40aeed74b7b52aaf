// A call that hands in nothing and waits for a person: at an `approve`, or at a loop that is out
// of passes. It blocks for as long as its client allows; the same call made again continues to
// wait. Only the person's answer moves the session.

import { Refused, refuse } from '../../core/refusal.ts';
import { decideApproval, type PersonSaid, verdictOn } from '../../core/session/approval-answer.ts';
import { digestOf, type ShownFiles } from '../../core/session/judged-files.ts';
import { decideLoopAnswer, LOOP_CHOICES } from '../../core/session/loop-answer.ts';
import { openStepId } from '../../core/session/progress.ts';
import { describeAbort, rejectedHere } from '../../core/session/refusals.ts';
import type { Call } from '../../core/session/repeats.ts';
import type { Session } from '../../core/session/state.ts';
import type { Question } from '../../core/team/state.ts';
import type { ApproveEntry } from '../../core/workflow.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { FinishedStepAnswer } from '../answer-types.ts';
import { removeUnusedBranch } from '../branch-of-run.ts';
import type { CallContext } from '../call-context.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import { askPerson } from '../person/ask-person.ts';
import { notifyPerson } from '../person/notify-person.ts';
import { needsWork } from '../step/finished-step-answer.ts';
import type { BackgroundWork } from '../submission/background-runs.ts';
import { gateRecord, type OpenGate, requireGate } from '../submission/gate-in-use.ts';
import { whileHere } from '../submission/while-here.ts';
import { answerAt } from './answer-after-move.ts';
import {
  APPROVE,
  approvalQuestion,
  askQuestion,
  type EntryQuestion,
  loopQuestion,
  shownFiles,
} from './ask-at-entry.ts';
import { commitMove, type Found, type SessionMove } from './commit-move.ts';

interface PersonWait {
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  readonly call: Call;
  readonly settings: Settings;
}

type Waiting = CallContext & Pick<BackgroundWork, 'timeLeft'>;

export async function waitForApproval(
  context: Waiting,
  wait: PersonWait,
  entry: ApproveEntry,
): Promise<FinishedStepAnswer> {
  const { session, inUse, call } = wait;
  const { workspace, owner: by } = context;
  const { id } = session;
  const { name } = entry;
  const { arrival } = session.position;
  const gate = await requireGate(context, session, inUse);
  const hashesNow = (now: Session) => shownFiles(workspace.paths.work, now, entry, context.signal);
  const files = await hashesNow(session);
  let said: PersonSaid | null = null;
  if (verdictOn(session, { name, files, said }) === null) {
    const question = approvalQuestion(session, entry, files);
    const before = session.position.asked;
    const outcome = await outcomeOf(context, wait, question, isVoided(session, files));
    if (outcome.kind !== 'answered') {
      const voided = before !== undefined && isVoided(session, files);
      return pending(wait, outcome, voided ? voidText(before.question) : '');
    }
    const { choices, other: words, by: person, route } = outcome;
    said = { question: outcome.id, by: person, route, approves: choices.includes(APPROVE), words };
  }
  const decide = async (now: Session, { facts, ending }: Found) => {
    // The answer is valid only for the content that was shown.
    if (digestOf(await hashesNow(now)) !== digestOf(files)) throw new ShownFilesChanged();
    return decideApproval(now, {
      at: workspace.clock(),
      by,
      arrival,
      call,
      name,
      files,
      said,
      inUse,
      facts,
      ...gateRecord(gate, inUse),
      ...(ending !== undefined && { ending }),
    });
  };
  try {
    const moved = await commitAnswer(context, wait, gate, decide);
    const { session: after } = moved;
    const stays = after.status === 'active' && after.position.arrival === arrival;
    if (stays && after.position.limit === undefined) {
      const verdict = verdictOn(session, { name, files, said });
      throw new Refused(rejectedHere(name, verdict?.words ?? null));
    }
    return moved.answer;
  } catch (error) {
    if (!(error instanceof ShownFilesChanged)) throw error;
    const now = (await workspace.store.load(id)) ?? session;
    return waitForApproval(context, { ...wait, session: now }, entry);
  }
}

/** A shown file has changed since its hash was taken. */
class ShownFilesChanged extends Error {
  override readonly name = 'ShownFilesChanged';
}

/** Whether the last question was about other contents. */
function isVoided({ position: { asked } }: Session, files: ShownFiles): boolean {
  return asked !== undefined && digestOf(asked.files) !== digestOf(files);
}

function voidText(question: string): string {
  return `The shown files have changed since ${question} was asked, so that question and any answer to it are void. `;
}

export async function waitForLoop(context: Waiting, wait: PersonWait): Promise<FinishedStepAnswer> {
  const { session, inUse, call } = wait;
  const { workspace, owner: by } = context;
  const { id, position } = session;
  const outcome = await outcomeOf(context, wait, loopQuestion(session), false);
  if (outcome.kind !== 'answered') return pending(wait, outcome, '');
  const { choices, other: words, by: person, route } = outcome;
  const answer = { question: outcome.id, by: person, route };
  const choice = choiceOf(choices);
  // An abort does not pass the gate.
  const gate = choice === 'abort' ? null : await requireGate(context, session, inUse);
  const decide = (now: Session, { facts, ending }: Found) =>
    decideLoopAnswer(now, {
      at: workspace.clock(),
      by,
      arrival: position.arrival,
      call,
      inUse,
      facts,
      answer,
      choice,
      words,
      ...gateRecord(gate, inUse),
      ...(ending !== undefined && { ending }),
    });
  const moved = await commitAnswer(context, wait, gate, decide);
  const { status, abortReason } = moved.session;
  if (status === 'aborted') {
    await removeUnusedBranch(workspace, moved.session);
    throw new Refused(abortedByPerson(id, person, abortReason));
  }
  return moved.answer;
}

/** An answer in words alone means one more pass. */
function choiceOf(choices: readonly string[]): keyof typeof LOOP_CHOICES {
  if (choices.includes(LOOP_CHOICES.go_on)) return 'go_on';
  return choices.includes(LOOP_CHOICES.abort) ? 'abort' : 'one_more';
}

function abortedByPerson(id: string, person: string, reason: string | null) {
  return refuse(
    'session_aborted',
    `Session '${id}' is aborted: ${describeAbort(person, reason)}`,
    'call get_active_workflow to see what is active.',
  );
}

async function commitAnswer(
  context: CallContext,
  { session: { id, position }, inUse }: PersonWait,
  gate: OpenGate | null,
  decide: SessionMove['decide'],
): Promise<{ readonly answer: FinishedStepAnswer; readonly session: Session }> {
  const { arrival } = position;
  const { prepared, session, warnings } = await commitMove(
    context,
    { id, inUse, gate, decide },
    async (next, to) =>
      next.status === 'aborted'
        ? needsWork('')
        : answerAt({ session: next, inUse: next.status === 'active' ? inUse : null, arrival }, to),
  );
  const answer = { ...prepared, warnings: [...prepared.warnings, ...warnings] };
  return { answer, session };
}

type PersonOutcome = { readonly id: string } & Question['outcome'];

/** `atOnce`: do not wait, because the caller has to be informed first. */
async function outcomeOf(
  context: Waiting,
  { session, settings }: PersonWait,
  question: EntryQuestion,
  atOnce: boolean,
): Promise<PersonOutcome> {
  const { workspace, caller, signal, progress } = context;
  const { questions: ledger } = workspace.team;
  const id = await askQuestion(context, session, question);
  const waitMs = atOnce
    ? 0
    : Math.min(settings.team.questionWaitSeconds * 1000, context.timeLeft());
  const ask = (within: AbortSignal) =>
    askPerson({ ledger, caller, signal: within, waitMs, progress }, [question.asked]);
  const asking = await whileHere(workspace, session, openStepId(session), signal, ask);
  const [found] = asking.kind === 'outcome' ? asking.questions : [];
  if (asking.kind !== 'outcome' || found === undefined) throw new Error('the question is gone');
  if (found.outcome.kind !== 'open') {
    notifyPerson(workspace).end();
    // It can still be found by its mark.
    await ledger.collected(asking.set);
  }
  return { id, ...found.outcome };
}

function pending(
  { inUse }: PersonWait,
  outcome: PersonOutcome,
  voided: string,
): FinishedStepAnswer {
  const again = 'Call finished_step again with the same outputs';
  const text =
    outcome.kind === 'dismissed'
      ? `${outcome.id} was dismissed without an answer. ${again}: a person is asked again.`
      : `A person was asked (${outcome.id}) and has not answered yet. Change nothing. ${again} to wait for the answer.`;
  const { warnings } = inUse;
  return needsWork(`${voided}${text}`, { reason: 'waiting_for_person', warnings });
}
