// The work of one agent as a sequential object: a stack of sessions, each at an entry of its
// workflow. For every call it defines which answers are right in a given state, which event it adds
// to which stream, and which state follows; written independently of the server.

import { entriesOf, sentNames, stopAt } from './job.ts';
import type { Model, Operation } from './linearize.ts';
import type { StreamEvent } from './streams.ts';

type Values = Readonly<Record<string, string>>;

export interface Submission {
  /** By the names that were sent. */
  readonly outputs: Values;
  readonly step: string | null;
  /** Unique for the submission; the same when it is sent again. */
  readonly mark: string;
  readonly route: string | null;
  readonly overridden: boolean;
}

export type WorkInput = { readonly session: string | null; readonly again: boolean } & (
  | {
      readonly kind: 'start';
      readonly mark: string;
      readonly workflow: string;
      readonly route: string | null;
      readonly ids: readonly string[];
      /** It chose its place on a stack that was lost meanwhile. */
      readonly anywhere: boolean;
    }
  | ({ readonly kind: 'finish' | 'validate' } & Submission)
  | { readonly kind: 'go'; readonly step: string }
  | { readonly kind: 'abort'; readonly mark: string }
  | { readonly kind: 'look' }
  /** All of it, as the streams have it in the end. */
  | { readonly kind: 'all' }
);

/** The part of an answer that says what the state is. */
export type WorkOutput =
  /** A session is here: its open steps, the first of them to be done. */
  | { readonly kind: 'at'; readonly session: string; readonly open: readonly string[] }
  | {
      readonly kind: 'seen';
      readonly session: string;
      readonly open: readonly string[];
      /** The completed steps, with what was sent for them. */
      readonly done: readonly (readonly [string, Done])[];
    }
  | {
      readonly kind: 'back';
      readonly session: string;
      readonly open: readonly string[];
      readonly invalidated: readonly string[];
    }
  | { readonly kind: 'needs work' }
  | { readonly kind: 'valid' }
  | { readonly kind: 'complete'; readonly outputs: Values }
  | { readonly kind: 'aborted'; readonly step: string | undefined }
  /** Nothing is active, or only the work of others. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'all'; readonly sessions: readonly string[] };

export interface WorkOp extends Operation<WorkInput, WorkOutput> {
  /** The stack in the answer, bottom first, and what it says to do next; null: it is not compared. */
  readonly stack?: readonly string[] | null;
}

interface Done {
  readonly notes: string;
  /** Paths by the step's own output names. */
  readonly outputs: Values;
}

export interface WorkState {
  /** Bottom to top. */
  readonly active: readonly Session[];
  /** The newest last. */
  readonly ended: readonly Session[];
}

export interface Session {
  readonly id: string;
  readonly workflow: string;
  readonly route: string | null;
  readonly status: 'active' | 'completed' | 'aborted';
  readonly entry: number;
  readonly members: readonly string[];
  readonly done: Readonly<Record<string, Done>>;
  /** The submissions that were accepted since it last went back, the newest last. */
  readonly accepted: readonly { readonly mark: string; readonly entry: number }[];
  /** What it cleared when it last went back, which is told again with that answer. */
  readonly cleared: readonly string[];
  /** What its last event was, as `logOf` names it. */
  readonly last: string;
  /** How many events it has, without adoptions. */
  readonly length: number;
}

const marks = {
  started: (goal: string) => `started ${goal}`,
  accepted: (steps: readonly string[], notes: string) => `accepted ${steps.join('+')} ${notes}`,
  failed: (steps: readonly string[], notes: string) => `failed ${steps.join('+')} ${notes}`,
  wentBack: (step: string) => `went back to ${step}`,
  aborted: (explanation: string) => `aborted ${explanation}`,
};

/** One line per event; null for an adoption, which only changes the owner. */
export function lineOf({ type, data }: StreamEvent): string | null {
  if (type === 'started') return marks.started(data.goal);
  if (type === 'went_back') return marks.wentBack(data.to);
  if (type === 'aborted') return marks.aborted(data.explanation);
  if (type === 'adopted') return null;
  if (type !== 'judged') return type;
  const names = (members: readonly { step_id: string }[]) => members.map(({ step_id }) => step_id);
  return data.failed?.length > 0
    ? marks.failed(names(data.failed), data.sent.notes)
    : marks.accepted(names(data.accepted), data.sent.notes);
}

