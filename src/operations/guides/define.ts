// How a guide tool reads its parameters and presents its result or failure: the same as an MCP tool
// and as a direct JSON-RPC method.

import * as z from 'zod';
import type { Refusal } from '../../core/refusal.ts';
import {
  answerOrFailure,
  object,
  optionalMember,
  type Schema,
  TEXT,
  WHOLE,
} from '../answer-schema.ts';
import { type InvalidArgument, writtenPath } from '../arguments.ts';
import { defineOperation, type Operation, type ToolDefinition } from '../operation.ts';
import { structured } from '../tool-result.ts';
import { FAILURE_DATA, invalidParam, presentFailure } from './failures.ts';

interface GuideTool<Input, Answer extends object>
  extends Pick<ToolDefinition<Input, Answer>, 'name' | 'description' | 'input' | 'run'> {
  /** What to do if a parameter is missing, by its name. */
  readonly ifMissing?: Readonly<Record<string, string>>;
  readonly answer: Schema<Answer>;
}

const FAILURE = object<{ code: number; message: string; data?: object }>({
  code: WHOLE,
  message: TEXT,
  data: optionalMember(FAILURE_DATA),
});

export function defineGuideTool<Input, Answer extends object>({
  ifMissing = {},
  answer,
  ...definition
}: GuideTool<Input, Answer>): Operation<Input, Answer> {
  return defineOperation<Input, Answer>(
    { ...definition, readOnly: true },
    {
      toolset: 'guides',
      outputSchema: answerOrFailure(answer, FAILURE),
      // A guide has no state.
      showsStack: false,
      present: structured,
      presentRefusal: (refusal) => presentFailure(refusal, { withNext: false }),
      refuseArguments: (problems) => refuseFirst(problems, ifMissing),
    },
  );
}

/** An object with these parameters and no others. */
export function params<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: 'must be an object' });
}

/** Names the first invalid parameter; a missing one may have been given under another name. */
function refuseFirst(
  problems: readonly InvalidArgument[],
  ifMissing: Readonly<Record<string, string>>,
): Refusal {
  const [first] = problems as readonly [InvalidArgument, ...InvalidArgument[]];
  const field = writtenPath(first.path) || 'params';
  const unknown = problems.find(({ meant }) => meant !== undefined);
  const isMisnamed = first === unknown || (first.isMissing && unknown?.meant === field);
  const next =
    isMisnamed && unknown?.meant
      ? `write ${unknown.meant} instead of ${writtenPath(unknown.path)} and call again.`
      : first.isMissing && ifMissing[field];
  return invalidParam(field, first.reason, next).refusal;
}
