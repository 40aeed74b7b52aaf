// The behaviours that tests answer for, by the ids of the contract.

/** `range('JOBS-X', 1, 3)`: JOBS-X.1, JOBS-X.2, JOBS-X.3. */
function range(prefix: string, from: number, to: number, joint = '.'): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${joint}${from + index}`);
}

export const REQUIREMENTS: readonly string[] = [
  ...range('JOBS-REQ-001.1', 1, 12), // the server and its options
  ...range('JOBS-REQ-001.2', 1, 8), // get_workflows
  ...range('JOBS-REQ-001.3', 1, 14), // start_workflow
  ...range('JOBS-REQ-001.4', 1, 19), // finished_step
  ...range('JOBS-REQ-001.5', 1, 8), // outputs
  ...range('JOBS-REQ-001.6', 1, 8), // abort_workflow
  ...range('JOBS-REQ-001.7', 1, 2), // answers
  ...range('JOBS-X', 1, 25), // everything that the contract adds
  ...range('GUIDE', 1, 40, '-'), // guides: wire, files, conditions, next, validation, jobs
  ...range('TEAM', 1, 43, '-'), // identity, HTTP, launch, state, messages, questions, finders
];
