// Interprets a `finished_step` call before any work is done for it: which members of the entry it
// submits, whether it was accepted before, or why it is refused.

import type { Context } from '../conditions.ts';
import { type RefusedCall, refused } from '../decision.ts';
import { isRecord } from '../is-record.ts';
import type { PatternBudget } from '../pattern-budget.ts';
import { placeOf } from '../places.ts';
import type { Refusal } from '../refusal.ts';
import type { VariableValues } from '../variables.ts';
import type {
  ApproveEntry,
  ForEachEntry,
  LoopEntry,
  RunEntry,
  Step,
  Workflow,
} from '../workflow.ts';
import { itemOf, itemStep } from './for-each.ts';
import type { WorkflowInUse } from './move-fields.ts';
import { type CurrentEntry, currentEntry } from './positions.ts';
import { isCompleted } from './progress.ts';
import * as refusals from './refusals.ts';
import { type Call, isRepeat } from './repeats.ts';
import type { Json, LoopLimit, Session } from './state.ts';
import { assignOutputs, type Submitted, stillToSubmit } from './submission.ts';
import { contextOfCall, readReports, splitReports } from './variables.ts';

export interface ReadSubmission {
  readonly kind: 'run';
  readonly arrival: number;
  readonly members: readonly Step[];
  readonly submitted: readonly Submitted[];
  /** The reports of each submitted step that declares some. */
  readonly reports: ReadonlyMap<string, VariableValues>;
  /** What the call adds to the context if it is accepted. */
  readonly context: Context;
}

/** A call that submits nothing: it waits for the end of the current entry. */
export interface WaitingCall {
  readonly kind: 'waits';
  readonly arrival: number;
  readonly for:
    | { readonly kind: 'approval'; readonly entry: ApproveEntry }
    | { readonly kind: 'run'; readonly entry: RunEntry; readonly session: string }
    /** For a person to decide how the loop continues. */
    | { readonly kind: 'loop'; readonly entry: LoopEntry; readonly limit: LoopLimit };
}

export type SubmissionReading =
  | ReadSubmission
  | WaitingCall
  | { readonly kind: 'repeat' }
  | RefusedCall;

/** Yields between the values of reports, whose patterns may take long. */
export function* readSubmission(
  session: Session,
  { workflow, stepGone }: Pick<WorkflowInUse, 'workflow' | 'stepGone'>,
  call: Call,
  budget: PatternBudget,
): Generator<undefined, SubmissionReading, undefined> {
  if (session.status !== 'active') {
    return session.status === 'completed' && isRepeat(session, call)
      ? { kind: 'repeat' }
      : refused(refusals.noSuchSession(session.id));
  }
  const here = currentEntry(session, workflow);
  if (here === null) return refused(stepGone(session));
  const stepId = memberNamedBy(here, call);
  const members = membersFor(session, here, stepId, call.outputs);
  const isHere = stepId === null || isCalled(session, members, stepId);
  if (!isHere) {
    if (session.lastAccepted?.stepIds.includes(stepId) && isRepeat(session, call)) {
      return { kind: 'repeat' };
    }
    return refused(wrongStep(session, workflow, here, stepId));
  }
  const waiting = waitingAt(session, workflow, here);
  if (waiting === null) return refused(stepGone(session));
  if (waiting !== 'nothing' && waiting.for.kind === 'loop') return waiting;

  const done = (id: string) => isCompleted(session, id);
  const { outputs, reported } = splitReports(members, call.outputs);
  const assignment = assignOutputs(members, done, outputs, stepId);
  const submitted = assignment.kind === 'members' ? assignment.submitted : [];
  const context = { ...call.context, ...reported };
  const asked = call.context === undefined ? [] : submitted.map(({ step }) => step);
  const { byStep: reports, refusal } = yield* readReports(asked, context, budget);
  const fits = assignment.kind === 'members' && refusal === null && submitted.every(typesFit);
  if (!fits && !isOpenInPass(session, call) && isRepeat(session, call)) return { kind: 'repeat' };
  if (assignment.kind === 'refused') return assignment;
  if (refusal !== null) return refused(refusal);
  if (waiting !== 'nothing') return waiting;
  return {
    kind: 'run',
    arrival: session.position.arrival,
    members,
    submitted,
    reports,
    context: contextOfCall(session, context, reports.values()),
  };
}

/** The name of a whole entry, or of its `for_each` step, counts as no name. */
function memberNamedBy({ place: { entry } }: CurrentEntry, { stepId }: Call): string | null {
  if (entry.kind === 'steps') return stepId;
  const names = entry.kind === 'for_each' ? [entry.name, entry.step.id] : [entry.name];
  return stepId !== null && names.includes(stepId) ? null : stepId;
}

