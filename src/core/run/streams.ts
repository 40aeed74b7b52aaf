// The names of the streams of unattended runs. The stream of a workflow's run ends with the id of
// its session; runs of a team are in a folder of their own.

export const WORKFLOW_RUNS = 'run/';
export const TEAM_RUNS = 'team_run/';

/** What a run of a team is called, in place of a workflow. */
export const TEAM_WORKFLOW = 'GOAL.md';

/** Which run holds the project's own checkout. */
export const CHECKOUT_STREAM = `${WORKFLOW_RUNS}checkout`;

export function isRunId(id: string): boolean {
  return /^[0-9a-f]{8}$/.test(id);
}
