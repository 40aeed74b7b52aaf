// find_snippets: the project's code snippets, by language.

import * as z from 'zod';
import { noteCaller } from '../../engine/note-caller.ts';
import { optionalText } from '../parameters.ts';
import { defineTeamTool } from './define.ts';

export const findSnippets = defineTeamTool({
  name: 'find_snippets',
  description: 'List languages, the code snippets of one, or get a snippet.',
  input: z.strictObject({
    language: optionalText('Empty: all'),
    query: optionalText('Name or words; empty: list'),
  }),
  readOnly: true,
  async run({ workspace, caller }, { language, query }) {
    await noteCaller(workspace, caller);
    return workspace.knowledge.snippets.find(language ?? '', query ?? '');
  },
});
