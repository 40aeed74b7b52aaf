// workflow_list: every guide, sorted by id, and what is wrong with the files that are invalid.

import type { Guide } from '../../definitions/guides/guide-model.ts';
import { type Problem, problemOf } from '../../definitions/reader/issues.ts';
import { listOf, object, optionalMember, TEXT, WHOLE } from '../answer-schema.ts';
import { RPC_CODES } from '../rpc-codes.ts';
import { defineGuideTool, params } from './define.ts';
import { PROBLEMS } from './failures.ts';

type ListedGuide = Pick<Guide, 'id' | 'name' | 'description' | 'category' | 'version'>;

interface ListedError {
  readonly id: string;
  readonly file: string;
  readonly code: number;
  readonly problems: readonly Problem[];
}

interface GuideList {
  readonly workflows: readonly ListedGuide[];
  /** Left out if there are none. */
  readonly errors?: readonly ListedError[];
}

export const workflowList = defineGuideTool({
  name: 'workflow_list',
  description: 'List the guides to walk with workflow_next.',
  input: params({}),
  answer: object<GuideList>({
    workflows: listOf(
      object<ListedGuide>({
        id: TEXT,
        name: TEXT,
        description: TEXT,
        category: TEXT,
        version: TEXT,
      }),
    ),
    errors: optionalMember(
      listOf(object<ListedError>({ id: TEXT, file: TEXT, code: WHOLE, problems: PROBLEMS })),
    ),
  }),
  async run({ workspace }): Promise<GuideList> {
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
