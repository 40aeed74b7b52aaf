// What happened in a run, in the order in which it happened: its events, the turns of `deepwork run`,
// and the questions to a person. For history and export; the page merges its own
// (`page/front/run/timeline.tsx`).

import { compareTexts } from '../core/compare-texts.ts';
import { singleSpaced } from '../core/wording.ts';
import { REFUSED_IN_TURN } from './describe-unattended.ts';
import type { RunQuestion, ShownEvent } from './run.ts';
import { closedText, firstLine } from './run-questions.ts';

export interface TimelineItem {
  readonly key: string;
  readonly at: string;
  readonly text: string;
  /** Null for what is not in the journal of the run. */
  readonly event: ShownEvent | null;
  readonly turn?: ShownEvent;
}

/** Sorted by time; an event comes before anything else with the same time. */
export function timelineOf(
  events: readonly ShownEvent[],
  questions: readonly RunQuestion[],
  turns: readonly ShownEvent[] = [],
): TimelineItem[] {
  const beside = turns.map((turn, index) => {
    const { seq, at } = turn;
    const text = isReportedIn(events, turns.slice(0, index), turn)
      ? withoutRefused(turn)
      : turn.text;
    return { key: `turn ${seq}`, at, text, event: null, turn };
  });
  const said = [...questionItems(events, questions), ...beside].sort((a, b) =>
    compareTexts(a.at, b.at),
  );
  const all: TimelineItem[] = [];
  for (const event of events) {
    while (said[0] !== undefined && said[0].at < event.at) all.push(said.shift() as TimelineItem);
    all.push({ key: String(event.seq), at: event.at, text: withQuestion(event, questions), event });
  }
  return [...all, ...said];
}

/** Whether the run itself says how something was judged that was handed in during this turn. */
function isReportedIn(
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

/** What happened to questions, except for what is an event of the run itself, oldest first. */
export function questionItems(
  events: readonly ShownEvent[],
  questions: readonly RunQuestion[],
): TimelineItem[] {
  const inEvents = new Set(
    events.flatMap(({ type, data }) => (type === 'asked' ? [data.question] : [])),
  );
  return questions
    .flatMap((question) => itemsOfQuestion(question).slice(inEvents.has(question.id) ? 1 : 0))
    .sort((a, b) => compareTexts(a.at, b.at));
}

function itemsOfQuestion({ id, text, asked_by, asked_at, outcome }: RunQuestion): TimelineItem[] {
  const asked = `${asked_by ?? 'The agent'} asked ${id}: ${singleSpaced(text)}`;
  return [
    { key: `${id} asked`, at: asked_at, text: asked, event: null },
    ...(outcome === null
      ? []
      : [{ key: `${id} closed`, at: outcome.at, text: closedText(id, outcome), event: null }]),
  ];
}
