// workflow_list: every guide, sorted by id, and what is wrong with the files that are
// none.

import { listOf, OBJECT, object, TEXT } from '../../engine/answer-schema.ts';
import { defineGuideOperation } from './define.ts';
import { rpcCode } from './rpc-codes.ts';

export const workflowList = defineGuideOperation({
  name: 'workflow_list',
  description: 'List the guides: workflows to walk with workflow_next.',
  params: {},
  answer: {
    workflows: listOf(object({ id: TEXT, name: TEXT, description: TEXT })),
    errors: listOf(OBJECT),
  },
  async run({ workspace }) {
    const { guides, errors } = await workspace.guides.list();
    return {
      workflows: guides.map(({ id, name, description, summary, category, version }) => ({
        id,
        name,
        description: summary ?? description,
        category,
        version,
      })),
      ...(errors.length > 0
        ? { errors: errors.map((error) => ({ ...error, code: rpcCode(error.code) })) }
        : {}),
    };
  },
});
