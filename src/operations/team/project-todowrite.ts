// project_todowrite: replaces the project's list of todos.

import * as z from 'zod';
import { todosText } from '../../core/team/texts.ts';
import { text } from '../operation.ts';
import { defineTeamOperation } from './define.ts';

const MAX_TODOS = 1000;

const todo = z.strictObject({
  id: text(),
  content: text(),
  status: text('pending, in_progress, completed or cancelled'),
  priority: text(),
  agent: text('Whose it is').optional(),
});

export const projectTodowrite = defineTeamOperation({
  name: 'project_todowrite',
  description: "Replace the project's todo list. Nobody can be done while theirs are pending.",
  input: z.strictObject({
    todos: z.array(todo).max(MAX_TODOS, { error: `has more than ${MAX_TODOS} items` }),
  }),
  readOnly: false,
  coordinatorOnly: true,
  async run({ workspace, caller }, { todos }) {
    const items = todos.map(({ agent, ...item }) => (agent ? { ...item, agent } : item));
    return todosText(await workspace.team.writeTodos(caller, items));
  },
});
