// Runs a workflow as an agent does, checking each answer.

import { outputOf } from './projects.mjs';

/**
 * @param {import('./wire.mjs').Wire} server
 * @param {string} job
 * @returns {Promise<string>} the session's id
 */
export async function start(server, job) {
  const { begin_step } = await server.call('start_workflow', {
    goal: 'Measure how long this takes',
    job_name: job,
    workflow_name: 'main',
  });
  return begin_step.session_id;
}

/**
 * @param {import('./wire.mjs').Wire} server
 * @param {string} step
 * @param {'next_step' | 'workflow_complete'} expected
 * @returns {Promise<number>} milliseconds
 */
export async function finish(server, step, expected) {
  const began = performance.now();
  const { result, at } = await server.request('tools/call', {
    name: 'finished_step',
    arguments: { outputs: { result: outputOf(step) } },
  });
  if (result.structuredContent?.status !== expected) {
    throw new Error(`finished_step of ${step}: ${result.content[0]?.text}`);
  }
  return at - began;
}

/** Finishes all steps of a workflow; the last one completes it. */
export async function finishAll(server, steps) {
  for (const step of steps) {
    await finish(server, step, step === steps.at(-1) ? 'workflow_complete' : 'next_step');
  }
}
