// A way to call the finders: over MCP with the built binary as soon as the server lists
// them, else the operations themselves on a real workspace. The answers are the same.

import { onTestFinished } from 'vitest';
import { Refused } from '../../src/core/refusal.ts';
import type { CallContext, Operation } from '../../src/operations/operation.ts';
import { findOperation } from '../../src/operations/table.ts';
import { findSkills } from '../../src/operations/team/find-skills.ts';
import { findSnippets } from '../../src/operations/team/find-snippets.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { type Answer, connect, type Era } from '../support/connect.ts';

export interface Finders {
  skills(input?: Record<string, unknown>): Promise<Answer>;
  snippets(input?: Record<string, unknown>): Promise<Answer>;
}

export async function openFinders(root: string, era: Era): Promise<Finders> {
  if (findOperation(findSkills.name) === undefined) return openOperations(root);
  const { call } = await connect(root, { era });
  return {
    skills: (input) => call(findSkills.name, input),
    snippets: (input) => call(findSnippets.name, input),
  };
}

function openOperations(root: string): Finders {
  const workspace = openWorkspace({ projectRoot: root });
  onTestFinished(() => workspace.stop());
  const context: CallContext = {
    workspace,
    owner: { identity: 'test', process: 'test' },
    caller: { name: 'anybody', model: null, variant: null },
    signal: new AbortController().signal,
    progress: () => undefined,
    afterAnswer: () => undefined,
  };
  const answer =
    <Input>({ parse, run }: Operation<Input, { text: string }>) =>
    async (input: unknown): Promise<Answer> => {
      try {
        return { isError: false, data: undefined, ...(await run(context, parse(input))) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { isError: true, data: undefined, text: `Error: ${error.message}` };
      }
    };
  return { skills: answer(findSkills), snippets: answer(findSnippets) };
}

/** A skill or snippet with front matter. */
export function page(description: string, body = 'Do it well.'): string {
  return `---\ndescription: ${description}\n---\n${body}\n`;
}
