// The schemas for editors and the loaders agree: what is shipped fits both, and what is wrong is refused by
// both. What a schema cannot express, only the loader refuses.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openGuideText } from '../../src/definitions/guides/parse-guide.ts';
import { parseJobFile } from '../../src/definitions/jobs/job-yml.ts';
import { bytesOf, step, workflow } from '../support/guides.ts';
import { jobYml, writeJob } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { compileSchema } from './compiled-schema.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const jobSchema = compileSchema('job');
const guideSchema = compileSchema('workflow');

/** Whether the schema and the loader accept a job. */
async function judgeJob(dir: string, text: string) {
  const { job } = await parseJobFile(dir, { kind: 'read', bytes: Buffer.from(text) });
  return { schema: jobSchema.complaintsAbout(parse(text)).length === 0, loader: job !== null };
}

async function judgeGuide(content: unknown) {
  const parsed = await openGuideText(bytesOf(content), '/guide.json').check();
  return {
    schema: guideSchema.complaintsAbout(content).length === 0,
    loader: parsed.kind === 'guide',
  };
}

const JOBS = ['examples', 'standard_jobs', 'templates'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file) === 'job.yml')
    .map((file) => path.join(folder, file)),
);
const GUIDES = readdirSync(path.join(ROOT, 'standard_workflows'));

test.each(JOBS)('%s fits the schema', async (file) => {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const verdict = await judgeJob(path.join(ROOT, path.dirname(file)), text);
  expect(verdict).toEqual({ schema: true, loader: true });
});

test.each(GUIDES)('%s fits the schema', async (file) => {
  const text = readFileSync(path.join(ROOT, 'standard_workflows', file), 'utf8');
  expect(await judgeGuide(JSON.parse(text))).toEqual({ schema: true, loader: true });
});

const inA = (key: string) => ['reviews: []', `reviews: []\n    ${key}`] as const;
const withRule = (rule: string) => ['required: true', `required: true, rules: {${rule}}`] as const;
const flow = (entry: string) => ['[a, b]', `[${entry}]`] as const;

test.each<readonly [string, string]>([
  ['name: demo', 'name: My-Job'],
  ['summary: A demonstration\n', ''],
  ['A demonstration', 'é'.repeat(201)],
  ['"1.0.0"', '"1.0"'],
  ['instructions_file', 'instruction_file'],
  ['type: file', 'type: folder'],
  ['outputs: {}', 'outputs:'],
  ['notes.md:', 'step:'],
  inA('inputs: [{name: x, file: y}]'),
  inA('checks: [{name: x, run: y, timeout_seconds: 0}]'),
  inA('when: {var: x, equal: 1}'),
  inA('reports: {f: {type: file, description: A file}}'),
  withRule('type: lenght, message: m'),
  withRule('type: contains, value: x'),
  flow('a, [b, b]'),
  flow('{lop: {name: x}}'),
  flow('{loop: {name: x, max: 101, until: {when: {var: a}}, steps: [a]}}'),
  flow('{approve: {name: x}}'),
  flow('{for_each: {name: x, items: a, step: b}}'),
])('a job with %s → %s is refused by both', async (from, to) => {
  verifies('JOBS-X.3');
  const yml = jobYml().replace(from, to);
  expect(yml).not.toBe(jobYml());
  const dir = writeJob(tempFolder(), 'demo', '');
  expect(await judgeJob(dir, yml)).toEqual({ schema: false, loader: false });
});

const inStep = (parts: object) => ({ steps: [step({ ...parts })] });
const criteria = (validationCriteria: unknown) => inStep({ validationCriteria });
const rule = { type: 'contains', value: 'x', message: 'm' };

test.each([
  { id: 'ab' },
  { name: '' },
  { name: 'x'.repeat(129) },
  { version: '1.0' },
  { steps: [] },
  { metaGuidance: ['a', 'a'] },
  { preconditions: 'x' },
  inStep({ prompt: 7 }),
  inStep({ agentRole: 'Short' }),
  inStep({ type: 'loop' }),
  inStep({ runCondition: { equals: 1 } }),
  inStep({ requireConfirmation: { var: 'x', like: 1 } }),
  criteria('be good'),
  criteria({ and: [] }),
  criteria({ ...rule, type: 'near' }),
  criteria({ ...rule, flags: 'i' }),
  criteria({ type: 'regex', pattern: 'x', flags: 'ii', message: 'm' }),
])('a guide with %j is refused by both', async (parts) => {
  verifies('GUIDE-7');
  expect(await judgeGuide(workflow({ ...parts }))).toEqual({ schema: false, loader: false });
});

test('what concerns several places, or no schema can know, only the loader refuses', async () => {
  const onlyLoader = { schema: true, loader: false };
  const dir = writeJob(tempFolder(), 'demo', '');
  for (const [from, to] of [
    inA('dependencies: [x]'),
    inA('checks: [{name: x, run: y}, {name: x, run: z}]'),
    ['a.md', 'none.md'],
  ] as const) {
    expect(await judgeJob(dir, jobYml().replace(from, to)), to).toEqual(onlyLoader);
  }
  for (const parts of [
    { steps: [step(), step({ title: 'Again' })] },
    criteria({ type: 'regex', pattern: '(', message: 'm' }),
    criteria({ type: 'schema', schema: { type: 'text' }, message: 'm' }),
  ]) {
    expect(await judgeGuide(workflow({ ...parts })), JSON.stringify(parts)).toEqual(onlyLoader);
  }
});
