// The form of a guide tool: as an MCP tool and as a direct JSON-RPC method it takes the same
// parameters and gives the same result or failure.

import * as z from 'zod';
import type { Refusal } from '../../core/refusal.ts';
import { object, type Schema } from '../answer-schema.ts';
import { type Misfit, writtenPath } from '../arguments.ts';
import { defineOperation, type Operation, type ToolDefinition } from '../operation.ts';
import { structured } from '../tool-result.ts';
import { invalidParam, presentFailure } from './failures.ts';

interface GuideTool<Input, Answer extends object>
  extends Pick<ToolDefinition<Input, Answer>, 'name' | 'description' | 'input' | 'run'> {
  /** What to do where a parameter is missing, if that is not obvious. */
  readonly ifMissing?: Readonly<Record<string, string>>;
  /** The members of a result; a failure has `error` instead. */
  readonly answer: Readonly<Record<string, Schema>>;
}

export function defineGuideTool<Input, Answer extends object>({
  ifMissing = {},
  answer,
  ...definition
}: GuideTool<Input, Answer>): Operation<Input, Answer> {
  return defineOperation<Input, Answer>(
    { ...definition, readOnly: true },
    {
      toolset: 'guides',
      outputSchema: object(answer),
      // A guide has no state.
      showsStack: false,
      present: structured,
      presentRefusal: (refusal) => presentFailure(refusal, { withNext: false }),
      refuseArguments: (misfits) => refuseFirst(misfits, ifMissing),
    },
  );
}

/** No others than these. */
export function params<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: 'must be an object' });
}

/** The first that does not fit is named; if it is missing, it may be there under another name. */
function refuseFirst(
  misfits: readonly Misfit[],
  ifMissing: Readonly<Record<string, string>>,
): Refusal {
  const [first] = misfits as readonly [Misfit, ...Misfit[]];
  const field = writtenPath(first.path) || 'params';
  const unknown = misfits.find(({ meant }) => meant !== undefined);
  const isMisnamed = first === unknown || (first.isMissing && unknown?.meant === field);
  const next =
    isMisnamed && unknown?.meant
      ? `write ${unknown.meant} instead of ${writtenPath(unknown.path)} and call again.`
      : first.isMissing && ifMissing[field];
  return invalidParam(field, first.reason, next).refusal;
}
