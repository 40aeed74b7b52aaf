// workflow_get: a guide's definition, as written.

import { findTextWorkflow } from '../../engine/guides/find-guide.ts';
import { listOf, OBJECT, TEXT } from '../answer-schema.ts';
import { defineGuideTool, params } from './define.ts';
import { invalidParam } from './failures.ts';
import { optionalId } from './parameters.ts';

export const workflowGet = defineGuideTool({
  name: 'workflow_get',
  description: 'Get a guide as written. For a job: "job/workflow".',
  input: params({ id: optionalId("Guide's id"), workflowId: optionalId('The same') }),
  answer: { id: TEXT, name: TEXT, steps: listOf(OBJECT) },
  async run({ workspace }, input): Promise<object> {
    const wanted = input.id ?? input.workflowId ?? null;
    if (wanted === null) throw invalidParam('id', 'is required');
    if ((input.workflowId ?? wanted) !== wanted) {
      throw invalidParam('workflowId', 'differs from id');
    }
    const { definition } = await findTextWorkflow(workspace, wanted);
    return definition;
  },
});
