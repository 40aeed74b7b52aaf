// The prompt of a turn: that the agent works unattended, how the turn before ended, what people have
// answered since, and the task itself.

import type { RunRecord } from '../core/run/record.ts';
import type { Question } from '../core/team/state.ts';
import { shownUpTo } from '../core/wording.ts';
import type { Workspace } from '../engine/workspace.ts';

export interface TurnPrompt {
  readonly record: RunRecord;
  /** The capsule of the open step, or the task of a team's agent. */
  readonly task: string;
  /** Why the last submission for it was refused; null if it was not. */
  readonly refused: string | null;
  readonly answers: readonly Question[];
}

const UNATTENDED = [
  'You work unattended: no one reads what you print, and no one can answer you here.',
  "Use the tools of deepwork's MCP server. Only what it accepts counts as done; then end your turn.",
].join('\n');

const MAX_ANSWERS = 10;
const MAX_SAID = 500;
const MAX_REFUSED = 4000;

export function writeTurnPrompt({ record, task, refused, answers }: TurnPrompt): string {
  return [
    UNATTENDED,
    ...idleTurnNote(record),
    ...(refused === null || task.includes(refused) ? [] : [refusalNote(refused)]),
    ...answersNote(answers),
    task,
  ].join('\n\n');
}

function refusalNote(words: string): string {
  return `The last submission was refused. The server's words:\n${shownUpTo(words, MAX_REFUSED)}`;
}

/** After a turn without progress, so that the next one does something else. */
function idleTurnNote({ turns, idle }: RunRecord): string[] {
  const end = turns.at(-1)?.end ?? null;
  if (end === null || end.advanced || end.limit_until !== null || idle === 0) return [];
  const how = end.exit === 0 ? 'ended' : `failed (exit code ${end.exit})`;
  return [
    `The turn before ${how} without anything being accepted. Look at what is there already, then hand in the step below, or abort it with the reason if it cannot be done. If a person has to decide something, ask with ask_user_question and end your turn.`,
  ];
}

function answersNote(answers: readonly Question[]): string[] {
  if (answers.length === 0) return [];
  const lines = answers.slice(-MAX_ANSWERS).map((each) => `- ${questionInWords(each)}`);
  return [['A person has decided meanwhile:', ...lines].join('\n')];
}

function questionInWords({ id, question, outcome }: Question): string {
  const asked = shownUpTo(question.replace(/\s+/g, ' '), MAX_SAID);
  if (outcome.kind !== 'answered') return `${id} (${asked}): dismissed without an answer`;
  const said = [...outcome.choices, ...(outcome.other === null ? [] : [outcome.other])];
  return `${id} (${asked}): ${shownUpTo(said.join(', '), MAX_SAID)}`;
}

/** Closed since the last turn began, oldest first. */
export async function answersSince(
  { team, journal }: Workspace,
  { turns, startedAt }: RunRecord,
): Promise<readonly Question[]> {
  if ((await journal.names('team/')).length === 0) return [];
  const since = turns.at(-1)?.startedAt ?? startedAt;
  const recent = await team.questions.recent(MAX_ANSWERS);
  return recent
    .filter(({ outcome }) => outcome.kind !== 'open' && outcome.at >= since)
    .toReversed();
}
