// Where the events of unattended runs are. A run of a workflow is in the stream that is named like
// its session; runs of a team have a folder of their own.

export const WORKFLOW_RUNS = 'run/';
export const TEAM_RUNS = 'team_run/';

/** Who works in the project's own checkout. */
export const CHECKOUT_STREAM = `${WORKFLOW_RUNS}checkout`;

export function isRunId(id: string): boolean {
  return /^[0-9a-f]{8}$/.test(id);
}
