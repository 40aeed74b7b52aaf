// A refusal as every tool gives it: the message, then the next move on a separate line, and the same
// in the structured part. Reading one also checks that form.

import { expect } from 'vitest';
import type { Answer } from './calls.ts';
import type { Connection } from './connect.ts';
import { keptState } from './kept-state.ts';
import type { Project } from './project.ts';

export interface RefusalSeen {
  readonly code: string;
  readonly message: string;
  readonly next: string | null;
}

/** Calls a tool that must refuse, and returns its text. */
export async function refusal(
  connection: Pick<Connection, 'call'>,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<RefusalSeen> {
  return readRefusal(await connection.call(tool, args));
}

export function readRefusal(answer: Answer): RefusalSeen {
  expect(answer, 'the tool said yes').toMatchObject({ isError: true });
  expect(Object.keys(answer.data)).toEqual(['error']);
  const { code, message, next } = answer.data.error;
  expect(Object.keys(answer.data.error).sort()).toEqual(['code', 'message', 'next']);
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(answer.text).toBe(next === null ? message : `${message}\nNext: ${next}`);
  return { code, message, next };
}

/** Likewise; nothing that is stored of the project may change by it. */
export async function refusedUnchanged(
  project: Project,
  ...call: Parameters<typeof refusal>
): Promise<RefusalSeen> {
  const before = keptState(project);
  const refused = await refusal(...call);
  expect(keptState(project), 'changed by a refused call').toEqual(before);
  return refused;
}
