// What is known at a point of a path, and the ways in which it changes where nothing is decided:
// what a run is started with, what steps report when they are done.

import type { PathEvent, Values } from '../../core/proof.ts';
import type { Step, Workflow } from '../../core/workflow.ts';
import { UNSET } from './domains.ts';
import type { Spot } from './layout.ts';
import type { Trail } from './path-events.ts';
import type { ReportValues, Tracked } from './tracked.ts';

/** What is known at a point of a path. */
export interface World {
  readonly context: Values;
  /** The steps that were done, as far as it matters; `step~`: its list was empty. */
  readonly done: readonly string[];
  readonly trail: Trail;
}

export function happens(world: World, last: PathEvent): World {
  return { ...world, trail: { before: world.trail, last } };
}

export function withDone(done: readonly string[], id: string): readonly string[] {
  const others = done.filter((each) => each !== id && each !== `${id}~` && `${each}~` !== id);
  return [...others, id].sort();
}

/** Every way in which the workflow can be started; cut off beyond `most`. */
export function startsOf(
  { name }: Workflow,
  { variables }: Tracked,
  most: number,
): readonly World[] {
  let contexts: Values[] = [{}];
  for (const { name: variable, atStart } of variables) {
    contexts = contexts.flatMap((context) =>
      atStart.map((value) => (value === UNSET ? context : { ...context, [variable]: value })),
    );
    if (contexts.length > most) break;
  }
  const standing = variables.filter(({ alike }) => alike.size > 0);
  return contexts.map((context) => ({
    context,
    done: [],
    trail: {
      before: null,
      last: { what: 'started', name, values: context, ...alikeTo(context, standing) },
    },
  }));
}

/** What else the values might have been. */
function alikeTo(
  values: Values,
  standing: readonly Pick<ReportValues, 'name' | 'alike'>[],
): Pick<PathEvent, 'alike'> {
  const found = standing.flatMap(({ name, alike }): [string, readonly unknown[]][] => {
    const others = Object.hasOwn(values, name) ? alike.get(values[name]) : undefined;
    return others === undefined ? [] : [[name, others]];
  });
  return found.length === 0 ? {} : { alike: Object.fromEntries(found) };
}

/**
 * Every world after these members were done: what they report, what else an agent may give. Null:
 * more than can be looked at.
 */
export function afterWork(
  tracked: Tracked,
  { leaf }: Spot,
  members: readonly Step[],
  world: World,
): readonly World[] | null {
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
    world.done,
  );
  const standing = new Map(
    members.map((step) => [step.id, tracked.reports(step).filter(({ alike }) => alike.size > 0)]),
  );
  const choices = [...reports, ...free];
  if (choices.reduce((count, { values }) => count * values.length, 1) > MAX_CHOICES) return null;
  return combinations(choices).flatMap((said) =>
    lastReporters(said).map((last) => {
      // Whoever reports last is right; the others keep their order.
      const inOrder = [
        ...said.filter(({ step }) => step !== last),
        ...said.filter(({ step }) => step === last),
      ];
      const values = Object.fromEntries(inOrder.map(({ name, value }) => [name, value]));
      const happened = members.map(({ id }): PathEvent => {
        const own = said.filter(
          ({ step }) => step === id || (step === '' && id === members[0]?.id),
        );
        const given = Object.fromEntries(own.map(({ name, value }) => [name, value]));
        if (own.length === 0) return { what: 'done', name: id };
        return { what: 'done', name: id, values: given, ...alikeTo(given, standing.get(id) ?? []) };
      });
      const ordered = [
        ...happened.filter(({ name }) => name !== last),
        ...happened.filter(({ name }) => name === last),
      ];
      const trail = ordered.reduce<Trail>((before, each) => ({ before, last: each }), world.trail);
      return { context: { ...world.context, ...values }, done, trail };
    }),
  );
}

const MAX_CHOICES = 4096;

interface Said {
  readonly step: string;
  readonly name: string;
  readonly value: unknown;
}

/** Those that leave something out say nothing of it. */
function combinations(
  choices: readonly { step: string; name: string; values: readonly unknown[] }[],
): readonly (readonly Said[])[] {
  let all: (readonly Said[])[] = [[]];
  for (const { step, name, values } of choices) {
    all = all.flatMap((said) =>
      values.map((value) => (value === UNSET ? said : [...said, { step, name, value }])),
    );
  }
  return all;
}

/** Where two steps of an entry report the same, each may be the last one. */
function lastReporters(said: readonly Said[]): readonly string[] {
  const byName = new Map<string, string[]>();
  for (const { name, step } of said) {
    if (step !== '') byName.set(name, [...(byName.get(name) ?? []), step]);
  }
  const twice = [...byName.values()].filter((steps) => steps.length > 1).flat();
  return twice.length === 0 ? [''] : [...new Set(twice)];
}
