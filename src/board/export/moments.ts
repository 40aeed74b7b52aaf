// A run moment by moment: after each event, the states of the steps, the accepted outputs, and the
// last feedback to the agent. Each moment holds only what changed, to keep the exported file small.

import { addTo } from '../../core/groups.ts';
import type { SessionEvent } from '../../core/session/events.ts';
import { progressOfAll } from '../../core/session/progress.ts';
import type { Session } from '../../core/session/state.ts';
import { agentOfRun } from '../agent-names.ts';
import type { BoxState } from '../drawing/drawing.ts';
import { type FoldedRun, foldRun } from '../fold-run.ts';
import type { RunDetail } from '../run.ts';
import { statesAlong } from '../run-workflow.ts';
import { type TimelineItem, timelineOf } from '../timeline.ts';

export interface ExportMoment {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly step: string | null;
  readonly by: string | null;
  readonly text: string;
  /** Changed states, by step. */
  readonly states?: Readonly<Record<string, BoxState>>;
  /** By `step.output`; null if it no longer counts. */
  readonly outputs?: Readonly<Record<string, readonly string[] | null>>;
  /** The last feedback to the agent, if it changed. */
  readonly feedback?: string | null;
  readonly counts?: Counts;
}

interface Counts {
  readonly refusals: number;
  readonly overrides: number;
  readonly nudges: number;
}

const SHORT_HASH = 8;

export function momentsOf({ run, events, questions, workflow }: RunDetail): ExportMoment[] {
  const ids = workflow.steps.map(({ id }) => id);
  // `data` of a `ShownEvent` is that of the event itself.
  const written = events.map(
    ({ type, at, data }) => ({ type, at, data }) as unknown as SessionEvent,
  );
  const statesIn = statesAlong(ids, written);
  const saidAfter = questionsAfter(timelineOf(events, questions));
  let folded: FoldedRun | null = null;
  let before: Shown = { states: {}, outputs: {}, feedback: null, counts: NONE };
  return events.map(({ seq, at, type, step_id, by, text }, index) => {
    folded = foldRun(folded, written[index] as SessionEvent);
    const now = shownOf(folded, statesIn(folded.session));
    const words = [text, ...(saidAfter.get(seq) ?? [])].join('\n');
    const who = by === run.agent ? agentOfRun(run) : by;
    const moment = { seq, at, type, step: step_id, by: who, text: words, ...changes(before, now) };
    before = now;
    return moment;
  });
}

/** Questions and answers after each event, by the number of the event. */
function questionsAfter(items: readonly TimelineItem[]): ReadonlyMap<number, string[]> {
  const found = new Map<number, string[]>();
  let last = 0;
  for (const { event, text } of items) {
    if (event === null) addTo(found, last, text);
    else last = event.seq;
  }
  return found;
}

interface Shown {
  readonly states: Readonly<Record<string, BoxState>>;
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  readonly feedback: string | null;
  readonly counts: Counts;
}

const NONE: Counts = { refusals: 0, overrides: 0, nudges: 0 };

function shownOf(
  { session, refusals, overrides }: FoldedRun,
  states: Readonly<Record<string, BoxState>>,
): Shown {
  return {
    states,
    outputs: outputsOf(session),
    feedback: session.abortReason ?? session.position.feedback,
    counts: { refusals, overrides, nudges: session.nudges.total },
  };
}

/** The outputs of completed steps: each path with the beginning of its content's hash. */
function outputsOf(session: Session): Record<string, readonly string[]> {
  const done = progressOfAll(session).filter((step) => step.completedAt !== null);
  return Object.fromEntries(
    done.flatMap(({ stepId, outputs, files }) =>
      Object.entries(outputs).map(([name, paths]) => [
        `${stepId}.${name}`,
        [paths].flat().map((path) => `${path} (${files[path]?.slice(0, SHORT_HASH) ?? 'no hash'})`),
      ]),
    ),
  );
}

function changes(
  before: Shown,
  now: Shown,
): Pick<ExportMoment, 'states' | 'outputs' | 'feedback' | 'counts'> {
  const states = changed(before.states, now.states);
  const outputs = {
    ...changed(before.outputs, now.outputs),
    ...Object.fromEntries(
      Object.keys(before.outputs)
        .filter((name) => !Object.hasOwn(now.outputs, name))
        .map((name) => [name, null]),
    ),
  };
  return {
    ...(Object.keys(states).length > 0 && { states }),
    ...(Object.keys(outputs).length > 0 && { outputs }),
    ...(before.feedback !== now.feedback && { feedback: now.feedback }),
    ...(!isSame(before.counts, now.counts) && { counts: now.counts }),
  };
}

function changed<Value>(
  before: Readonly<Record<string, Value>>,
  now: Readonly<Record<string, Value>>,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => !Object.hasOwn(before, name) || !isSame(before[name], value),
    ),
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
