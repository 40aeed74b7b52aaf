// `workflow.schema.json` agrees with the loader of workflow files: on every bundled guide, and on
// thousands of corrupted ones.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openGuideText } from '../../src/definitions/guides/parse-guide.ts';
import { chooseSeed } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { compare, type LoaderVerdict } from './agreement.ts';
import { compileSchema } from './compiled-schema.ts';
import { copyOf, type Json, type JsonObject, setKey } from './json.ts';
import { changesOr, randomChanges, someOfEveryChange } from './mutations.ts';
import { guideWithCriteria, SAMPLE_GUIDES, SCHEMA_RULE_GUIDES } from './sample-guides.ts';
import { isOneOf, UNSAYABLE_IN_RULES, type Unsayable } from './unsayable.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundled = `${root}standard_workflows`;
const SHIPPED = readdirSync(bundled)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({
    name,
    value: JSON.parse(readFileSync(`${bundled}/${name}`, 'utf8')) as JsonObject,
  }));

const UNSAYABLE: readonly Unsayable[] = [
  { what: 'ids of steps', message: /^Duplicate step id: / },
  { what: 'how many schemas there are in all', message: /^More than \d+ schema rules in one/ },
  { what: 'how deep the file is nested', message: /^Nested more than \d+ deep$/ },
  ...UNSAYABLE_IN_RULES,
];

/** At and past each limit. */
const LENGTHS = [1, 2, 3, 9, 10, 64, 65, 128, 129, 256, 257, 512, 513, 1024, 1025, 8192, 8193];

const judge = compileSchema('workflow');

async function problemsOf(value: Json): Promise<string[]> {
  const parsed = await openGuideText(Buffer.from(JSON.stringify(value)), '/guide.json').check();
  return parsed.kind === 'guide' ? [] : parsed.problems.map(({ message }) => message);
}

async function load(value: Json): Promise<LoaderVerdict> {
  const problems = await problemsOf(value);
  const sayable = problems.filter((message) => !isOneOf(message, UNSAYABLE));
  return { sayable, partlySayable: [] };
}

describe('a valid guide', () => {
  test.each(SHIPPED)('fits: $name', async ({ value }) => {
    expect(judge.complaintsAbout(value)).toEqual([]);
    expect(await problemsOf(value)).toEqual([]);
  });

  test.each([...SAMPLE_GUIDES, ...SCHEMA_RULE_GUIDES])('fits: sample %#', async (value) => {
    expect(judge.complaintsAbout(value)).toEqual([]);
    expect(await problemsOf(value)).toEqual([]);
  });
});

describe('a corrupted guide', () => {
  const shipped = SHIPPED.map(({ value }) => value);
  const donors = [...SAMPLE_GUIDES, ...SCHEMA_RULE_GUIDES];
  const random = (from: readonly Json[], usual: number) => (seed: number) =>
    randomChanges(from, donors, { runs: changesOr(usual), seed });
  test.each<[string, (seed: number) => Iterable<Json>]>([
    ['at every place', (seed) => someOfEveryChange(SAMPLE_GUIDES, LENGTHS, seed)],
    ['at random', random(SAMPLE_GUIDES, 500)],
    ['around a schema', random(SCHEMA_RULE_GUIDES, 100)],
    ['in what is shipped', random(shipped, 60)],
  ])('is judged alike by schema and loader: %s', async (_, changesOf) => {
    verifies('GUIDE-7');
    const definitions = changesOf(chooseSeed());
    const { disagreements, accepted, refused } = await compare({ judge, definitions, load });
    expect(disagreements).toEqual([]);
    // Of both kinds: how many there are is chance.
    expect(Math.min(accepted, refused)).toBeGreaterThan(0);
  });
});

describe('the schema cannot express', () => {
  test('that no two steps share an id', async () => {
    const step = { id: 'abc', title: 't', prompt: 'p' };
    const guide = { ...guideWithCriteria(null), steps: [step, { ...step, title: 'u' }] };
    expect(judge.complaintsAbout(guide)).toEqual([]);
    expect(await problemsOf(guide)).toEqual(['Duplicate step id: abc']);
  });

  test('that there are not too many schemas', async () => {
    const rule = { type: 'schema', schema: {}, message: 'm' };
    const guide = guideWithCriteria(Array<Json>(201).fill(rule));
    expect(judge.complaintsAbout(guide)).toEqual([]);
    expect(await problemsOf(guide)).toEqual([expect.stringMatching(/^More than 200 schema/)]);
  });

  test('that the file is not nested too deep', async () => {
    let member: Json = { type: 'length', message: 'm' };
    for (let level = 0; level < 64; level += 1) member = { not: member };
    const guide = guideWithCriteria(member);
    expect(judge.complaintsAbout(guide)).toEqual([]);
    const problems = await problemsOf(guide);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter((message) => !isOneOf(message, UNSAYABLE))).toEqual([]);
  });
});

// Guards against a field that the loader learns and the schema does not: no change of today's files
// would use it. Its name must occur somewhere in the loader.
test('the schema knows every field that the loader could know', async () => {
  const source = readFileSync(`${root}src/definitions/guides/parse-guide.ts`, 'utf8');
  const others = ['parse-step', 'guide-fields'].map((name) =>
    readFileSync(`${root}src/definitions/guides/${name}.ts`, 'utf8'),
  );
  const names = [source, ...others].join('').matchAll(/'([$\w]+)'|^ +([$\w]+): \w+\(/gm);
  const words = [...names].map(([, quoted, field]) => quoted ?? field);
  const values: readonly Json[] = [true, 1, 'a text of some length', ['a text'], {}];
  const [sample] = SAMPLE_GUIDES;
  expect(words.length).toBeGreaterThan(20);
  function* additions(): Generator<Json> {
    for (const word of new Set(words)) {
      for (const value of values) {
        for (const target of ['root', 'step']) {
          const guide = copyOf(sample as JsonObject);
          const [step] = guide.steps as JsonObject[];
          const object = target === 'root' ? guide : (step as JsonObject);
          if (!Object.hasOwn(object, word as string)) setKey(object, word as string, value);
          yield guide;
        }
      }
    }
  }
  const { disagreements, accepted, refused } = await compare({
    judge,
    definitions: additions(),
    load,
  });
  expect(disagreements).toEqual([]);
  expect([accepted > 20, refused > 20]).toEqual([true, true]);
});
