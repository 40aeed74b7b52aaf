// find_snippets: pieces of code that are known to be good here, by language.

import * as z from 'zod';
import { noteFinder } from '../../engine/note-finder.ts';
import { optionalText } from '../operation.ts';
import { defineTeamOperation } from './define.ts';

export const findSnippets = defineTeamOperation({
  name: 'find_snippets',
  description: 'List languages, the code snippets of one, or get a snippet.',
  input: z.strictObject({
    language: optionalText('Empty: all; without a query, list languages'),
    query: optionalText('Name or words; empty: list all of the language'),
  }),
  readOnly: true,
  async run({ workspace, caller }, { language, query }) {
    await noteFinder(workspace, caller);
    return workspace.knowledge.snippets.find(language ?? '', query ?? '');
  },
});
