// project_todowrite: replaces the project's list of todos.

import * as z from 'zod';
import type { Todo } from '../../core/team/state.ts';
import { todosText } from '../../core/team/texts.ts';
import { optionalText, textParameter } from '../parameters.ts';
import { defineTeamTool } from './define.ts';

const MAX_TODOS = 1000;

// Not strict: agents copy todos from their own lists, which have other keys and lack some of ours.
const todo = z.object({
  id: optionalText('Absent: given'),
  content: textParameter(),
  status: optionalText('pending, in_progress, completed, cancelled'),
  priority: optionalText('high, medium, low'),
  agent: optionalText(),
});

export const projectTodowrite = defineTeamTool({
  name: 'project_todowrite',
  description: "Replace the project's todo list.",
  input: z.strictObject({
    todos: z.array(todo).max(MAX_TODOS, { error: `has more than ${MAX_TODOS} items` }),
  }),
  readOnly: false,
  coordinatorOnly: true,
  async run({ workspace, caller }, { todos }) {
    return todosText(await workspace.team.writeTodos(caller, completed(todos)));
  },
});

/** Fills in what was left out; new ids differ from all given ones. */
function completed(todos: readonly z.infer<typeof todo>[]): Todo[] {
  const taken = new Set(todos.map(({ id }) => id));
  let last = 0;
  const nextId = (): string => {
    do last += 1;
    while (taken.has(String(last)));
    return String(last);
  };
  return todos.map(({ id, content, status, priority, agent }) => ({
    id: id || nextId(),
    content,
    status: status || 'pending',
    priority: priority || 'medium',
    ...(agent ? { agent } : {}),
  }));
}
