// How events change the arrivals of a session. Each arrival keeps the progress of its own
// members, the gate's last feedback, and what has passed.

import type { VariableValues } from '../variables.ts';
import { reasonAfter } from './choose-reason.ts';
import type { Evidence, Judged } from './events.ts';
import { itemOf } from './for-each.ts';
import { progressIndex, progressOf } from './progress.ts';
import { notesKept } from './repeats.ts';
import type { Arrival, Outputs, Position, Progress, Session } from './state.ts';

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * An arrival with nothing done yet. The fields are listed, because V8 gives each extended copy of
 * a parsed object its own hidden class, which makes all code that reads arrivals slow.
 */
export function arriveAt(position: Position, at: string, feedback: string | null = null): Arrival {
  const { entryIndex, members, skipped, arrival, at: entry, loops } = position;
  const progress = members.map((id) => newProgress(id, at));
  const arrived: Draft<Arrival> = {
    entryIndex,
    members,
    skipped,
    arrival,
    progress,
    feedback,
    reason: null,
    passed: NONE,
  };
  if (entry !== undefined) arrived.at = entry;
  if (loops !== undefined) arrived.loops = loops;
  return arrived;
}

export function withPendingReview(
  session: Session,
  stepIds: readonly string[],
  review: string,
  at: string,
): Arrival {
  const progress = [...session.position.progress];
  const arrival = { ...session.position, progress };
  for (const id of stepIds) {
    const before = progressOf(session, id) ?? newProgress(id, at);
    setProgress(arrival, progress, { ...before, pendingReview: review });
  }
  return arrival;
}

/** The process that ran the reviews is gone, or their verdict comes too late: they do not count. */
export function withoutPendingReviews(arrival: Arrival): Arrival {
  if (arrival.progress.every(({ pendingReview }) => pendingReview === null)) return arrival;
  const progress = arrival.progress.map((step) => ({ ...step, pendingReview: null }));
  return { ...arrival, progress };
}

/** Removes these steps and all their items; arrivals without progress are dropped. */
export function withoutSteps(arrivals: readonly Arrival[], stepIds: readonly string[]): Arrival[] {
  const removed = new Set(stepIds);
  const kept: Arrival[] = [];
  for (const arrival of arrivals) {
    const isItems = arrival.at?.kind === 'for_each';
    const progress = arrival.progress.filter(
      ({ stepId }) =>
        !removed.has(stepId) && !(isItems && removed.has(itemOf(stepId)?.stepId ?? '')),
    );
    if (progress.length > 0) kept.push({ ...arrival, progress });
  }
  return kept;
}

/**
 * Drops the arrivals in loops of which the new position begins another pass: each pass has its
 * own progress, and only that of the last one counts.
 */
export function withoutOldPasses(
  arrivals: readonly Arrival[],
  { loops: before = NONE }: Position,
  { loops = NONE }: Position,
): readonly Arrival[] {
  const begun = loops.findIndex(
    ({ name, pass }, at) => before[at]?.name !== name || before[at]?.pass !== pass,
  );
  if (begun === -1) return arrivals;
  const names = loops.slice(begun).map(({ name }) => name);
  return arrivals.filter((arrival) => !arrival.loops?.some(({ name }) => names.includes(name)));
}

interface Completion {
  readonly name: string;
  readonly outputs?: Outputs;
  /** Outputs that are shown under their own names, without the entry's. */
  readonly own?: readonly string[];
  readonly reports?: VariableValues;
}

/** The arrival after its only member is complete: an approval, or a nested run with its outputs. */
export function afterCompletion(
  session: Session,
  at: string,
  { name, outputs = {}, own = [], reports = {} }: Completion,
): Arrival {
  const { asked: _asked, runAborted: _aborted, ...here } = session.position;
  const progress = [...here.progress];
  const arrival = { ...here, progress, feedback: null, reason: null };
  const before = progressOf(session, name) ?? newProgress(name, at);
  const completed = { completedAt: at, completedSeq: session.seq + 1 };
  // All others are always shown as `name.output`.
  const sharedNames = Object.keys(outputs).filter((output) => !own.includes(output));
  setProgress(arrival, progress, { ...before, ...completed, outputs, sharedNames, reports });
  return arrival;
}

/** The arrival after a submission was judged there. */
export function afterVerdict(session: Session, { at, data }: Judged): Arrival {
  const { failed = NONE, evidence = NONE, voided = NONE, sent, feedback } = data;
  const progress = [...session.position.progress];
  const position: Draft<Arrival> = { ...session.position, progress };
  const { earlier } = session;
  const before = (id: string) => progressOf({ position, earlier }, id) ?? newProgress(id, at);
  for (const member of data.accepted) {
    const { step_id, outputs, shared_names = NONE, files, reports = {} } = member;
    const reviewed = evidence.some((each) => each.kind === 'review' && each.step_id === step_id);
    const step: Draft<Progress> = { ...before(step_id) };
    step.notes = sent.notes ?? notesKept(step, member);
    step.completedAt = at;
    step.completedSeq = session.seq + 1;
    step.outputs = outputs;
    step.sharedNames = shared_names;
    step.files = files;
    step.reports = reports;
    if (reviewed) step.attempts += 1;
    step.pendingReview = null;
    if (step.turnedDown) step.turnedDown = false;
    setProgress(position, progress, step);
  }
  for (const { step_id, stage, files, code } of failed) {
    const step: Draft<Progress> = { ...before(step_id), pendingReview: null };
    if (stage === 'review') step.attempts += 1;
    if (stage === 'self_review') {
      step.selfReview = { notes: sent.notes, files, ...(code !== undefined && { code }) };
    }
    if (stage === 'self_review_failed') step.failedFiles = files;
    if (position.at?.kind === 'for_each') step.turnedDown = true;
    setProgress(position, progress, step);
  }
  for (const id of voided) setProgress(position, progress, { ...before(id), pendingReview: null });
  position.feedback = feedback ?? null;
  position.reason = feedback === undefined ? null : reasonAfter(session, data);
  position.passed = withPassed(session.position.passed, evidence);
  return position;
}

const NONE: readonly never[] = [];

/** `progress` is the arrival's own list, not yet shared with other code. */
function setProgress(arrival: Arrival, progress: Progress[], step: Progress): void {
  const index = progressIndex(arrival, step.stepId);
  if (index === -1) progress.push(step);
  else progress[index] = step;
}

function withPassed(before: readonly string[], evidence: readonly Evidence[]): readonly string[] {
  const passed = evidence.filter((each) => each.passed).map((each) => each.key);
  return passed.length === 0 ? before : [...before, ...passed];
}

function newProgress(stepId: string, at: string): Progress {
  return {
    stepId,
    startedAt: at,
    completedAt: null,
    completedSeq: 0,
    outputs: {},
    sharedNames: NONE,
    files: {},
    notes: null,
    reports: {},
    attempts: 0,
    pendingReview: null,
    selfReview: null,
    failedFiles: null,
  };
}
