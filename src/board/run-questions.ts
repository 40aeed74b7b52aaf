// The questions that were asked in the course of a run, and what a person said: by the gate about
// the run itself, or by its agent while the run was on top of the agent's stack. They are in the
// team's ledger, so they are put between the events of the run by their times.

import type { Question, Team } from '../core/team/state.ts';
import type { AgentNames } from './agent-names.ts';
import { REFUSED_IN_TURN } from './describe-unattended.ts';
import type { RunQuestion, ShownEvent } from './run.ts';

/** In the order in which they were asked; without a session, those that were asked in none. */
export function questionsOf(
  team: Team,
  sessionId: string | null,
  names: AgentNames,
): RunQuestion[] {
  return [...team.questions.values()].flatMap((question): RunQuestion[] => {
    const { id, question: text, about, askedBy, askedAt, outcome } = question;
    const runs = [about?.session, question.run].filter((each) => each !== undefined);
    if (sessionId === null ? runs.length > 0 : !runs.includes(sessionId)) return [];
    const asked = { id, text, asked_by: names.ofAsker(askedBy), asked_at: askedAt };
    if (outcome.kind === 'open') return [{ ...asked, outcome: null }];
    const { kind, by, route, at } = outcome;
    return [{ ...asked, outcome: { kind, answer: answerOf(question), by, route, at } }];
  });
}

function answerOf({ outcome }: Question): string | null {
  if (outcome.kind !== 'answered') return null;
  return [...outcome.choices, ...(outcome.other === null ? [] : [outcome.other])].join(', ');
}

/** When a question was last asked in each run, by its id. */
export function askedInRuns(team: Team): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // In the order in which they were asked.
  for (const { run, askedAt } of team.questions.values()) if (run) found.set(run, askedAt);
  return found;
}

/** One line of the timeline: an event, a turn of `deepwork run`, or a question. */
export interface Happening {
  readonly key: string;
  readonly at: string;
  readonly text: string;
  /** Null for what is not in the journal of the run. */
  readonly event: ShownEvent | null;
  readonly turn?: ShownEvent;
}

/** Sorted by time; an event comes before anything else with the same time. */
export function happeningsOf(
  events: readonly ShownEvent[],
  questions: readonly RunQuestion[],
  turns: readonly ShownEvent[] = [],
): Happening[] {
  const beside = turns.map((turn, index) => {
    const { seq, at } = turn;
    const text = isToldIn(events, turns.slice(0, index), turn) ? withoutRefused(turn) : turn.text;
    return { key: `turn ${seq}`, at, text, event: null, turn };
  });
  const said = [...besideEvents(events, questions), ...beside].sort((a, b) => compare(a.at, b.at));
  const all: Happening[] = [];
  for (const event of events) {
    while (said[0] !== undefined && said[0].at < event.at) all.push(said.shift() as Happening);
    all.push({ key: String(event.seq), at: event.at, text: withQuestion(event, questions), event });
  }
  return [...all, ...said];
}

/** Whether the run itself says how something was judged that was handed in during this turn. */
function isToldIn(
  events: readonly ShownEvent[],
  before: readonly ShownEvent[],
  { type, at }: ShownEvent,
): boolean {
  if (type !== 'turn_ended') return false;
  const began = before.at(-1)?.at ?? '';
  return events.some((event) => event.type === 'judged' && event.at >= began && event.at <= at);
}

function withoutRefused({ text }: ShownEvent): string {
  const lines = text.split('\n').filter((line) => !line.startsWith(REFUSED_IN_TURN));
  return lines.join('\n');
}

/** The event knows only which question it was. */
function withQuestion({ type, text, data }: ShownEvent, questions: readonly RunQuestion[]): string {
  const asked = type === 'asked' && questions.find(({ id }) => id === data.question);
  return asked ? `${text}\n${firstLine(asked.text)}` : text;
}

/** An approval lists everything that it is about below its first line. */
export function firstLine(text: string): string {
  return oneLine(text.trim().split('\n', 1)[0] ?? '');
}

/** What happened to questions, except for what is an event of the run itself, oldest first. */
export function besideEvents(
  events: readonly ShownEvent[],
  questions: readonly RunQuestion[],
): Happening[] {
  const inEvents = new Set(
    events.flatMap(({ type, data }) => (type === 'asked' ? [data.question] : [])),
  );
  return questions
    .flatMap((question) => happeningsOfQuestion(question).slice(inEvents.has(question.id) ? 1 : 0))
    .sort((a, b) => compare(a.at, b.at));
}

function happeningsOfQuestion({ id, text, asked_by, asked_at, outcome }: RunQuestion): Happening[] {
  const asked = `${asked_by ?? 'The agent'} asked ${id}: ${oneLine(text)}`;
  return [
    { key: `${id} asked`, at: asked_at, text: asked, event: null },
    ...(outcome === null
      ? []
      : [{ key: `${id} closed`, at: outcome.at, text: closedText(id, outcome), event: null }]),
  ];
}

export function closedText(id: string, outcome: NonNullable<RunQuestion['outcome']>): string {
  const { kind, answer, by } = outcome;
  return kind === 'answered'
    ? `${by} answered ${id}: ${oneLine(answer ?? '')}`
    : `${by} dismissed ${id} without an answer`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
