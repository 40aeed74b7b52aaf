// workflow_get: a guide's definition, as it is written.

import { listOf, OBJECT, TEXT } from '../../engine/answer-schema.ts';
import { invalidParam } from '../../engine/guides/failures.ts';
import { findWalkable } from '../../engine/guides/find-guide.ts';
import { defineGuideOperation } from './define.ts';
import { id, optional, told } from './params.ts';

export const workflowGet = defineGuideOperation({
  name: 'workflow_get',
  description: 'Get a guide as it is written. For a job: "job/workflow".',
  params: { id: optional(told(id, "Guide's id")), workflowId: optional(told(id, 'The same')) },
  answer: { id: TEXT, name: TEXT, steps: listOf(OBJECT) },
  async run({ workspace }, input): Promise<object> {
    const wanted = input.id ?? input.workflowId;
    if (wanted === null) throw invalidParam('id', 'is required');
    if (input.workflowId !== null && input.workflowId !== wanted) {
      throw invalidParam('workflowId', 'differs from id');
    }
    const { definition } = await findWalkable(workspace, wanted);
    return definition as object;
  },
});
