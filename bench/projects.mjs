// Projects for measuring: folders with realistic jobs.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';

/**
 * A project with this many jobs of three steps.
 *
 * @param {string} root
 * @param {number} jobs
 */
export function writeProject(root, jobs) {
  // Git is not measured here.
  write(root, '.deepwork/config.yml', 'git:\n  branch: off\n');
  for (let number = 1; number <= jobs; number++) {
    writeJob(root, `job_${String(number).padStart(3, '0')}`, ['gather', 'draft', 'polish']);
  }
  return root;
}

/**
 * A job with one workflow, `main`, through all its steps. Each step has one output file,
 * `out/<step>.md`, which already exists.
 *
 * @param {string} root
 * @param {string} name
 * @param {readonly string[]} steps
 * @param {(job: object) => string} toText how its file is written
 */
export function writeJob(root, name, steps, toText = stringify) {
  const folder = `.deepwork/jobs/${name}`;
  const job = {
    name,
    version: '1.0.0',
    summary: `Does what ${name} is there for, from the first notes to the finished text`,
    common_job_info_provided_to_all_steps_at_runtime: `Keep to the terms that ${name} uses.`,
    workflows: [{ name: 'main', summary: `All of ${name}, in order`, steps }],
    steps: steps.map((id) => ({
      id,
      name: `Step ${id}`,
      description: `The part of ${name} called ${id}`,
      instructions_file: `steps/${id}.md`,
      outputs: { result: { type: 'file', description: `What ${id} made`, required: true } },
      reviews: [],
    })),
  };
  write(root, `${folder}/job.yml`, toText(job));
  for (const id of steps) {
    write(
      root,
      `${folder}/steps/${id}.md`,
      `# ${id}\n\n${'Read, think, write it down.\n'.repeat(20)}`,
    );
    write(root, outputOf(id), `What ${id} made.\n`);
  }
}

/** The output file of a step, relative to the project. */
export function outputOf(step) {
  return `out/${step}.md`;
}

/** This many step ids: `step_001`, `step_002`, … */
export function stepIds(count) {
  return Array.from({ length: count }, (_, at) => `step_${String(at + 1).padStart(3, '0')}`);
}

function write(root, file, text) {
  const absolute = path.join(root, file);
  mkdirSync(path.dirname(absolute), { recursive: true });
  writeFileSync(absolute, text);
}
