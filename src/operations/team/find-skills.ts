// find_skills: the project's skills, which describe how to do things.

import * as z from 'zod';
import { noteCaller } from '../../engine/note-caller.ts';
import { optionalText } from '../parameters.ts';
import { defineTeamTool } from './define.ts';

export const findSkills = defineTeamTool({
  name: 'find_skills',
  description: 'List skills, or get one by name, path or words of it.',
  input: z.strictObject({ name: optionalText('Empty: list all') }),
  readOnly: true,
  async run({ workspace, caller }, { name }) {
    await noteCaller(workspace, caller);
    return workspace.knowledge.skills.find(name ?? '');
  },
});
