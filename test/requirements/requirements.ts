// The behaviours that tests answer for, by the ids of the contract.

/** `range('JOBS-X', 1, 3)`: JOBS-X.1, JOBS-X.2, JOBS-X.3. */
function range(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}.${from + index}`);
}

export const REQUIREMENTS: readonly string[] = [
  // The server and its options
  'JOBS-REQ-001.1.1',
  'JOBS-REQ-001.1.2',
  'JOBS-REQ-001.1.3',
  'JOBS-REQ-001.1.6',
  'JOBS-REQ-001.1.8',
  'JOBS-REQ-001.1.9',
  ...range('JOBS-REQ-001.1', 10, 12),
  // get_workflows
  ...range('JOBS-REQ-001.2', 1, 8),
  ...range('JOBS-X', 1, 3),
  // start_workflow
  ...range('JOBS-REQ-001.3', 1, 14),
  ...range('JOBS-X', 4, 6),
  // finished_step
  ...range('JOBS-REQ-001.4', 1, 10),
  ...range('JOBS-REQ-001.4', 15, 19),
  ...range('JOBS-REQ-001.5', 1, 8),
  'JOBS-X.7',
  'JOBS-X.8',
  'JOBS-X.10',
  ...range('JOBS-X', 12, 14),
  // abort_workflow and sessions
  ...range('JOBS-REQ-001.6', 1, 8),
  ...range('JOBS-X', 18, 20),
  // answers
  ...range('JOBS-REQ-001.7', 1, 2),
  // go_to_step, get_active_workflow, validate_step_outputs, server
  ...range('JOBS-X', 21, 24),
];
