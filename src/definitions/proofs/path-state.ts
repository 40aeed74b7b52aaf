// The state at a point of a path, and all ways in which inputs at the start and reports of steps
// can change it.

import { addTo } from '../../core/groups.ts';
import type { PathEvent, Values } from '../../core/proof.ts';
import type { Step, Workflow } from '../../core/workflow.ts';
import { contextsOf, UNSET } from './domains.ts';
import type { Trail } from './path-events.ts';
import type { Spot } from './spots.ts';
import type { ReportValues, Tracked } from './tracked.ts';

/** The state at a point of a path. */
export interface PathState {
  readonly context: Values;
  /** The steps done, as far as they matter; `step~`: its list was empty. */
  readonly done: readonly string[];
  /** What was done in the pass of a loop that has just ended; until the next arrival. */
  readonly over?: readonly string[];
  readonly trail: Trail;
}

export function withEvent(state: PathState, last: PathEvent): PathState {
  return { ...state, trail: { before: state.trail, last } };
}

export function withDone(done: readonly string[], id: string): readonly string[] {
  const others = done.filter((each) => each !== id && each !== `${id}~` && `${each}~` !== id);
  return [...others, id].sort();
}

/** The step that a mark in `done` is about. */
export function stepOf(mark: string): string {
  return mark.replace('~', '');
}

/** A new pass begins, so none of its steps counts as done. */
export function withoutDone(state: PathState, steps: readonly Step[]): PathState {
  const isOver = (mark: string) => steps.some(({ id }) => id === stepOf(mark));
  return {
    ...state,
    done: state.done.filter((mark) => !isOver(mark)),
    over: state.done.filter(isOver),
  };
}

/** Every way in which the workflow can be started; null if there are more than `max`. */
export function startsOf(
  { name }: Workflow,
  { variables }: Tracked,
  max: number,
): readonly PathState[] | null {
  const options = variables.map((variable) => [variable.name, variable.atStart] as const);
  const contexts = contextsOf(options, max);
  const representing = variables.filter(({ alike }) => alike.size > 0);
  return (
    contexts?.map((context) => ({
      context,
      done: [],
      trail: {
        before: null,
        last: { what: 'started', name, values: context, ...alikeTo(context, representing) },
      },
    })) ?? null
  );
}

/** The other values that these represent. */
function alikeTo(
  values: Values,
  representing: readonly Pick<ReportValues, 'name' | 'alike'>[],
): Pick<PathEvent, 'alike'> {
  const found = representing.flatMap(({ name, alike }): [string, readonly unknown[]][] => {
    const others = Object.hasOwn(values, name) ? alike.get(values[name]) : undefined;
    return others === undefined ? [] : [[name, others]];
  });
  return found.length === 0 ? {} : { alike: Object.fromEntries(found) };
}

/**
 * Every state after these members were done, with all values that they may report and that an
 * agent may give. Null if there are too many.
 */
export function afterWork(
  tracked: Tracked,
  { leaf }: Spot,
  members: readonly Step[],
  state: PathState,
): readonly PathState[] | null {
  const reports = members.flatMap((step) =>
    tracked
      .reports(step)
      .filter(({ until }) => until >= leaf)
      .map(({ name, values }) => ({ step: step.id, name, values })),
  );
  const free = tracked.variables
    .filter(({ given, until }) => given.length > 0 && until >= leaf)
    .map(({ name, given }) => ({ step: '', name, values: [UNSET, ...given] }));
  const done = members.reduce<readonly string[]>(
    (all, { id }) => (tracked.doneUntil(id) < leaf ? all : withDone(all, id)),
    state.done,
  );
  const representing = new Map(
    members.map((step) => [step.id, tracked.reports(step).filter(({ alike }) => alike.size > 0)]),
  );
  const choices = [...reports, ...free];
  if (choices.reduce((count, { values }) => count * values.length, 1) > MAX_CHOICES) return null;
  return combinations(choices).flatMap((given) =>
    lastReporters(given).map((last) => {
      // The last report counts; the others keep their order.
      const inOrder = [
        ...given.filter(({ step }) => step !== last),
        ...given.filter(({ step }) => step === last),
      ];
      const values = Object.fromEntries(inOrder.map(({ name, value }) => [name, value]));
      const happened = members.map(({ id }): PathEvent => {
        const own = given.filter(
          ({ step }) => step === id || (step === '' && id === members[0]?.id),
        );
        const reported = Object.fromEntries(own.map(({ name, value }) => [name, value]));
        if (own.length === 0) return { what: 'done', name: id };
        return {
          what: 'done',
          name: id,
          values: reported,
          ...alikeTo(reported, representing.get(id) ?? []),
        };
      });
      const ordered = [
        ...happened.filter(({ name }) => name !== last),
        ...happened.filter(({ name }) => name === last),
      ];
      const trail = ordered.reduce<Trail>((before, each) => ({ before, last: each }), state.trail);
      return { context: { ...state.context, ...values }, done, trail };
    }),
  );
}

const MAX_CHOICES = 4096;

interface GivenValue {
  readonly step: string;
  readonly name: string;
  readonly value: unknown;
}

/** A choice of `UNSET` adds no value. */
function combinations(
  choices: readonly { step: string; name: string; values: readonly unknown[] }[],
): readonly (readonly GivenValue[])[] {
  let all: (readonly GivenValue[])[] = [[]];
  for (const { step, name, values } of choices) {
    all = all.flatMap((given) =>
      values.map((value) => (value === UNSET ? given : [...given, { step, name, value }])),
    );
  }
  return all;
}

/** If two steps of an entry report the same variable, each may be the last one. */
function lastReporters(given: readonly GivenValue[]): readonly string[] {
  const byName = new Map<string, string[]>();
  for (const { name, step } of given) {
    if (step !== '') addTo(byName, name, step);
  }
  const twice = [...byName.values()].filter((steps) => steps.length > 1).flat();
  return twice.length === 0 ? [''] : [...new Set(twice)];
}
