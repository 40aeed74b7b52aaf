// What the gate costs: evidence that is still valid, many rules on a large file, and a rule
// that would never end by itself.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { writeProject } from '../projects.mjs';
import { limited } from '../rows.mjs';
import { summarize, timed } from '../samples.mjs';
import { startServer } from '../wire.mjs';

const ROUNDS = 40;
const RULES = 100;
const REVIEWS = [{ run_each: 'step', quality_criteria: { good: 'It is good' } }];
const CHECKS = [{ name: 'there', run: 'test -f result.md' }];

/** @param {import('../stage.mjs').Stage} stage */
export async function measureGate(stage) {
  const project = writeProject(stage.folder('gate'), 1);
  writeFiles(project);
  const server = startServer([...stage.ours(project), '--trust']);
  await server.shakeHands();
  try {
    const plain = [];
    const gated = [];
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await finish(server, 'plain', false));
      gated.push(await finish(server, 'gated', true));
    }
    const median = (samples) => summarize(samples).median;
    return [
      limited(
        'gate, unchanged evidence, over a plain step',
        'ms',
        median(gated) - median(plain),
        3,
      ),
      limited(
        `${RULES} rules on 1 MB`,
        'ms',
        await validate(server, 'large', 'large.txt', true),
        50,
      ),
      limited(
        'a regex without end',
        'ms',
        await validate(server, 'endless', 'endless.txt', false),
        150,
      ),
    ];
  } finally {
    await server.kill();
  }
}

/** Milliseconds of the call that finishes a step whose check has passed before. */
async function finish(server, job, gated) {
  await start(server, job);
  const outputs = { result: 'result.md' };
  // The first call runs the check and asks for a review; the second finds the evidence.
  if (gated) await server.call('finished_step', { outputs });
  let answer;
  const milliseconds = await timed(async () => {
    answer = await server.call('finished_step', {
      outputs,
      quality_review_override_reason: 'Reviewed: PASSED',
    });
  });
  if (answer.status !== 'next_step') throw new Error(`${job}: ${JSON.stringify(answer)}`);
  await server.call('abort_workflow', { explanation: 'measured' });
  return milliseconds;
}

async function validate(server, job, file, valid) {
  await start(server, job);
  const samples = [];
  for (let round = 0; round < 15; round++) {
    samples.push(
      await timed(async () => {
        const answer = await server.call('validate_step_outputs', { outputs: { result: file } });
        if (answer.valid !== valid) throw new Error(`${job}: ${JSON.stringify(answer)}`);
      }),
    );
  }
  return summarize(samples).median;
}

function start(server, job) {
  return server.call('start_workflow', { goal: 'Measure', job_name: job, workflow_name: 'main' });
}

function writeFiles(root) {
  writeFileSync(path.join(root, 'result.md'), 'A result.\n');
  const line = 'Every word of this line counts, and there are many lines like it.\n';
  writeFileSync(path.join(root, 'large.txt'), line.repeat(Math.ceil(1_000_000 / line.length)));
  writeFileSync(path.join(root, 'endless.txt'), `${'a'.repeat(40)}!`);
  writeJob(root, 'plain', {});
  writeJob(root, 'gated', { checks: CHECKS, reviews: REVIEWS });
  writeJob(
    root,
    'large',
    {},
    Array.from({ length: RULES }, (_, at) => ruleNumber(at)),
  );
  writeJob(root, 'endless', {}, [{ type: 'regex', pattern: '^(a+)+$', message: 'only a' }]);
}

/** Half of the words occur in the text, half do not, so the whole text is searched. */
function ruleNumber(at) {
  return at % 2 === 0
    ? { type: 'regex', pattern: `many lines (like|unlike) it|word${at}`, message: `rule ${at}` }
    : { not: { type: 'contains', value: `nowhere ${at}`, message: `rule ${at}` } };
}

function writeJob(root, name, fields, rules) {
  const folder = path.join(root, '.deepwork/jobs', name);
  const output = { type: 'file', description: 'The result', required: true };
  const step = (id, more, outputs) => ({
    id,
    name: id,
    description: id,
    instructions_file: 'do.md',
    outputs,
    reviews: [],
    ...more,
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'do.md'), 'Do it.\n');
  writeFileSync(
    path.join(folder, 'job.yml'),
    stringify({
      name,
      version: '1.0.0',
      summary: name,
      common_job_info_provided_to_all_steps_at_runtime: name,
      workflows: [{ name: 'main', summary: name, steps: ['first', 'last'] }],
      steps: [
        step('first', fields, { result: rules === undefined ? output : { ...output, rules } }),
        step('last', {}, {}),
      ],
    }),
  );
}
