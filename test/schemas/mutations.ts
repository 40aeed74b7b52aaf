// Ways to corrupt a valid definition, as people and programs do: something left out, misspelt, of
// the wrong type, too long, in the wrong place. Some changes do no harm, which is worth knowing,
// too. There are two methods: the same few changes at every place, and any changes at random
// places, both reproducible by a seed.

import { type Random, randomFrom } from '../support/random.ts';
import {
  copyOf,
  isObject,
  type Json,
  type JsonObject,
  type Place,
  placesIn,
  removeAt,
  replaceAt,
  setKey,
  valueAt,
} from './json.ts';

interface Material {
  /** Keys that have a meaning somewhere. */
  readonly keys: readonly string[];
  /** Valid definitions, to take parts from. */
  readonly donors: readonly Json[];
}

/** Makes its change and returns true, or cannot make it here. */
type Mutation = (place: Place, random: Random, material: Material) => boolean;

/** At, just before and just past every limit of the formats. */
const LENGTHS = [0, 1, 2, 3, 9, 10, 64, 65, 128, 129, 200, 201, 256, 257, 512, 513, 1024, 1025];
const LONG_LENGTHS = [...LENGTHS, 8192, 8193];
const STRANGE_KEYS = ['', 'extra', '__proto__', 'constructor', '$schema', 'Id', 'x-note'];
const VALUES: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 300, 86400, 86401, 1e300, '', 'x', 'step', 'yes', '1.0.0'],
  ...[[], {}, [''], ['x'], [['x']], { x: 1 }, [null], { type: 'contains' }, { var: 'x' }],
];
const TEXTS = [
  ...['Upper', 'a-b', 'a_b', 'a.b', 'a b', '1a', '-ab', 'abc\n', 'äbc', ' abc', 'abc', 'file'],
  ...['1.0', '1.0.0', '01.0.0', '1.0.0-rc.1', '1.0.0-01', '1.0.0+x', 'v1.0.0', '1.0.0\n', '١.٠.٠'],
  ...['contains', 'regex', 'length', 'schema', 'files', 'i', 'ii', 'uv', 'x', 'gimsuy', 'step'],
];

const dropKey: Mutation = (place) => {
  if (Array.isArray(place.holder)) return false;
  removeAt(place);
  return true;
};

const addKey: Mutation = (place, random, { keys }) => {
  const target = valueAt(place);
  if (!isObject(target)) return false;
  const key = random.pick(random.chance(0.3) ? STRANGE_KEYS : keys);
  setKey(target, key, copyOf(random.pick(VALUES)));
  return true;
};

const renameKey: Mutation = ({ holder, key }, random, { keys }) => {
  if (Array.isArray(holder)) return false;
  const value = valueAt({ holder, key });
  removeAt({ holder, key });
  const name = random.chance(0.5) ? random.pick(keys) : `${key}s`;
  setKey(holder, name, value);
  return true;
};

const replaceValue: Mutation = (place, random) => {
  replaceAt(place, copyOf(random.pick(VALUES)));
  return true;
};

const wrapValue: Mutation = (place, random) => {
  const value = valueAt(place);
  replaceAt(place, random.chance(0.5) ? [value] : { not: value });
  return true;
};

const unwrapValue: Mutation = (place, random) => {
  const value = valueAt(place);
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  if (inner.length === 0) return false;
  replaceAt(place, random.pick(inner));
  return true;
};

const changeText: Mutation = (place, random) => {
  if (typeof valueAt(place) !== 'string') return false;
  replaceAt(place, random.pick(TEXTS));
  return true;
};

const changeLength: Mutation = (place, random) => {
  const value = valueAt(place);
  if (typeof value !== 'string') return false;
  const length = random.pick(value.length > 64 ? LONG_LENGTHS : LENGTHS);
  // A character of two UTF-16 units and four bytes still counts as one.
  replaceAt(place, random.pick(['a', 'a', '🦉']).repeat(length));
  return true;
};

const changeNumber: Mutation = (place, random) => {
  if (typeof valueAt(place) !== 'number') return false;
  replaceAt(place, random.pick([0, -1, 1, 0.5, -0.5, 86400, 86400.5, 86401, 1e300]));
  return true;
};

const changeList: Mutation = (place, random) => {
  const list = valueAt(place);
  if (!Array.isArray(list)) return false;
  const kind = random.below(3);
  if (kind === 0) list.length = 0;
  else if (kind === 1 && list.length > 0) repeatFirst(list);
  else list.push(copyOf(random.pick(VALUES)));
  return true;
};

