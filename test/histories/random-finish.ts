// Random `finished_step` calls: valid ones, and every kind of invalid one.

import type { Output, Step } from '../../src/core/workflow.ts';
import type { Random } from '../support/random.ts';
import type { Actor, Facts, Finish, Found, Jobs, Outcome, Said, Value } from './calls.ts';
import { entryAt, type Model, type ModelSession, shownMembers, workflowOf } from './model.ts';
import { type Declared, declaredBy } from './reading.ts';
import { pathsOf } from './walk.ts';

export interface Chance {
  readonly dice: Random;
  readonly model: Model;
  readonly actor: Actor;
  /** The caller's intended session; null if there is none. */
  readonly session: ModelSession | null;
  readonly context: Facts;
}

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

  // Mostly nothing is handed in where there is nothing to hand in.
  if (members.length === 0 && dice.chance(0.85)) return { ...call, outputs: {} };
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
      const stepId = dice.pick(['no_such_step', ...namesFor(model, session)]);
      return { ...call, outputs: toMap(right), stepId };
    }
  }
}

const NOBODY: Step = {
  ...{ id: 'nobody', name: 'nobody', description: 'nobody', inputs: [], outputs: [] },
  ...{ instructions: { kind: 'text', prompt: '' }, reviews: [], checks: [], when: null },
};

/** Everything that a call may name, and an item that may not be there. */
export function namesFor(model: Model, session: ModelSession | null): string[] {
  if (session === null) return [];
  const names = pathsOf(workflowOf(model, session).entries).map(([name]) => name);
  return [...names, ...session.members, ...session.members.map((id) => `${id.split('#')[0]}#4`)];
}

/** Those put before the agent; of items, sometimes one more. */
function membersOf({ dice, model, session }: Chance): readonly Step[] {
  if (session === null || session.limit !== null) return [];
  const shown = shownMembers(model, session);
  const entry = entryAt(model, session);
  if (entry.kind !== 'for_each' || dice.chance(0.7)) return shown;
  const id = dice.pick(session.members);
  return [{ ...entry.step, id }];
}

export function randomFound(dice: Random, jobs: Jobs): Found {
  const untils: [string, 'done' | 'not_yet' | 'cannot_tell'][] = [];
  const items: [string, number][] = [];
  const entries = [...jobs.values()].flatMap((workflow) => workflow.entries);
  for (let each = entries.pop(); each !== undefined; each = entries.pop()) {
    if (each.kind === 'for_each') items.push([each.name, dice.pick([0, 1, 2, 2, 3, 5])]);
    if (each.kind !== 'loop') continue;
    untils.push([each.name, dice.weighted({ done: 4, not_yet: 5, cannot_tell: 1 })]);
    entries.push(...each.entries);
  }
  return { untils: Object.fromEntries(untils), items: Object.fromEntries(items) };
}

function randomPerson(dice: Random): Said {
  return {
    approves: dice.pick([null, true, true, false, false]),
    loop: dice.pick([null, 'one_more', 'one_more', 'go_on', 'go_on', 'abort'] as const),
    words: dice.pick([null, 'do better']),
    edited: dice.chance(0.2) ? 10 : 0,
  };
}

function common(chance: Chance, members: readonly Step[]): Finish {
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
    found: randomFound(dice, chance.model.jobs),
    person: randomPerson(dice),
  };
}

function randomOutcomes(dice: Random, members: readonly Step[]): Record<string, Outcome> {
  const trouble = dice.pick([0, 0, 0.3, 0.7]);
  return Object.fromEntries(
    members
      .filter(() => dice.chance(trouble))
      .map(({ id }) => [
        id,
        dice.weighted({ rules: 1, checks: 1, self_review: 1, reviewed: 2, review: 3, fault: 1 }),
      ]),
  );
}

/** Required outputs of some members, and random optional ones. */
function chosen(dice: Random, members: readonly Step[], which: readonly Step[]): Given[] {
  return declaredBy(members)
    .filter(({ step }) => which.includes(step))
    .filter(({ output }) => output.required || dice.chance(0.4))
    .map((each) => ({ ...each, value: randomValue(dice, each.output) }));
}

interface Given extends Declared {
  readonly value: Value;
}

/** From a small pool, so that two consecutive steps may submit the same paths. */
function randomValue(dice: Random, output: Output): Value {
  const paths = pathsFor(output);
  if (output.type === 'file') return dice.chance(0.8) ? (paths[0] as string) : dice.pick(paths);
  if (!output.required && dice.chance(0.2)) return [];
  return dice.chance(0.7) ? paths.slice(0, 1) : [...paths];
}

function pathsFor({ name }: Output): string[] {
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
