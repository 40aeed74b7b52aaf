// The work of one agent as a sequential object: a stack of sessions, each at an entry of
// its workflow. It says of every call which answers are right in a given state, and which
// state follows; written independently of the server.

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
  /** A session stands here: its open steps, the first of them to be done. */
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
  readonly last: LastAccepted | null;
}

export interface EndedSession {
  readonly id: string;
  readonly how: 'completed' | 'aborted';
  readonly last: LastAccepted | null;
}

export interface LastAccepted {
  readonly mark: string;
  readonly answer: WorkOutput;
}

/** What can happen now: a state that follows, and what must be said of it. */
interface Outcome {
  readonly state: WorkState;
  readonly answer: WorkOutput;
  /** False: it changes nothing, so without an answer it is as if it never was. */
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
  // What ended long ago differs between two orders only if what ended last does, too.
  key: ({ active, ended }) => JSON.stringify([active, ended.length, ended.slice(-4)]),
});

export function outcomesOf(state: WorkState, input: WorkInput): Outcome[] {
  switch (input.kind) {
    case 'start':
      return input.ids.flatMap((id) => start(state, input, id));
    case 'finish':
      return [finish(state, input)];
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
  // The same start once more: what it began is there.
  if (known !== undefined) return [unchanged(state, placeOf(known))];
  const session: ActiveSession = { id, workflow, entry: 0, done: [], last: null };
  const places = anywhere ? [...active.keys(), active.length] : [active.length];
  return places.map((at) => ({
    state: { ...state, active: [...active.slice(0, at), session, ...active.slice(at)] },
    answer: placeOf(session),
    changes: true,
  }));
}

function finish(state: WorkState, input: Extract<WorkInput, { kind: 'finish' }>): Outcome {
  const session = find(state, input.session);
  const members = session === undefined ? [] : membersOf(session);
  if (session === undefined || !input.steps.every((step) => members.includes(step))) {
    const before = [session, ...(input.session === null ? [] : ended(state, input.session))];
    const others = input.session === null ? state.ended : [];
    const again = [...before, ...others].find((each) => each?.last?.mark === input.mark);
    if (again?.last) return unchanged(state, again.last.answer);
    return unchanged(state, { kind: 'refused' });
  }
  const done = members.filter((step) => session.done.includes(step) || input.steps.includes(step));
  if (done.length < members.length) {
    const answer: WorkOutput = { kind: 'needs work' };
    if (session.last?.mark === input.mark) return unchanged(state, answer);
    const moved = { ...session, done, last: { mark: input.mark, answer } };
    return { state: replace(state, moved), answer, changes: true };
  }
  const entry = session.entry + 1;
  if (entry === entriesOf(session.workflow).length) {
    const answer: WorkOutput = { kind: 'complete' };
    const over: EndedSession = {
      id: session.id,
      how: 'completed',
      last: { mark: input.mark, answer },
    };
    return { state: end(state, over), answer, changes: true };
  }
  const arrived = { ...session, entry, done: [] };
  const answer = placeOf(arrived);
  const next = replace(state, { ...arrived, last: { mark: input.mark, answer } });
  return { state: next, answer, changes: true };
}

function goBack(state: WorkState, input: Extract<WorkInput, { kind: 'go' }>): Outcome {
  const session = find(state, input.session);
  const entries = session === undefined ? [] : entriesOf(session.workflow);
  const entry = entries.findIndex((members) => members.includes(input.step));
  if (session === undefined || entry === -1 || entry > session.entry) {
    return unchanged(state, { kind: 'refused' });
  }
  const moved = { ...session, entry, done: [] };
  return { state: replace(state, moved), answer: placeOf(moved), changes: true };
}

function abort(state: WorkState, input: Extract<WorkInput, { kind: 'abort' }>): Outcome[] {
  const session = find(state, input.session);
  const answer: WorkOutput = { kind: 'aborted' };
  if (session === undefined) {
    // The same abort once more may be recognised, or find nothing that is left to abort.
    const over = input.session === null ? state.ended : ended(state, input.session);
    const again = over.some(({ how, last }) => how === 'aborted' && last?.mark === input.mark);
    const refused = unchanged(state, { kind: 'refused' });
    return again ? [unchanged(state, answer), refused] : [refused];
  }
  const over: EndedSession = {
    id: session.id,
    how: 'aborted',
    last: { mark: input.mark, answer },
  };
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

export function placeOf(session: ActiveSession): WorkOutput {
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

export function describeActive(id: string, entry: number, done: readonly string[]): string {
  return `${id} at ${entry}${done.length === 0 ? '' : `, done: ${[...done].sort().join('+')}`}`;
}
