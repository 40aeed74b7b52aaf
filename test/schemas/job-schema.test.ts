// `job.schema.json` agrees with the loader of `job.yml`: on every bundled job, and on thousands of
// corrupted ones.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseJobFile } from '../../src/definitions/jobs/job-yml.ts';
import { writeJob } from '../support/job-files.ts';
import { chooseSeed } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { compare, type LoaderVerdict } from './agreement.ts';
import { compileSchema, unknownKey } from './compiled-schema.ts';
import { copyOf, isObject, type Json, type JsonObject, objectsIn, setKey } from './json.ts';
import { changesOr, randomChanges, someOfEveryChange } from './mutations.ts';
import { JOB_OF_STEPS, jobWithRules, SAMPLE_JOBS, SCHEMA_RULE_JOBS } from './sample-jobs.ts';
import { isOneOf, UNSAYABLE_IN_RULES, type Unsayable } from './unsayable.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SHIPPED = [
  'examples/quickstart/.deepwork/jobs/release_notes/job.yml',
  'standard_jobs/deepwork_jobs/job.yml',
  'standard_jobs/deepwork_jobs/worked_example/bug_fix/job.yml',
].map((name) => {
  const file = join(root, name);
  return { name, dir: dirname(file), value: parse(readFileSync(file, 'utf8')) as JsonObject };
});