/**
 * Whether a call names a step that is open in the current pass of a loop. Then it belongs to this
 * pass and is never the repeat of an equal call in an earlier one.
 */
export function isOpenInPass(session: Session, { stepId }: Call): boolean {
  const { loops, members } = session.position;
  if (stepId === null || loops === undefined || !members.includes(stepId)) return false;
  return !isCompleted(session, stepId);
}

/** For a `for_each`, the next items and those that the call names. */
function membersFor(
  session: Session,
  { place: { entry }, members }: CurrentEntry,
  stepId: string | null,
  outputs: Json,
): readonly Step[] {
  const { at } = session.position;
  if (entry.kind !== 'for_each' || at?.kind !== 'for_each') return members;
  const found = new Map(members.map((step) => [step.item?.index ?? 0, step]));
  for (const name of [stepId ?? '', ...namesIn(outputs)]) {
    const step = namedItem(entry, at.items, name);
    if (step !== null) found.set(step.item?.index ?? 0, step);
  }
  return [...found].sort(([one], [other]) => one - other).map(([, step]) => step);
}

/** `migrate#3` and `migrate#3.output` alike. */
function namedItem(entry: ForEachEntry, items: readonly Json[], name: string): Step | null {
  const item = itemOf(name.split('.', 1)[0] ?? '');
  return item?.stepId === entry.step.id ? itemStep(entry, items, item.index) : null;
}

function namesIn(outputs: Json): readonly string[] {
  return isRecord(outputs) ? Object.keys(outputs) : [];
}

function isCalled({ position }: Session, members: readonly Step[], stepId: string): boolean {
  if (members.some((step) => step.id === stepId)) return true;
  // While a loop waits for a person, any completed member may be named.
  return position.limit !== undefined && position.members.includes(stepId);
}

/** What a call has to wait for here; null if the loop that it waits for is gone. */
function waitingAt(
  { position: { arrival, limit, at } }: Session,
  workflow: Workflow,
  { place: { entry } }: CurrentEntry,
): WaitingCall | 'nothing' | null {
  if (limit !== undefined) {
    const loop = placeOf(workflow, limit.loop)?.entry;
    if (loop?.kind !== 'loop') return null;
    return { kind: 'waits', arrival, for: { kind: 'loop', entry: loop, limit } };
  }
  if (entry.kind === 'approve') {
    return { kind: 'waits', arrival, for: { kind: 'approval', entry } };
  }
  if (entry.kind === 'run' && at?.kind === 'run') {
    return { kind: 'waits', arrival, for: { kind: 'run', entry, session: at.session } };
  }
  return 'nothing';
}

/** The answer to a call that names no member of a concurrent entry; null if all are done. */
export function nothingSubmitted(
  session: Session,
  { members, submitted }: Pick<ReadSubmission, 'members' | 'submitted'>,
): string | null {
  if (submitted.length > 0) return null;
  const open = members.filter((step) => !isCompleted(session, step.id));
  return open.length === 0 ? null : stillToSubmit(members, open);
}

function wrongStep(
  session: Session,
  workflow: Workflow,
  here: CurrentEntry,
  stepId: string,
): Refusal {
  const place = placeOf(workflow, stepId) ?? placeOf(workflow, itemOf(stepId)?.stepId ?? '');
  const isNoItem = place === here.place && here.place.entry.kind === 'for_each';
  if (place === null || isNoItem) {
    return refusals.noSuchStep(workflow, stepId, isNoItem ? itemsOfList(session, stepId) : null);
  }
  return place.order > here.place.order
    ? refusals.stepIsAhead(session, stepId)
    : refusals.stepIsPast(session, stepId);
}

function typesFit({ step, outputs }: Submitted): boolean {
  return step.outputs.every((output) => {
    if (!outputs.has(output.name)) return true;
    const value = outputs.get(output.name);
    if (output.type === 'file' && !(output.orList && Array.isArray(value))) {
      return typeof value === 'string';
    }
    return (
      Array.isArray(value) &&
      value.every((path) => typeof path === 'string') &&
      (value.length > 0 || !output.required)
    );
  });
}

/** The step of the current list whose item was meant, and how many items it has; null: no list. */
function itemsOfList({ position: { at } }: Session, stepId: string) {
  const item = itemOf(stepId);
  return at?.kind !== 'for_each' || item === null
    ? null
    : { stepId: item.stepId, of: at.items.length };
}
