// Random `finished_step` calls: valid ones, and every kind of invalid one.

import type { Random } from '../support/random.ts';
import type { Actor, Facts, Finish, Outcome, Value } from './calls.ts';
import type { PlainOutput, PlainStep } from './definitions.ts';
import { jobOf, type Model, type ModelSession, placeIn } from './reference-model.ts';
import { declaredBy } from './reference-outputs.ts';

export interface Chance {
  readonly dice: Random;
  readonly model: Model;
  readonly actor: Actor;
  /** The caller's intended session; null if there is none. */
  readonly session: ModelSession | null;
  readonly context: Facts;
}

type Declared = ReturnType<typeof declaredBy>[number];

/** Everything that is open, submitted correctly. */
export function rightFinish(chance: Chance): Finish {
  const { dice } = chance;
  const members = membersOf(chance);
  const open = members.filter((step) => !chance.session?.steps.get(step.id)?.done);
  return { ...common(chance, open), outputs: toMap(chosen(dice, members, open)) };
}

export function randomFinish(chance: Chance): Finish {
  const { dice, session, model } = chance;
  const members = membersOf(chance);
  const open = members.filter((step) => !session?.steps.get(step.id)?.done);
  const declared = declaredBy(members);
  const right = chosen(dice, members, open);
  const call = common(chance, members);
  const part = members.length > 1 ? dice.some(members, 0.5) : members;
  const one = dice.pick(members.length > 0 ? members : [NOBODY]);

  switch (
    dice.weighted({
      right: 30,
      part: members.length > 1 ? 30 : 5,
      by_step: 12,
      bare: members.length > 1 ? 4 : 0,
      qualified: 2,
      list: 10,
      missing: 5,
      unknown: 4,
      nulls: 3,
      shape: 4,
      nothing: 5,
      wrong_step: 5,
    })
  ) {
    case 'right':
      return { ...call, outputs: toMap(right) };
    case 'part':
      return { ...call, outputs: toMap(chosen(dice, members, part)) };
    case 'by_step': {
      const own = chosen(dice, members, [one]);
      const outputs = toMap(own, (each) => (dice.chance(0.7) ? each.output.name : each.shown));
      return { ...call, outputs, stepId: members.length > 0 ? one.id : null };
    }
    case 'bare':
      return { ...call, outputs: toMap(right, (each) => each.output.name) };
    case 'qualified':
      return { ...call, outputs: toMap(right, ({ step, output }) => `${step.id}.${output.name}`) };
    case 'list':
      return { ...call, outputs: randomList(dice, dice.chance(0.5) ? declared : right) };
    case 'missing':
      return { ...call, outputs: toMap(right.filter(() => dice.chance(0.6))) };
    case 'unknown':
      return { ...call, outputs: { ...toMap(right), zebra: 'x', aardvark: 'y' } };
    case 'nulls':
      return { ...call, outputs: withNulls(dice, right) };
    case 'shape':
      return { ...call, outputs: withOddValue(dice, right) };
    case 'nothing':
      return { ...call, outputs: dice.pick([{}, []]) };
    case 'wrong_step': {
      const steps = session === null ? [] : jobOf(model, session.job).entries.flat();
      const stepId = dice.pick(['no_such_step', ...steps.map((step) => step.id)]);
      return { ...call, outputs: toMap(right), stepId };
    }
  }
}

const NOBODY: PlainStep = { id: 'nobody', outputs: [], when: null, reviewed: false };

function membersOf({ model, session }: Chance): PlainStep[] {
  if (session === null) return [];
  return placeIn(session, jobOf(model, session.job))?.members ?? [];
}

function common(chance: Chance, members: readonly PlainStep[]): Finish {
  const { dice, actor, session, context } = chance;
  const mine = session?.owner === actor.owner && session.status === 'active';
  return {
    kind: 'finish',
    actor,
    session:
      mine && dice.chance(0.5) ? null : dice.chance(0.03) ? 'ffffffff' : (session?.id ?? null),
    outputs: {},
    notes: dice.pick([null, null, 'a note', 'another note']),
    stepId: null,
    context,
    outcomes: randomOutcomes(dice, members),
    override: dice.chance(0.1) ? 'the user said so' : null,
    content: dice.chance(0.85) ? 0 : 1,
  };
}

function randomOutcomes(dice: Random, members: readonly PlainStep[]): Record<string, Outcome> {
  const trouble = dice.pick([0, 0, 0.3, 0.7]);
  return Object.fromEntries(
    members
      .filter(() => dice.chance(trouble))
      .map(({ id }) => [
        id,
        dice.weighted({ rules: 1, self_review: 1, reviewed: 2, review: 3, fault: 1 }),
      ]),
  );
}

/** Required outputs of some members, and random optional ones. */
function chosen(dice: Random, members: readonly PlainStep[], which: readonly PlainStep[]): Given[] {
  return declaredBy(members)
    .filter(({ step }) => which.includes(step))
    .filter(({ output }) => output.required || dice.chance(0.4))
    .map((each) => ({ ...each, value: randomValue(dice, each.output) }));
}

interface Given extends Declared {
  readonly value: Value;
}

/** From a small pool, so that two consecutive steps may submit the same paths. */
function randomValue(dice: Random, output: PlainOutput): Value {
  const paths = pathsFor(output);
  if (output.type === 'file') return dice.chance(0.8) ? (paths[0] as string) : dice.pick(paths);
  if (!output.required && dice.chance(0.2)) return [];
  return dice.chance(0.7) ? paths.slice(0, 1) : [...paths];
}

function pathsFor({ name }: PlainOutput): string[] {
  return name.endsWith('/') ? [`${name}one`, `./${name}two`] : [name, `work/${name}`];
}

/** Built from pairs: a name may be `__proto__`. */
function toMap(given: readonly Given[], nameOf = (each: Declared) => each.shown): Outputs {
  return Object.fromEntries(given.map((each) => [nameOf(each), each.value]));
}

type Outputs = { [name: string]: Value };

function withNulls(dice: Random, given: readonly Given[]): Outputs {
  return toMap(given.map((each) => (dice.chance(0.4) ? { ...each, value: null } : each)));
}

function withOddValue(dice: Random, given: readonly Given[]): Outputs {
  const odd: Value[] = [3, true, {}, [], 'text', ['a', 4], [['nested']]];
  return toMap(given.map((each) => (dice.chance(0.5) ? { ...each, value: dice.pick(odd) } : each)));
}

function randomList(dice: Random, declared: readonly Declared[]): Value[] {
  const paths = declared.flatMap(({ output }) => dice.some(pathsFor(output), 0.6));
  if (dice.chance(0.1)) paths.push('elsewhere/stranger.md');
  return dice.chance(0.05) ? [...paths, 7] : paths;
}
