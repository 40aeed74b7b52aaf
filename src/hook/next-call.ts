// The exact call that submits the open step, for an agent that has lost its context.

import type { BeginStep } from '../engine/answer-types.ts';

/** `finished_step` with its arguments as JSON; paths and reports are left for the agent to fill in. */
export function nextCall(begin: BeginStep): string {
  const outputs = Object.fromEntries(
    begin.step_expected_outputs
      .filter(({ required }) => required)
      .map(({ name, type }) => [name, type === 'file' ? '<path>' : ['<path>']]),
  );
  const reports = (begin.step_reports ?? [])
    .filter(({ required }) => required)
    .map(({ name, type }) => [name, `<${type}>`]);
  const call = {
    session_id: begin.session_id,
    ...(begin.concurrent_steps.length > 0 && { step_id: begin.step_id }),
    outputs,
    ...(reports.length > 0 && { context: Object.fromEntries(reports) }),
  };
  return `finished_step ${JSON.stringify(call)}`;
}

/** One line for each output, followed by the messages of its rules. */
export function expectedOutputs(begin: BeginStep): string[] {
  return begin.step_expected_outputs.flatMap(
    ({ name, type, required, description, refused_with = [] }) => [
      `- ${name} (${type}, ${required ? 'required' : 'optional'}): ${description}`,
      ...refused_with.map((message) => `  - refused with: ${message}`),
    ],
  );
}
