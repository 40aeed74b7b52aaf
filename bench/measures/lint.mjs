// Lint of one workflow of a thousand entries, conditions, reports and loops among them: it walks
// every path, and still has to answer before anyone waits.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { limited } from '../rows.mjs';

const ENTRIES = 1000;
const ROUNDS = 5;
const MUST_MS = 1000;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureLint(stage) {
  const { lintPaths } = stage.parts;
  const dir = path.join(stage.folder('long-workflow'), 'long');
  mkdirSync(path.join(dir, 'steps'), { recursive: true });
  writeFileSync(path.join(dir, 'steps', 'all.md'), 'Do it.\n');
  writeFileSync(path.join(dir, 'job.yml'), JSON.stringify(longJob()));
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const { problems, warnings } = await lintPaths([dir], async () => []);
    times.push(performance.now() - began);
    if (problems + warnings > 0) throw new Error(`${problems} problems, ${warnings} warnings`);
  }
  times.sort((one, other) => one - other);
  return [limited(`lint, a workflow of ${ENTRIES} entries`, 'ms', times[ROUNDS >> 1], MUST_MS)];
}

function longJob() {
  const ids = Array.from({ length: ENTRIES }, (_, at) => `s${at}`);
  const output = { type: 'file', description: 'd', required: true };
  const flag = { type: 'boolean', description: 'd' };
  const steps = ids.map((id, at) => ({
    id,
    name: id,
    description: id,
    instructions_file: 'steps/all.md',
    outputs: { out: output },
    reviews: [],
    ...(at % 5 === 0 && { reports: { [`r${at}`]: flag } }),
    ...(at % 5 === 1 && { when: { var: `r${at - 1}`, equals: true } }),
    ...(at % 5 === 2 && { when: { var: 'severity', equals: ['low', 'high'][at % 2] } }),
  }));
  const until = { check: { name: 'tests', run: 'true' } };
  const entries = ids.map((id, at) =>
    at % 50 === 3 ? { loop: { name: `l${at}`, steps: [id], until, max: 3 } } : id,
  );
  const severity = { description: 'd', enum: ['low', 'medium', 'high'] };
  return {
    name: 'long',
    version: '1.0.0',
    summary: 'A long one',
    common_job_info_provided_to_all_steps_at_runtime: 'Nothing',
    workflows: [{ name: 'main', summary: 'All', inputs: { severity }, steps: entries }],
    steps,
  };
}
