// find_skills: what is written down about how to do things here.

import * as z from 'zod';
import { noteFinder } from '../../engine/note-finder.ts';
import { optionalText } from '../operation.ts';
import { defineTeamOperation } from './define.ts';

export const findSkills = defineTeamOperation({
  name: 'find_skills',
  description: 'List skills, or get one by name, path or words of its text.',
  input: z.strictObject({ name: optionalText('Empty: list all') }),
  readOnly: true,
  async run({ workspace, caller }, { name }) {
    await noteFinder(workspace, caller);
    return workspace.knowledge.skills.find(name ?? '');
  },
});
