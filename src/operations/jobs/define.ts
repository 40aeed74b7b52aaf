// How a job tool presents its results: a structured answer with all members and the stack, or a
// refusal with its code and the next move. A guide that runs as a session fails with the failures of
// guides.

import * as z from 'zod';
import { refuse } from '../../core/refusal.ts';
import type { CallContext } from '../../engine/call-context.ts';
import { listOf, OBJECT, object, type Schema } from '../answer-schema.ts';
import { describeProblems, type InvalidArgument } from '../arguments.ts';
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
    refuseArguments: (problems) =>
      refuse(
        'invalid_arguments',
        `Invalid arguments for ${name}: ${describeProblems(problems)}`,
        `correct the arguments and call ${name} again.${aboutMissing(input, problems)}`,
      ),
  });
}

/** Runs equal calls of one caller one after the other, each once the earlier answer has arrived. */
export function inTurn<Input, Answer>(
  name: string,
  act: (context: CallContext, input: Input) => Promise<Answer>,
) {
  return (context: CallContext, input: Input): Promise<Answer> => {
    const call = JSON.stringify([name, context.owner.identity, input]);
    const { answers } = context.workspace;
    return answers.inTurn(call, context.afterAnswer, () => act(context, input));
  };
}

/** The description of each missing required parameter. */
function aboutMissing(input: z.ZodType, problems: readonly InvalidArgument[]): string {
  if (!(input instanceof z.ZodObject)) return '';
  return problems
    .filter(({ isMissing }) => isMissing)
    .map(({ path: [name] }) => ` ${String(name)}: ${input.shape[String(name)].description}.`)
    .join('');
}
