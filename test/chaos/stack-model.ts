// The work of one agent as a sequential object: a stack of sessions, each at an entry of its
// workflow. For every call it defines which answers are right in a given state, and which state
// follows; written independently of the server.

import { entriesOf } from './job-fixture.ts';
import type { Model, Operation } from './linearize.ts';

export type WorkInput =
  | {
      readonly kind: 'start';
      readonly workflow: string;
      readonly ids: readonly string[];
      /** It chose its place on a stack that was lost meanwhile. */
      readonly anywhere: boolean;
    }
  | {
      readonly kind: 'finish';
      readonly session: string | null;
      readonly steps: readonly string[];
      /** Unique for the submission; the same when it is sent again. */
      readonly mark: string;
    }
  | { readonly kind: 'go'; readonly session: string | null; readonly step: string }
  | { readonly kind: 'abort'; readonly session: string | null; readonly mark: string }
  | { readonly kind: 'look'; readonly session: string | null }
  /** All of it, as the journal has it in the end. */
  | { readonly kind: 'all' };

export type WorkOutput =
  /** A session is here: its open steps, the first of them to be done. */
  | { readonly kind: 'at'; readonly session: string; readonly open: readonly string[] }
  | { readonly kind: 'needs work' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'aborted' }
  /** Nothing is active, or only the work of others. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'all'; readonly sessions: readonly string[] };

export type WorkOp = Operation<WorkInput, WorkOutput>;

export interface WorkState {
  /** Bottom to top. */
  readonly active: readonly ActiveSession[];
  /** The newest last. */
  readonly ended: readonly EndedSession[];
}

export interface ActiveSession {
  readonly id: string;
  readonly workflow: string;
  readonly entry: number;
  readonly done: readonly string[];
  /** The submissions that were accepted since it last went back, the newest last. */
  readonly accepted: readonly Accepted[];
}

export interface EndedSession {
  readonly id: string;
  readonly how: 'completed' | 'aborted';
  /** Of the accepted submissions, or of the abort. */
  readonly marks: readonly string[];
}

interface Accepted {
  readonly mark: string;
  /** The session's position on arrival. */
  readonly entry: number;
}

/** A possible outcome: the state that follows, and the answer it requires. */
interface Outcome {
  readonly state: WorkState;
  readonly answer: WorkOutput;
  /** False: it changes nothing, so without an answer it can be ignored. */
  readonly changes: boolean;
}

export const workModel = (initial: readonly WorkState[]): Model<WorkState, WorkOp> => ({
  initial,
  apply(state, { input, output }) {
    return outcomesOf(state, input)
      .filter(({ answer, changes }) =>
        output === null ? changes : JSON.stringify(answer) === JSON.stringify(output),
      )
      .map(({ state: next }) => next);
  },
  // Sessions that ended long ago differ between two orders only if the last ended ones do, too.
  key: ({ active, ended }) => JSON.stringify([active, ended.length, ended.slice(-4)]),
});

function outcomesOf(state: WorkState, input: WorkInput): Outcome[] {
  switch (input.kind) {
    case 'start':
      return input.ids.flatMap((id) => start(state, input, id));
    case 'finish':
      return finish(state, input);
    case 'go':
      return [goBack(state, input)];
    case 'abort':
      return abort(state, input);
    case 'look': {
      const session = find(state, input.session);
      if (session !== undefined) return [unchanged(state, placeOf(session))];
      return [unchanged(state, { kind: input.session === null ? 'idle' : 'refused' })];
    }
    case 'all':
      return [unchanged(state, { kind: 'all', sessions: listAll(state) })];
  }
}

function start(
  state: WorkState,
  { workflow, anywhere }: Extract<WorkInput, { kind: 'start' }>,
  id: string,
): Outcome[] {
  const { active } = state;
  const known = active.find((session) => session.id === id);
  // The same start again: its session exists.
  if (known !== undefined) return [unchanged(state, placeOf(known))];
  const session: ActiveSession = { id, workflow, entry: 0, done: [], accepted: [] };
  const places = anywhere ? [...active.keys(), active.length] : [active.length];
  return places.map((at) => ({
    state: { ...state, active: [...active.slice(0, at), session, ...active.slice(at)] },
    answer: placeOf(session),
    changes: true,
  }));
}

