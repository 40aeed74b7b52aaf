// workflow_get: a guide's definition, as written.

import type { WrittenGuide, WrittenStep } from '../../definitions/guides/guide-model.ts';
import { findTextWorkflow } from '../../engine/guides/find-guide.ts';
import { listOf, openObject, optionalMember, TEXT, TEXTS } from '../answer-schema.ts';
import { defineGuideTool, params } from './define.ts';
import { invalidParam } from './failures.ts';
import { optionalId } from './parameters.ts';
import { SHOWN_STEP } from './workflow-next.ts';

export const workflowGet = defineGuideTool({
  name: 'workflow_get',
  description: 'Get a guide as written. For a job: "job/workflow".',
  input: params({ id: optionalId("Guide's id"), workflowId: optionalId('The same') }),
  // A guide is returned as written, and may have fields of other engines.
  answer: openObject<WrittenGuide>({
    id: TEXT,
    name: TEXT,
    description: TEXT,
    version: optionalMember(TEXT),
    category: optionalMember(TEXT),
    summary: optionalMember(TEXT),
    preconditions: optionalMember(TEXTS),
    clarificationPrompts: optionalMember(TEXTS),
    metaGuidance: optionalMember(TEXTS),
    steps: listOf(
      openObject<WrittenStep>({
        ...SHOWN_STEP,
        validationCriteria: optionalMember({ type: ['object', 'array', 'null'] }),
        guidance: optionalMember(TEXTS),
        agentRole: optionalMember(TEXT),
        modelHint: optionalMember(TEXT),
        preface: optionalMember(TEXT),
      }),
    ),
  }),
  async run({ workspace }, input): Promise<WrittenGuide> {
    const wanted = input.id ?? input.workflowId ?? null;
    if (wanted === null) throw invalidParam('id', 'is required');
    if ((input.workflowId ?? wanted) !== wanted) {
      throw invalidParam('workflowId', 'differs from id');
    }
    const { definition } = await findTextWorkflow(workspace, wanted);
    return definition;
  },
});
