// workflow_list: every guide, sorted by id, and what is wrong with the files that are invalid.

import { problemOf } from '../../definitions/reader/issues.ts';
import { listOf, OBJECT, object, TEXT } from '../answer-schema.ts';
import { RPC_CODES } from '../rpc-codes.ts';
import { defineGuideTool, params } from './define.ts';

export const workflowList = defineGuideTool({
  name: 'workflow_list',
  description: 'List the guides to walk with workflow_next.',
  input: params({}),
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
        ? {
            errors: errors.map(({ id, file, code, problems }) => {
              return { id, file, code: RPC_CODES[code], problems: problems.map(problemOf) };
            }),
          }
        : {}),
    };
  },
});