/** The loader reports these as problems of shape. */
const UNSAYABLE_SHAPE: readonly Unsayable[] = [
  { what: 'that no two checks share a name', message: /: duplicate check name '/ },
  { what: 'that a default is one of the values', message: / -> default: must be one of / },
  { what: 'that a default matches the pattern', message: / -> default: must match / },
  ...UNSAYABLE_IN_RULES,
];

/** A schema sees one place at a time; these concern several places, or the disk. */
const UNSAYABLE: readonly Unsayable[] = [
  { what: 'references', message: /^Step '.*' (depends on|references) non-existent step '/ },
  { what: 'cycles', message: /^Circular dependency detected involving step '/ },
  { what: 'file inputs and dependencies', message: /^Step '.*' has file input from '.*' but '/ },
  { what: 'file inputs and outputs', message: /^Step '.*' has file input '.*' but '.*' has no/ },
  { what: 'reviews of outputs', message: /^Step '.*' has review with run_each=/ },
  { what: 'names of workflows', message: /^Duplicate workflow name: '/ },
  { what: 'ids of steps', message: /^Duplicate step id: '/ },
  { what: 'order', message: /^Workflow '.*' (runs '.*' before its dependency|lacks) '/ },
  { what: 'instruction files', message: /^Instructions file / },
  {
    what: 'references of entries',
    message: /^(loop|for_each|approve) '.*' (uses|judges|takes|goes)/,
  },
];

/** Of the steps in a workflow the schema sees only equal neighbours. */
const PARTLY_SAYABLE: readonly Unsayable[] = [
  { what: 'steps once each', message: /^Workflow '.*' contains duplicate step '/ },
  { what: 'names of entries', message: /^Workflow '.*' uses the name '.*' twice/ },
  { what: 'steps that are there', message: /^Workflow '.*' references non-existent step '/ },
];

const judge = compileSchema('job');

/** A folder with the instruction files of the samples. */
function sampleDir(): string {
  return writeJob(tempFolder(), 'demo', '');
}

async function problemsOf(value: Json, dir = sampleDir()): Promise<string[]> {
  const bytes = Buffer.from(JSON.stringify(value));
  const { answered } = await parseJobFile(dir, { kind: 'read', bytes });
  return answered.kept.map(({ message }) => message);
}

function sortProblems(problems: readonly string[]): LoaderVerdict {
  const unsayable = (message: string) =>
    message.startsWith('Job definition validation failed: ')
      ? isOneOf(message, UNSAYABLE_SHAPE)
      : isOneOf(message, [...UNSAYABLE, ...PARTLY_SAYABLE]);
  return {
    sayable: problems.filter((message) => !unsayable(message)),
    partlySayable: problems.filter((message) => isOneOf(message, PARTLY_SAYABLE)),
  };
}

/** An older notation, which loads but is not for new files. */
function isListStyle(value: Json): boolean {
  if (!isObject(value) || !Array.isArray(value.steps)) return false;
  return value.steps.some((step) => isObject(step) && Array.isArray(step.outputs));
}

describe('a valid job', () => {
  test.each(SHIPPED)('fits: $name', async ({ dir, value }) => {
    expect(judge.complaintsAbout(value)).toEqual([]);
    expect(await problemsOf(value, dir)).toEqual([]);
  });

  test.each([...SAMPLE_JOBS, ...SCHEMA_RULE_JOBS])('fits: sample %#', async (value) => {
    expect(judge.complaintsAbout(value)).toEqual([]);
    expect(await problemsOf(value)).toEqual([]);
  });
});

describe('a corrupted job', () => {
  const shipped = SHIPPED.map(({ value }) => value);
  const donors = [...SAMPLE_JOBS, ...SCHEMA_RULE_JOBS];
  const random = (from: readonly Json[], usual: number) => (seed: number) =>
    randomChanges(from, donors, { runs: changesOr(usual), seed });
  test.each<[string, (seed: number) => Iterable<Json>]>([
    ['at every place', (seed) => someOfEveryChange(SAMPLE_JOBS, [200, 201], seed)],
    ['at random', random(SAMPLE_JOBS, 200)],
    ['around a schema', random(SCHEMA_RULE_JOBS, 100)],
    ['in what is shipped', random(shipped, 60)],
  ])(
    'is judged alike by schema and loader: %s',
    async (_, changesOf) => {
      verifies('JOBS-X.3');
      const definitions = changesOf(chooseSeed());
      const dir = sampleDir();
      const { disagreements, accepted, refused } = await compare({
        judge,
        definitions,
        load: async (definition) => sortProblems(await problemsOf(definition, dir)),
        isStricter: isListStyle,
      });
      expect(disagreements).toEqual([]);
      // Of both kinds: how many there are is chance.
      expect(Math.min(accepted, refused)).toBeGreaterThan(0);
    },
    120_000,
  );
});

describe('the schema cannot express', () => {
  test('that no two checks share a name', async () => {
    const job = copyOf(JOB_OF_STEPS);
    const [step] = job.steps as JsonObject[];
    const checks = step?.checks as JsonObject[];
    for (const check of checks) setKey(check, 'name', 'x');
    expect(judge.complaintsAbout(job)).toEqual([]);
    expect(await problemsOf(job)).toEqual([expect.stringContaining("duplicate check name 'x'")]);
  });

  test.each([
    ['is one of the values', { enum: ['x'], default: 'y' }, 'must be one of x, got y'],
    ['matches the pattern', { pattern: '^x', default: 'y' }, 'must match ^x, got y'],
  ])('that a default %s', async (_, more, says) => {
    const inputs = { a: { description: 'A', ...more } };
    const job = { ...JOB_OF_STEPS, workflows: [{ name: 'w', summary: 's', steps: ['a'], inputs }] };
    expect(judge.complaintsAbout(job)).toEqual([]);
    expect(await problemsOf(job)).toEqual([expect.stringContaining(says)]);
  });

  test('that a step is not in a workflow alone and beside another', async () => {
    const workflow = { name: 'main', summary: 's', steps: ['a', ['a', 'b']] };
    const job = { ...JOB_OF_STEPS, workflows: [workflow] };
    expect(judge.complaintsAbout(job)).toEqual([]);
    expect(await problemsOf(job)).toContain("Workflow 'main' contains duplicate step 'a'");
  });
});

describe('the schema also refuses', () => {
  test.each([
    ['a step twice in a workflow', ['a', 'a']],
    ['a step twice in a concurrent entry', [['c_2', 'c_2']]],
  ])('%s', async (_, steps) => {
    const job = { ...JOB_OF_STEPS, workflows: [{ name: 'main', summary: 's', steps }] };
    expect(judge.complaintsAbout(job)).not.toEqual([]);
    expect(await problemsOf(job)).toEqual([expect.stringContaining('contains duplicate step')]);
  });

  test('an output named step', async () => {
    const job = jobWithRules(null);
    const [step] = job.steps as JsonObject[];
    const outputs = step?.outputs as JsonObject;
    setKey(outputs, 'step', outputs.x as Json);
    expect(judge.complaintsAbout(job)).not.toEqual([]);
    expect(await problemsOf(job)).toEqual(["Step 'a' has an output named 'step'"]);
  });
});

describe('a notation that loads but is not for new files', () => {
  test('outputs as a list', async () => {
    const job = jobWithRules(null);
    const [step] = job.steps as JsonObject[];
    setKey(step as JsonObject, 'outputs', ['x']);
    expect(judge.complaintsAbout(job)).not.toEqual([]);
    expect(await problemsOf(job)).toEqual([]);
  });

  test('yes and no for true and false', async () => {
    const text = JSON.stringify(jobWithRules(null)).replace('"required":true', '"required": yes');
    expect(judge.complaintsAbout(parse(text))).not.toEqual([]);
    const bytes = Buffer.from(text);
    const { problems } = await parseJobFile(sampleDir(), { kind: 'read', bytes });
    expect(problems.kept).toEqual([]);
  });
});

// Guards against a field that the loader learns and the schema does not: no change of today's files
// would use it.
test('the schema knows every key that the loader offers', async () => {
  const STRANGE = 'zzzzzzzzzzzz';
  const dir = sampleDir();
  let offers = 0;
  for (const sample of SAMPLE_JOBS) {
    for (const [index, { pointer }] of objectsIn(sample).entries()) {
      const strange = withKey(sample, index, STRANGE);
      const problems = await problemsOf(strange, dir);
      const told = problems.find((message) => message.includes(STRANGE));
      const offered = /(?:allowed here:|known are) ([\w, ]+)/.exec(told ?? '')?.[1];
      if (offered === undefined) continue;
      const refusal = (key: string) => `${pointer || '/'} ${unknownKey(key)}`;
      expect(judge.complaintsAbout(strange)).toContain(refusal(STRANGE));
      for (const key of offered.split(', ')) {
        const complaints = judge.complaintsAbout(withKey(sample, index, key));
        expect(complaints).not.toContain(refusal(key));
        offers += 1;
      }
    }
  }
  expect(offers).toBeGreaterThan(100);
});

/** The job with one more key in one of its objects, if that key is not there yet. */
function withKey(job: JsonObject, index: number, key: string): Json {
  const changed = copyOf(job);
  const target = objectsIn(changed)[index]?.object;
  if (target && !Object.hasOwn(target, key)) setKey(target, key, null);
  return changed;
}
