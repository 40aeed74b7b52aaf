// The work that is done while servers are killed: one job whose workflows use everything a
// workflow can have (concurrent entries, output names that members share, a member without
// outputs, two consecutive steps with equal outputs, conditions, a review), as data from which
// both the job file and the test's model of a session are made.

import { type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';

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

const WORKFLOWS = {
  trip: [['plan'], ['left', 'right', 'tidy'], ['check'], ['extra'], ['close']],
  errand: [['fetch'], ['bring']],
  fan: [['one', 'two', 'three'], ['detour'], ['join']],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;

export type WorkflowName = keyof typeof WORKFLOWS;
export const WORKFLOW_NAMES = Object.keys(WORKFLOWS) as WorkflowName[];

export function entriesOf(workflow: WorkflowName): readonly (readonly string[])[] {
  return WORKFLOWS[workflow];
}

export function stopAt(step: string): Stop {
  const stop = STOPS[step];
  if (stop === undefined) throw new Error(`No step '${step}' on this journey`);
  return stop;
}

/** Output names as a caller sends them: `step.name` where members of the entry share one. */
export function sentNames(entry: readonly string[], step: string): [sent: string, own: string][] {
  const others = entry.filter((each) => each !== step).flatMap((each) => stopAt(each).outputs);
  return stopAt(step).outputs.map((own) => [others.includes(own) ? `${step}.${own}` : own, own]);
}

export function writeJourney(project: Project): void {
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
  writeJob(
    project,
    JOB,
    Object.fromEntries(steps),
    Object.fromEntries(
      WORKFLOW_NAMES.map((name) => [
        name,
        entriesOf(name).map((entry) => (entry.length === 1 ? (entry[0] as string) : entry)),
      ]),
    ),
  );
}
