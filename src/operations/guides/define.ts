// The shape of a guide tool: as an MCP tool and as a direct JSON-RPC method it takes the
// same parameters and gives the same result or failure.

import { object, type Schema } from '../../engine/answer-schema.ts';
import type { CallContext } from '../../engine/call-context.ts';
import type { Operation } from '../operation.ts';
import { paramsSchema, readParams } from './params.ts';

interface GuideOperation<Input, Answer extends object> {
  readonly name: string;
  readonly description: string;
  readonly params: Parameters<typeof paramsSchema<Input>>[0];
  /** The members of a result; a failure has `error` instead. */
  readonly answer: Readonly<Record<string, Schema>>;
  run(context: CallContext, input: Input): Promise<Answer>;
}

export function defineGuideOperation<Input, Answer extends object>(
  operation: GuideOperation<Input, Answer>,
): Operation<Input, Answer> {
  const { name, description, params, answer, run } = operation;
  return {
    name,
    description,
    toolset: 'guides',
    coordinatorOnly: false,
    readOnly: true,
    inputSchema: () => paramsSchema<Input>(params),
    outputSchema: object(answer),
    parse: (given) => readParams<Input>(params, given),
    run,
  };
}
