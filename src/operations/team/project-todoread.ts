// project_todoread: the project's list of todos.

import * as z from 'zod';
import { todosText } from '../../core/team/texts.ts';
import { defineTeamTool } from './define.ts';

export const projectTodoread = defineTeamTool({
  name: 'project_todoread',
  description: "Read the project's todo list.",
  input: z.strictObject({}),
  readOnly: true,
  coordinatorOnly: true,
  async run({ workspace, caller }) {
    return todosText(await workspace.team.readTodos(caller));
  },
});
