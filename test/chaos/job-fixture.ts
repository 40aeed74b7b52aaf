// The job that agents work on during a run. Every workflow has its own steps, and every step one
// output named after it, so that no call can be mistaken for another step's.

import { newProject, type Project, writeJob } from '../support/project.ts';

export const JOB = 'relay';

const WORKFLOWS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  line: [['a1'], ['a2'], ['a3']],
  fan: [['b1'], ['b2', 'b3', 'b4'], ['b5']],
  pair: [['c1', 'c2'], ['c3']],
};
export const WORKFLOW_NAMES = Object.keys(WORKFLOWS);

export function entriesOf(workflow: string): readonly (readonly string[])[] {
  const entries = WORKFLOWS[workflow];
  if (entries === undefined) throw new Error(`There is no workflow '${workflow}'`);
  return entries;
}

export const outputOf = (step: string) => `of_${step}`;

/** A project with this job, and a team of the coordinator and these agents. */
export function newRelayProject(agents: readonly string[]): Project {
  const project = newProject();
  const list = agents.map((name) => `    - {name: ${name}}\n`).join('');
  project.write(
    '.deepwork/config.yml',
    `git:\n  branch: off\nteam:\n  question_wait_seconds: 3\n  agents:\n${list}`,
  );
  const steps = Object.values(WORKFLOWS).flat(2);
  writeJob(
    project,
    JOB,
    Object.fromEntries(steps.map((id) => [id, { outputs: { [outputOf(id)]: 'file' } }])),
    Object.fromEntries(
      Object.entries(WORKFLOWS).map(([name, entries]) => [
        name,
        entries.map((entry) => (entry.length === 1 ? (entry[0] as string) : entry)),
      ]),
    ),
  );
  return project;
}