/** A possible outcome: the state that follows, and the answer it requires. */
interface Outcome {
  readonly state: WorkState;
  readonly answer: WorkOutput;
  /** The session that got an event; null: it changes nothing, and without an answer can be ignored. */
  readonly changed: Session | null;
}

/** `logs`: the lines of each session. A change is possible if it is the next line there. */
export const workModel = (
  initial: readonly WorkState[],
  logs: ReadonlyMap<string, readonly string[]>,
): Model<WorkState, WorkOp> => ({
  initial,
  apply(state, { input, output, stack }) {
    return outcomesOf(state, input)
      .filter(({ state: next, answer, changed }) => {
        if (changed === null) return output !== null && isEqual(answer, output);
        if (logs.get(changed.id)?.[changed.length - 1] !== changed.last) return false;
        const isSaid = output === null || isEqual(answer, output);
        return isSaid && (output === null || stack == null || isEqual(stack, stackOf(next)));
      })
      .map(({ state: next }) => next);
  },
  // Sessions that ended long ago differ between two orders only if the last ended ones do, too.
  key: ({ active, ended }) => JSON.stringify([active, ended.length, ended.slice(-4)]),
});

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** As answers show it: the session and its first open step. */
function stackOf({ active }: WorkState): string[] {
  return active.map((each) => `${each.id} ${each.workflow} ${openStep(each)}`);
}

/** The session's state after these events; null if one of them is not legal there. */
export function replay(id: string, events: readonly StreamEvent[]): Session | null {
  let session: Session | null = null;
  for (const event of events) {
    if (event.type === 'adopted') continue;
    const before: Session | null = session;
    session = follow(id, before, event);
    if (session === null || session.last !== lineOf(event)) return null;
    const isMoved = session.status === 'active' && session.entry !== before?.entry;
    const members = isMoved || event.type === 'went_back' ? session.members : undefined;
    if (!isEqual(event.data.position?.members, members)) return null;
  }
  return session;
}

function follow(id: string, session: Session | null, event: StreamEvent): Session | null {
  const { type, data } = event;
  if (session === null) {
    const route = data.context?.route ?? null;
    return type === 'started' ? begin(id, data.workflow_name, route, data.goal) : null;
  }
  if (session.status !== 'active') return null;
  if (type === 'aborted') return stop(session, data.explanation);
  if (type === 'went_back') return back(session, data.to);
  return type === 'judged' ? judged(session, data) : null;
}

// biome-ignore lint/suspicious/noExplicitAny: events are looked into freely by checkers
function judged(session: Session, { failed = [], accepted, sent, context, ...data }: any) {
  if (failed.length > 0) return fail(session, [failed[0].step_id], sent.notes);
  const outputs = Object.fromEntries(
    accepted.map((each: { step_id: string; outputs: Values }) => [
      each.step_id,
      each.outputs ?? {},
    ]),
  );
  const names = Object.keys(outputs);
  if (!names.every((step) => session.members.includes(step))) return null;
  const next = accept(session, outputs, sent.notes, context?.route ?? null);
  const isOver = next.status === 'completed';
  return isOver === (data.completed ?? false) ? next : null;
}

function outcomesOf(state: WorkState, input: WorkInput): Outcome[] {
  const session = find(state, input.session);
  switch (input.kind) {
    case 'start':
      return input.ids.flatMap((id) => start(state, input, id));
    case 'finish':
      return finish(state, input, session);
    case 'validate': {
      const isRight = session !== undefined && resolve(session, input) !== null;
      return [unchanged(state, { kind: isRight ? 'valid' : 'refused' })];
    }
    case 'go': {
      const moved = session === undefined ? null : back(session, input.step);
      if (session === undefined || moved === null) return [unchanged(state, { kind: 'refused' })];
      if (input.again && session.last === marks.wentBack(input.step)) {
        return [unchanged(state, returned(session))];
      }
      return [changed(replace(state, moved), moved, returned(moved))];
    }
    case 'abort':
      return abort(state, input, session);
    case 'look':
      if (session !== undefined) return [unchanged(state, seen(session))];
      return [unchanged(state, { kind: input.session === null ? 'idle' : 'refused' })];
    case 'all':
      return [unchanged(state, { kind: 'all', sessions: listAll(state) })];
  }
}

type Input<Kind> = Extract<WorkInput, { readonly kind: Kind }>;

