// What events do to the arrivals of a session: each keeps the progress of its own members,
// what the gate said there, and what has passed.

import type { VariableValues } from '../variables.ts';
import type { Evidence, Judged } from './events.ts';
import { itemOf } from './for-each.ts';
import { progressIndex, progressOf } from './progress.ts';
import { reasonAfter } from './reason.ts';
import { notesKept } from './repeats.ts';
import type { Arrival, Outputs, Position, Progress, Session } from './state.ts';

/** An arrival with everything still to do. */
export function arriveAt(position: Position, at: string, feedback: string | null = null): Arrival {
  const progress = position.members.map((id) => fresh(id, at));
  return { ...position, progress, feedback, reason: null, passed: NONE };
}

export function withPendingReview(
  session: Session,
  stepIds: readonly string[],
  review: string,
  at: string,
): Arrival {
  const progress = [...session.position.progress];
  for (const id of stepIds) {
    const before = progressOf(session, id) ?? fresh(id, at);
    putInto(session.position, progress, { ...before, pendingReview: review });
  }
  return { ...session.position, progress };
}

/** The process that was reviewing is gone, so the attempt is void. */
export function withoutPendingReviews(arrival: Arrival): Arrival {
  const progress = arrival.progress.map((step) => ({ ...step, pendingReview: null }));
  return { ...arrival, progress };
}

/** Arrivals without these steps, with all their items; those that are empty then are left out. */
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
 * Arrivals without those of loops that the way to `to` begins a pass of: each pass has progress
 * of its own, and what counts is the last one.
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
  /** Outputs that are shown under their names alone. */
  readonly own?: readonly string[];
  readonly reports?: VariableValues;
}

/** An arrival whose one member is complete: an approval, or a nested run with its outputs. */
export function afterCompletion(
  session: Session,
  at: string,
  { name, outputs = {}, own = [], reports = {} }: Completion,
): Arrival {
  const { asked: _asked, runAborted: _aborted, ...position } = session.position;
  const progress = [...position.progress];
  const before = progressOf(session, name) ?? fresh(name, at);
  const completed = { completedAt: at, completedSeq: session.seq + 1 };
  // They are shown as `name.output`, whatever else is called so.
  const sharedNames = Object.keys(outputs).filter((output) => !own.includes(output));
  putInto(position, progress, { ...before, ...completed, outputs, sharedNames, reports });
  return { ...position, progress, feedback: null, reason: null };
}

/** The arrival at which a submission was judged, after that. */
export function afterVerdict(session: Session, { at, data }: Judged): Arrival {
  const { failed = NONE, evidence = NONE, voided = NONE, sent, feedback } = data;
  const progress = [...session.position.progress];
  const position = { ...session.position, progress };
  const change = (id: string, changes: (before: Progress) => Partial<Progress>) => {
    const before = progressOf({ position, earlier: session.earlier }, id) ?? fresh(id, at);
    putInto(position, progress, { ...before, ...changes(before), pendingReview: null });
  };
  for (const member of data.accepted) {
    const { step_id, outputs, shared_names = NONE, files, reports = {} } = member;
    const reviewed = evidence.some((each) => each.kind === 'review' && each.step_id === step_id);
    change(step_id, (before) => ({
      completedAt: at,
      completedSeq: session.seq + 1,
      outputs,
      sharedNames: shared_names,
      files,
      reports,
      notes: sent.notes ?? notesKept(before, member),
      attempts: before.attempts + (reviewed ? 1 : 0),
      ...(before.turnedDown && { turnedDown: false }),
    }));
  }
  for (const { step_id, stage, files, code } of failed) {
    change(step_id, ({ attempts }) => ({
      attempts: stage === 'review' ? attempts + 1 : attempts,
      ...(stage === 'self_review' && {
        selfReview: { notes: sent.notes, files, ...(code !== undefined && { code }) },
      }),
      ...(stage === 'self_review_failed' && { failedFiles: files }),
      ...(position.at?.kind === 'for_each' && { turnedDown: true }),
    }));
  }
  for (const id of voided) change(id, () => ({}));
  return {
    ...position,
    feedback: feedback ?? null,
    reason: feedback === undefined ? null : reasonAfter(session, data),
    passed: withPassed(session.position.passed, evidence),
  };
}

const NONE: readonly never[] = [];

function putInto({ at: kind }: Position, progress: Progress[], step: Progress): void {
  const at = progressIndex({ ...(kind && { at: kind }), progress }, step.stepId);
  if (at === -1) progress.push(step);
  else progress[at] = step;
}

function withPassed(before: readonly string[], evidence: readonly Evidence[]): readonly string[] {
  const passed = evidence.filter((each) => each.passed).map((each) => each.key);
  return passed.length === 0 ? before : [...before, ...passed];
}

function fresh(stepId: string, at: string): Progress {
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