/** Something valid, in a place where it may not belong. */
const graft: Mutation = (place, random, { donors }) => {
  const from = random.pick(placesIn([random.pick(donors)]));
  replaceAt(place, copyOf(valueAt(from)));
  return true;
};

/** A key of one object, with its value, in another. */
const graftKey: Mutation = (place, random, { donors }) => {
  const target = valueAt(place);
  if (!isObject(target)) return false;
  const from = random.pick(placesIn([random.pick(donors)]).filter(isUnderKey));
  setKey(target, String(from.key), copyOf(valueAt(from)));
  return true;
};

const MUTATIONS: readonly Mutation[] = [
  ...[dropKey, addKey, renameKey, replaceValue, wrapValue, unwrapValue, changeText],
  ...[changeText, changeLength, changeNumber, changeList, graft, graftKey],
];

function isUnderKey({ holder }: Place): boolean {
  return !Array.isArray(holder);
}

/** Small random changes of valid definitions; parts come from the donors, too. */
export function* randomChanges(
  definitions: readonly Json[],
  donors: readonly Json[],
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Generator<Json> {
  const dice = randomFrom(seed);
  const sources = [...definitions, ...donors];
  const material = { donors: sources, keys: keysOf(sources) };
  for (let run = 0; run < runs; run += 1) {
    yield mutate(definitions[run % definitions.length] as Json, dice, material);
  }
}

/** One change, sometimes two or three. The definition itself is not changed. */
function mutate(definition: Json, dice: Random, material: Material): Json {
  const root: Json[] = [copyOf(definition)];
  let left = 1 + (dice.chance(0.2) ? 1 : 0) + (dice.chance(0.05) ? 1 : 0);
  for (let tries = 0; left > 0 && tries < 100; tries += 1) {
    const place = dice.pick(placesIn(root));
    if (place.holder === root && dice.chance(0.9)) continue;
    if (dice.pick(MUTATIONS)(place, dice, material)) left -= 1;
  }
  return root[0] ?? null;
}

/**
 * How many random changes a test makes: few, which are others in each run, or up to DEEPWORK_CASES.
 * Each takes some milliseconds, so more than this many times as many would take too long.
 */
export function changesOr(usual: number): number {
  return Math.min(Number(process.env.DEEPWORK_CASES ?? usual), usual * 20);
}

/** Of the changes at every place; all of them with DEEPWORK_CASES. */
const USUAL_SHARE = 0.2;

/** A share of the changes at every place, others in each run. */
export function* someOfEveryChange(
  definitions: readonly Json[],
  lengths: readonly number[],
  seed: number,
): Generator<Json> {
  const dice = randomFrom(seed);
  const share = process.env.DEEPWORK_CASES === undefined ? USUAL_SHARE : 1;
  for (const change of everyChange(definitions, lengths)) if (dice.chance(share)) yield change();
}

/** The same changes at every place of each definition; texts also get these lengths. */
function* everyChange(
  definitions: readonly Json[],
  lengths: readonly number[],
): Generator<() => Json> {
  const anything: readonly Json[] = [null, true, 1.5, -1, '', 'x', 'No!', [], {}, [''], { x: 1 }];
  for (const definition of definitions) {
    const places = placesIn([definition]);
    for (const [index, place] of places.entries()) {
      const before = valueAt(place);
      const texts = typeof before === 'string' ? lengths.map((length) => 'a'.repeat(length)) : [];
      for (const value of [...anything, ...texts]) {
        yield () => changed(definition, index, (there) => replaceAt(there, value));
      }
      if (isUnderKey(place)) yield () => changed(definition, index, removeAt);
      if (Array.isArray(before) && before.length > 0) {
        yield () => changed(definition, index, (there) => repeatFirst(valueAt(there) as Json[]));
      }
      if (isObject(before)) {
        yield () =>
          changed(definition, index, (there) => setKey(valueAt(there) as JsonObject, 'x', 1));
      }
    }
  }
}

function repeatFirst(list: Json[]): void {
  list.push(copyOf(list[0] ?? null));
}

function changed(definition: Json, index: number, change: (place: Place) => void): Json {
  const root: Json[] = [copyOf(definition)];
  change(placesIn(root)[index] as Place);
  return root[0] ?? null;
}

/** Every key that the definitions use anywhere. */
function keysOf(definitions: readonly Json[]): string[] {
  const keys = definitions.flatMap((definition) => placesIn([definition]).filter(isUnderKey));
  return [...new Set(keys.map(({ key }) => String(key)))];
}