function start(state: WorkState, input: Input<'start'>, id: string): Outcome[] {
  const { active } = state;
  const known = active.find((session) => session.id === id);
  // The same start again: its session exists.
  if (known !== undefined) return [unchanged(state, placeOf(known))];
  const session = begin(id, input.workflow, input.route, input.mark);
  const places = input.anywhere ? [...active.keys(), active.length] : [active.length];
  return places.map((at) => {
    const next = { ...state, active: [...active.slice(0, at), session, ...active.slice(at)] };
    return changed(next, session, placeOf(session));
  });
}

function finish(
  state: WorkState,
  input: Input<'finish' | 'validate'>,
  session: Session | undefined,
): Outcome[] {
  const at = session?.accepted.findIndex(({ mark }) => mark === input.mark) ?? -1;
  const again = session?.accepted[at];
  const over = input.session === null ? state.ended : ended(state, input.session);
  const before = over.findLast(({ accepted, status }) => {
    return status === 'completed' && accepted.some(({ mark }) => mark === input.mark);
  });
  // The same end again, also if there is another session below now.
  const known: Outcome[] =
    before === undefined
      ? []
      : [unchanged(state, { kind: 'complete', outputs: allOutputs(before) })];
  if (session === undefined)
    return known.length > 0 ? known : [unchanged(state, { kind: 'refused' })];
  if (again !== undefined) {
    const isHere = again.entry === session.entry;
    const told = unchanged(state, isHere ? { kind: 'needs work' } : placeOf(session));
    // For one before the last, the server may know that its answer was written.
    return at === session.accepted.length - 1 ? [told] : [told, ...submit(state, input, session)];
  }
  return input.again && known.length > 0 ? known : [...known, ...submit(state, input, session)];
}

function submit(state: WorkState, input: Submission, session: Session): Outcome[] {
  const outputs = resolve(session, input);
  if (outputs === null) return [unchanged(state, { kind: 'refused' })];
  const steps = Object.keys(outputs);
  if (!input.overridden && steps.some((step) => stopAt(step).reviewed)) {
    const held = fail(session, steps, input.mark);
    return [changed(replace(state, held), held, { kind: 'needs work' })];
  }
  const now = accept(session, outputs, input.mark, input.route);
  if (now.status === 'completed') {
    return [changed(end(state, now), now, { kind: 'complete', outputs: allOutputs(now) })];
  }
  const stays = now.entry === session.entry;
  return [changed(replace(state, now), now, stays ? { kind: 'needs work' } : placeOf(now))];
}

/** What was sent, by step and the step's own names; null if it does not fit the current entry. */
function resolve(
  { members }: Session,
  { outputs, step }: Submission,
): Record<string, Values> | null {
  const found: Record<string, Record<string, string>> = {};
  for (const member of members) {
    const names = sentNames(members, member).filter(([sent]) => sent in outputs);
    if (step === member || (step === null && names.length > 0)) {
      found[member] = Object.fromEntries(
        names.map(([sent, own]) => [own, outputs[sent] as string]),
      );
    }
  }
  const values = Object.values(found).flatMap((each) => Object.keys(each));
  const isWhole = Object.entries(found).every(([member, each]) =>
    stopAt(member).outputs.every((name) => name in each),
  );
  const fits = isWhole && values.length === Object.keys(outputs).length;
  return fits && Object.keys(found).length > 0 ? found : null;
}

function abort(state: WorkState, input: Input<'abort'>, session: Session | undefined): Outcome[] {
  const over = input.session === null ? state.ended : ended(state, input.session);
  const before = over.findLast(({ last }) => last === marks.aborted(input.mark));
  const known: Outcome[] =
    before === undefined ? [] : [unchanged(state, { kind: 'aborted', step: openStep(before) })];
  if (input.again && input.session === null && known.length > 0) return known;
  // The same abort again may be recognized, or find nothing left to abort.
  if (session === undefined) return [...known, unchanged(state, { kind: 'refused' })];
  const now = stop(session, input.mark);
  return [changed(end(state, now), now, { kind: 'aborted', step: openStep(session) })];
}

function unchanged(state: WorkState, answer: WorkOutput): Outcome {
  return { state, answer, changed: null };
}

function changed(state: WorkState, session: Session, answer: WorkOutput): Outcome {
  return { state, answer, changed: session };
}

