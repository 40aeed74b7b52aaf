// The form of a job tool: a structured answer with every member always present and the stack,
// or a refusal with its word and the next move. A guide that runs as a session fails with a
// guide's own failures.

import * as z from 'zod';
import { refuse } from '../../core/refusal.ts';
import { listOf, OBJECT, object, type Schema } from '../answer-schema.ts';
import { type Misfit, tellMisfits } from '../arguments.ts';
import { presentFailure } from '../guides/failures.ts';
import { defineOperation, type Operation, type ToolDefinition } from '../operation.ts';
import { rpcCodeOf } from '../rpc-codes.ts';
import { refusalResult, structured } from '../tool-result.ts';

interface JobTool<Input, Answer extends object> extends ToolDefinition<Input, Answer> {
  /** The members of a successful answer; `stack` is added to each. */
  readonly answer: Readonly<Record<keyof Answer & string, Schema>> &
    Readonly<Record<string, Schema>>;
}

export function defineJobTool<Input, Answer extends object>({
  answer,
  ...definition
}: JobTool<Input, Answer>): Operation<Input, Answer> {
  const { name, input } = definition;
  return defineOperation<Input, Answer>(definition, {
    toolset: 'jobs',
    outputSchema: object({ stack: listOf(OBJECT), ...answer }),
    showsStack: true,
    present: (given, stack) => structured({ ...given, stack }),
    presentRefusal: (refusal) =>
      rpcCodeOf(refusal) === null
        ? refusalResult(refusal)
        : presentFailure(refusal, { withNext: true }),
    refuseArguments: (misfits) =>
      refuse(
        'invalid_arguments',
        `Invalid arguments for ${name}: ${tellMisfits(misfits)}`,
        `correct the arguments and call ${name} again.${aboutMissing(input, misfits)}`,
      ),
  });
}

/** What each required parameter that is missing is for. */
function aboutMissing(input: z.ZodType, misfits: readonly Misfit[]): string {
  if (!(input instanceof z.ZodObject)) return '';
  return misfits
    .filter(({ isMissing }) => isMissing)
    .map(({ path: [name] }) => ` ${String(name)}: ${input.shape[String(name)].description}.`)
    .join('');
}
