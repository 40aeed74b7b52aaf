// How a job tool presents its results: a structured answer with all members and the stack, or a
// refusal with its code and the next move. A guide that runs as a session fails with the failures of
// guides.

import * as z from 'zod';
import { refuse } from '../../core/refusal.ts';
import type { CallContext } from '../../engine/call-context.ts';
import type { StackItem } from '../../sessions/stack-items.ts';
import {
  answerOrFailure,
  listOf,
  type Members,
  object,
  optionalMember,
  or,
  orNull,
  TEXT,
} from '../answer-schema.ts';
import { describeProblems, type InvalidArgument } from '../arguments.ts';
import { FAILURE_DATA, presentFailure } from '../guides/failures.ts';
import { defineOperation, type Operation, type ToolDefinition } from '../operation.ts';
import { rpcCodeOf } from '../rpc-codes.ts';
import { refusalResult, structured } from '../tool-result.ts';

interface JobTool<Input, Answer extends object> extends ToolDefinition<Input, Answer> {
  /** The members of a successful answer; `stack` is added to each. */
  readonly answer: Members<NoInfer<Answer>>;
}

const STACK = listOf(object<StackItem>({ workflow: TEXT, step: TEXT, session_id: TEXT }));

/** The number and the data are a guide's. */
const FAILURE = object<{
  code: string | number;
  message: string;
  next: string | null;
  data?: object;
}>({
  code: or(TEXT, 'integer'),
  message: TEXT,
  next: orNull(TEXT),
  data: optionalMember(FAILURE_DATA),
});

export function defineJobTool<Input, Answer extends object>({
  answer,
  ...definition
}: JobTool<Input, Answer>): Operation<Input, Answer> {
  const { name, input } = definition;
  return defineOperation<Input, Answer>(definition, {
    toolset: 'jobs',
    outputSchema: answerOrFailure(object<object>({ ...answer, stack: STACK }), FAILURE),
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
