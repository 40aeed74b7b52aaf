// find_skills: what is written down about how to do things here.

import * as z from 'zod';
import { noteFinder } from '../../engine/note-finder.ts';
import { optionalText } from '../operation.ts';
import { defineTeamOperation } from './define.ts';

export const findSkills = defineTeamOperation({
  name: 'find_skills',
  description: 'List skills, or get the one of a name. Words of its text find it too.',
  input: z.strictObject({ name: optionalText('Name, path or words; empty: list all') }),
  readOnly: true,
  async run({ workspace, caller }, { name }) {
    await noteFinder(workspace, caller);
    return workspace.knowledge.skills.find(name ?? '');
  },
});
