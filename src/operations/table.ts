// Every operation, once. What an agent can call over MCP and a person with
// `deepwork call` is exactly this list.

import { abortWorkflow } from './abort-workflow.ts';
import { finishedStep } from './finished-step.ts';
import { getActiveWorkflow } from './get-active-workflow.ts';
import { getWorkflows } from './get-workflows.ts';
import { goToStep } from './go-to-step.ts';
import type { Operation } from './operation.ts';
import { startWorkflow } from './start-workflow.ts';
import { validateStepOutputs } from './validate-step-outputs.ts';

export const operations: readonly Operation[] = [
  getWorkflows,
  startWorkflow,
  finishedStep,
  abortWorkflow,
  goToStep,
  getActiveWorkflow,
  validateStepOutputs,
] as readonly Operation[];

export function findOperation(name: string): Operation | undefined {
  return operations.find((operation) => operation.name === name);
}
