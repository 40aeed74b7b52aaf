// A job.yml as text, for tests that corrupt one place of it and check where the problem is reported.

import type { Project } from './project.ts';

/** A valid job of two steps; the second takes the first one's output. */
export const SOUND = `name: sample
version: "1.0.0"
summary: A sample
common_job_info_provided_to_all_steps_at_runtime: What all steps share
steps:
  - id: first
    name: The first
    description: Writes notes
    instructions_file: steps/first.md
    outputs:
      notes.md: {type: file, description: Notes, required: true}
    reviews:
      - {run_each: notes.md, quality_criteria: {short: It is short}}
  - id: second
    name: The second
    description: Reads notes
    instructions_file: steps/second.md
    dependencies: [first]
    inputs:
      - {file: notes.md, from_step: first}
    outputs: {}
    reviews: []
workflows:
  - name: main
    summary: Both
    steps: [first, second]
`;

/** The valid job with some places replaced; each must occur. */
export function spoil(...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`there is no ${JSON.stringify(from)} to spoil`);
    return text.replace(from, to);
  }, SOUND);
}

/** Writes a job from its text, with the instruction files of the sound one. */
export function writeJobText(project: Project, name: string, text: string | Uint8Array): string {
  const dir = `.deepwork/jobs/${name}`;
  project.write(`${dir}/steps/first.md`, 'Write notes.\n');
  project.write(`${dir}/steps/second.md`, 'Read notes.\n');
  project.write(`${dir}/job.yml`, text);
  return project.path(dir);
}

/** The line, counted from 1, of the n-th occurrence of a piece. */
export function lineOf(text: string, piece: string, nth = 1): number {
  let at = -1;
  for (let count = 0; count < nth; count++) {
    at = text.indexOf(piece, at + 1);
    if (at === -1) throw new Error(`there is no ${JSON.stringify(piece)}, number ${nth}`);
  }
  return text.slice(0, at).split('\n').length;
}
