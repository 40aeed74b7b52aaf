// The list of all operations: what agents can call over MCP, and a person with `deepwork call`.

import { workflowGet } from './guides/workflow-get.ts';
import { workflowList } from './guides/workflow-list.ts';
import { workflowNext } from './guides/workflow-next.ts';
import { workflowValidate } from './guides/workflow-validate.ts';
import { abortWorkflow } from './jobs/abort-workflow.ts';
import { finishedStep } from './jobs/finished-step.ts';
import { getActiveWorkflow } from './jobs/get-active-workflow.ts';
import { getWorkflows } from './jobs/get-workflows.ts';
import { goToStep } from './jobs/go-to-step.ts';
import { startWorkflow } from './jobs/start-workflow.ts';
import { validateStepOutputs } from './jobs/validate-step-outputs.ts';
import type { Operation } from './operation.ts';
import { askUserQuestion } from './team/ask-user-question.ts';
import { checkInbox } from './team/check-inbox.ts';
import { checkOutbox } from './team/check-outbox.ts';
import { findSkills } from './team/find-skills.ts';
import { findSnippets } from './team/find-snippets.ts';
import { peekMessageBus } from './team/peek-message-bus.ts';
import { projectTodoread } from './team/project-todoread.ts';
import { projectTodowrite } from './team/project-todowrite.ts';
import { sendMessage } from './team/send-message.ts';
import { updateWorkflowState } from './team/update-workflow-state.ts';
import type { Toolset } from './toolsets.ts';

export const operations: readonly Operation[] = [
  getWorkflows,
  startWorkflow,
  finishedStep,
  abortWorkflow,
  goToStep,
  getActiveWorkflow,
  validateStepOutputs,
  workflowList,
  workflowGet,
  workflowNext,
  workflowValidate,
  findSkills,
  findSnippets,
  updateWorkflowState,
  sendMessage,
  checkInbox,
  checkOutbox,
  peekMessageBus,
  projectTodowrite,
  projectTodoread,
  askUserQuestion,
] as readonly Operation[];

/** Which tools a caller sees: the chosen toolsets, and the coordinator's tools if it is one. */
export interface Audience {
  readonly toolsets: readonly Toolset[];
  readonly coordinator: boolean;
}

export function operationsFor({ toolsets, coordinator }: Audience): readonly Operation[] {
  return operations.filter(
    ({ toolset, coordinatorOnly }) =>
      toolsets.includes(toolset) && (coordinator || !coordinatorOnly),
  );
}

/** With an audience, only among the tools that it sees. */
export function findOperation(name: string, audience?: Audience): Operation | undefined {
  const known = audience === undefined ? operations : operationsFor(audience);
  return known.find((operation) => operation.name === name);
}