function find({ active }: WorkState, id: string | null): Session | undefined {
  return id === null ? active.at(-1) : active.find((session) => session.id === id);
}

const ended = (state: WorkState, id: string) => state.ended.filter((each) => each.id === id);

function replace(state: WorkState, moved: Session): WorkState {
  const active = state.active.map((session) => (session.id === moved.id ? moved : session));
  return { ...state, active };
}

function end(state: WorkState, over: Session): WorkState {
  const active = state.active.filter((session) => session.id !== over.id);
  return { active, ended: [...state.ended, over] };
}

function begin(id: string, workflow: string, route: string | null, goal: string): Session {
  const nowhere = { entry: -1, members: [], done: {}, accepted: [], cleared: [] };
  const last = marks.started(goal);
  return advance({ id, workflow, route, status: 'active', ...nowhere, last, length: 1 });
}

function told(session: Session, last: string): Session {
  return { ...session, last, length: session.length + 1 };
}

function fail(session: Session, steps: readonly string[], notes: string): Session {
  return told(session, marks.failed(inOrder(session, steps), notes));
}

const stop = (session: Session, explanation: string): Session => ({
  ...told(session, marks.aborted(explanation)),
  status: 'aborted',
});

function accept(
  session: Session,
  outputs: Readonly<Record<string, Values>>,
  notes: string,
  route: string | null,
): Session {
  const steps = inOrder(session, Object.keys(outputs));
  const done = { ...session.done };
  for (const step of steps) done[step] = { notes, outputs: outputs[step] ?? {} };
  const now: Session = {
    ...told(session, marks.accepted(steps, notes)),
    done,
    route: route ?? session.route,
    accepted: [...session.accepted, { mark: notes, entry: session.entry }],
  };
  return now.members.every((step) => step in done) ? advance(now) : now;
}

/** To the next entry that the session's context allows, or to the end. */
function advance(session: Session): Session {
  const entries = entriesOf(session.workflow);
  for (let entry = session.entry + 1; entry < entries.length; entry++) {
    const members = (entries[entry] ?? []).filter((step) => {
      const { onlyOn } = stopAt(step);
      return onlyOn === undefined || session.route === onlyOn;
    });
    if (members.length > 0) return { ...session, entry, members };
  }
  return { ...session, status: 'completed' };
}

function back(session: Session, step: string): Session | null {
  const entries = entriesOf(session.workflow);
  const entry = entries.findIndex((members) => members.includes(step));
  if (entry === -1 || entry > session.entry) return null;
  const cleared = entries
    .slice(entry)
    .flat()
    .filter((id) => id === step || id in session.done || session.members.includes(id));
  const done = Object.fromEntries(
    Object.entries(session.done).filter(([id]) => !cleared.includes(id)),
  );
  const moved = { ...told(session, marks.wentBack(step)), entry, done, accepted: [], cleared };
  return { ...moved, members: entries[entry] ?? [] };
}

/** Those that are named, in the order of the members. */
function inOrder({ members }: Session, steps: readonly string[]): string[] {
  return members.filter((step) => steps.includes(step));
}

const openOf = ({ members, done }: Session) => members.filter((step) => !(step in done));
const openStep = (session: Session) => openOf(session)[0] ?? session.members[0];

function placeOf(session: Session): WorkOutput {
  return { kind: 'at', session: session.id, open: openOf(session) };
}

function returned(session: Session): WorkOutput {
  const { id, cleared } = session;
  return { kind: 'back', session: id, open: openOf(session), invalidated: cleared };
}

function seen(session: Session): WorkOutput {
  const done = Object.entries(session.done).sort(([one], [other]) => (one < other ? -1 : 1));
  return { kind: 'seen', session: session.id, open: openOf(session), done };
}

function allOutputs({ workflow, done }: Session): Values {
  const named = entriesOf(workflow).flatMap((entry) =>
    entry.flatMap((step) =>
      sentNames(entry, step).map(([sent, own]) => [sent, done[step]?.outputs[own]]),
    ),
  );
  // Of steps with equal names the later one counts.
  const known = Object.fromEntries(named.filter(([, path]) => path !== undefined));
  return Object.fromEntries(Object.entries(known).sort()) as Values;
}

/** One line per session, in order of id. */
export function listAll({ active, ended: over }: WorkState): string[] {
  return [...active, ...over].map(({ id, last, length }) => `${id} ${length}: ${last}`).sort();
}
