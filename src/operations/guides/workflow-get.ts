// workflow_get: a guide's definition, as written.

import type { WrittenGuide, WrittenStep } from '../../definitions/guides/guide-model.ts';
import { findTextWorkflow } from '../../engine/guides/find-guide.ts';
import { listOf, openObject, sometimes, TEXT, TEXTS } from '../answer-schema.ts';
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
    version: sometimes(TEXT),
    category: sometimes(TEXT),
    summary: sometimes(TEXT),
    preconditions: sometimes(TEXTS),
    clarificationPrompts: sometimes(TEXTS),
    metaGuidance: sometimes(TEXTS),
    steps: listOf(
      openObject<WrittenStep>({
        ...SHOWN_STEP,
        validationCriteria: sometimes({ type: ['object', 'array', 'null'] }),
        guidance: sometimes(TEXTS),
        agentRole: sometimes(TEXT),
        modelHint: sometimes(TEXT),
        preface: sometimes(TEXT),
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
