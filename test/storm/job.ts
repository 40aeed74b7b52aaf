// The work that is done during a storm: one job whose workflows use everything a workflow can have
// (concurrent entries, output names that members share, a member without outputs, two consecutive
// steps with equal outputs, conditions, a review), as data from which both the job's file and the
// checker's model are made.

import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';

interface Stop {
  /** Required outputs, each one file. */
  readonly outputs: readonly string[];
  /** Accepted only with a reason to skip its review. */
  readonly reviewed?: true;
  /** Done only when the session's context says this route. */
  readonly onlyOn?: Route;
  readonly inputs?: readonly object[];
  readonly dependencies?: readonly string[];
}

export type Route = 'short' | 'long';
export const ROUTES: readonly Route[] = ['short', 'long'];

const STOPS: Readonly<Record<string, Stop>> = {
  plan: { outputs: ['plan'] },
  left: { outputs: ['report'] },
  right: { outputs: ['report'] },
  tidy: { outputs: [] },
  check: { outputs: ['verdict'], reviewed: true },
  extra: { outputs: ['extra'], onlyOn: 'long' },
  close: { outputs: [] },
  fetch: { outputs: ['parcel'] },
  bring: {
    outputs: ['parcel'],
    inputs: [{ file: 'parcel', from_step: 'fetch' }],
    dependencies: ['fetch'],
  },
  one: { outputs: ['first'] },
  two: { outputs: ['second'] },
  three: { outputs: ['third', 'fourth'] },
  detour: { outputs: ['photo'], onlyOn: 'long' },
  join: { outputs: ['album'] },
};

export const JOB = 'journey';

const WORKFLOWS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  trip: [['plan'], ['left', 'right', 'tidy'], ['check'], ['extra'], ['close']],
  errand: [['fetch'], ['bring']],
  fan: [['one', 'two', 'three'], ['detour'], ['join']],
};
export const WORKFLOW_NAMES = Object.keys(WORKFLOWS);

export function entriesOf(workflow: string): readonly (readonly string[])[] {
  const entries = WORKFLOWS[workflow];
  if (entries === undefined) throw new Error(`There is no workflow '${workflow}'`);
  return entries;
}

/** The entries up to the one with this step; every workflow has steps of its own. */
export function entriesUpTo(step: string): readonly (readonly string[])[] {
  for (const entries of Object.values(WORKFLOWS)) {
    const at = entries.findIndex((members) => members.includes(step));
    if (at !== -1) return entries.slice(0, at + 1);
  }
  throw new Error(`No step '${step}' on this journey`);
}

export function stopAt(step: string): Stop {
  return STOPS[step] as Stop;
}

/** Output names as a caller sends them: `step.name` where members of the entry share one. */
export function sentNames(entry: readonly string[], step: string): [sent: string, own: string][] {
  const others = entry.filter((each) => each !== step).flatMap((each) => stopAt(each).outputs);
  return stopAt(step).outputs.map((own) => [others.includes(own) ? `${step}.${own}` : own, own]);
}

/** A project with this job, and a team of the coordinator and these agents. */
export function newJourney(agents: readonly string[]): Project {
  const project = newProject();
  const list = agents.map((name) => `    - {name: ${name}}\n`).join('');
  project.write(
    '.deepwork/config.yml',
    `git:\n  branch: off\nworkspace: storm\nteam:\n  question_wait_seconds: 3\n  agents:\n${list}`,
  );
  const steps = Object.entries(STOPS).map(([id, stop]): [string, StepSpec] => [
    id,
    {
      outputs: Object.fromEntries(stop.outputs.map((name) => [name, 'file'])),
      reviews: stop.reviewed ? [REVIEW] : [],
      ...(stop.onlyOn ? { when: { var: 'route', equals: stop.onlyOn } } : {}),
      ...(stop.inputs ? { inputs: stop.inputs } : {}),
      ...(stop.dependencies ? { dependencies: stop.dependencies } : {}),
    },
  ]);
  const entries = (name: string) =>
    entriesOf(name).map((entry) => (entry.length === 1 ? (entry[0] as string) : entry));
  writeJob(
    project,
    JOB,
    Object.fromEntries(steps),
    Object.fromEntries(WORKFLOW_NAMES.map((name) => [name, entries(name)])),
  );
  return project;
}