function finish(state: WorkState, input: Extract<WorkInput, { kind: 'finish' }>): Outcome[] {
  const session = find(state, input.session);
  const at = session?.accepted.findIndex(({ mark }) => mark === input.mark) ?? -1;
  const again = session?.accepted[at];
  const anew = submit(state, input, session);
  if (session === undefined || again === undefined) return [anew];
  const known = unchanged(
    state,
    again.entry === session.entry ? { kind: 'needs work' } : placeOf(session),
  );
  // For one before the last, the server may know that its answer was written.
  return at === session.accepted.length - 1 ? [known] : [known, anew];
}

function submit(
  state: WorkState,
  input: Extract<WorkInput, { kind: 'finish' }>,
  session: ActiveSession | undefined,
): Outcome {
  const members = session === undefined ? [] : membersOf(session);
  if (session === undefined || !input.steps.every((step) => members.includes(step))) {
    const over = input.session === null ? state.ended : ended(state, input.session);
    const again = over.some(({ how, marks }) => how === 'completed' && marks.includes(input.mark));
    return unchanged(state, { kind: again ? 'complete' : 'refused' });
  }
  const done = members.filter((step) => session.done.includes(step) || input.steps.includes(step));
  const accepted = [...session.accepted, { mark: input.mark, entry: session.entry }];
  if (done.length < members.length) {
    const moved = { ...session, done, accepted };
    return { state: replace(state, moved), answer: { kind: 'needs work' }, changes: true };
  }
  const entry = session.entry + 1;
  if (entry === entriesOf(session.workflow).length) {
    const marks = accepted.map(({ mark }) => mark);
    const over: EndedSession = { id: session.id, how: 'completed', marks };
    return { state: end(state, over), answer: { kind: 'complete' }, changes: true };
  }
  const arrived = { ...session, entry, done: [], accepted };
  return { state: replace(state, arrived), answer: placeOf(arrived), changes: true };
}

function goBack(state: WorkState, input: Extract<WorkInput, { kind: 'go' }>): Outcome {
  const session = find(state, input.session);
  const entries = session === undefined ? [] : entriesOf(session.workflow);
  const entry = entries.findIndex((members) => members.includes(input.step));
  if (session === undefined || entry === -1 || entry > session.entry) {
    return unchanged(state, { kind: 'refused' });
  }
  const moved = { ...session, entry, done: [], accepted: [] };
  return { state: replace(state, moved), answer: placeOf(moved), changes: true };
}

function abort(state: WorkState, input: Extract<WorkInput, { kind: 'abort' }>): Outcome[] {
  const session = find(state, input.session);
  const answer: WorkOutput = { kind: 'aborted' };
  if (session === undefined) {
    // The same abort again may be recognized, or find nothing left to abort.
    const over = input.session === null ? state.ended : ended(state, input.session);
    const again = over.some(({ how, marks }) => how === 'aborted' && marks.includes(input.mark));
    const refused = unchanged(state, { kind: 'refused' });
    return again ? [unchanged(state, answer), refused] : [refused];
  }
  const over: EndedSession = { id: session.id, how: 'aborted', marks: [input.mark] };
  return [{ state: end(state, over), answer, changes: true }];
}

function unchanged(state: WorkState, answer: WorkOutput): Outcome {
  return { state, answer, changes: false };
}

function find({ active }: WorkState, id: string | null): ActiveSession | undefined {
  return id === null ? active.at(-1) : active.find((session) => session.id === id);
}

function ended(state: WorkState, id: string): readonly EndedSession[] {
  return state.ended.filter((session) => session.id === id);
}

export function membersOf({ workflow, entry }: ActiveSession): readonly string[] {
  return entriesOf(workflow)[entry] ?? [];
}

function placeOf(session: ActiveSession): WorkOutput {
  const open = membersOf(session).filter((step) => !session.done.includes(step));
  return { kind: 'at', session: session.id, open };
}

function replace(state: WorkState, moved: ActiveSession): WorkState {
  const active = state.active.map((session) => (session.id === moved.id ? moved : session));
  return { ...state, active };
}

function end(state: WorkState, over: EndedSession): WorkState {
  const active = state.active.filter((session) => session.id !== over.id);
  return { active, ended: [...state.ended, over] };
}

/** One line per session, in order of id. */
export function listAll({ active, ended }: WorkState): string[] {
  return [
    ...active.map(({ id, entry, done }) => describeActive(id, entry, done)),
    ...ended.map(({ id, how }) => `${id} ${how}`),
  ].sort();
}

function describeActive(id: string, entry: number, done: readonly string[]): string {
  return `${id} at ${entry}${done.length === 0 ? '' : `, done: ${[...done].sort().join('+')}`}`;
}
