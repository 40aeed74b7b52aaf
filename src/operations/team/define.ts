// The shape of a team tool: it answers in prose, so it has no output schema, and some
// are for the coordinator alone; for everybody else those do not exist.

import type * as z from 'zod';
import { Refused, refuse } from '../../core/refusal.ts';
import type { JsonSchema, Schema } from '../../engine/answer-schema.ts';
import type { CallContext } from '../../engine/call-context.ts';
import type { FormsWanted } from '../../engine/forms.ts';
import { compactSchema, type Operation, readArguments } from '../operation.ts';

interface TeamOperation<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Values of parameters by who calls. They are listed; the operation itself judges them. */
  readonly choices?: (coordinator: boolean) => Readonly<Record<string, readonly string[]>>;
  readonly readOnly: boolean;
  readonly coordinatorOnly?: boolean;
  /**
   * The answer as an agent reads it, or what a person must be shown first. A `Refused` is
   * told as `Error: <message>`, and on a line of its own what to do next.
   */
  run(context: CallContext, input: Input): Promise<string | FormsWanted>;
}

export interface Prose {
  readonly text: string;
  /** Before there is an answer: forms for the person in front of the client. */
  readonly forms?: FormsWanted;
}

export function defineTeamOperation<Input>(
  operation: TeamOperation<Input>,
): Operation<Input, Prose> {
  const { name, description, input, choices, readOnly, coordinatorOnly = false, run } = operation;
  return {
    name,
    description,
    toolset: 'team',
    coordinatorOnly,
    readOnly,
    inputSchema: (coordinator) => withChoices(compactSchema(input), choices?.(coordinator)),
    outputSchema: null,
    parse: (given) => {
      const read = readArguments(input, given);
      if ('input' in read) return read.input;
      // A promised sentence; nothing is added to it.
      const message = `Invalid arguments: ${read.problems.join('; ')}`;
      throw new Refused(refuse('invalid_arguments', message));
    },
    run: async (context, input) => {
      const answer = await run(context, input);
      return typeof answer === 'string' ? { text: answer } : { text: '', forms: answer };
    },
  };
}

function withChoices(
  schema: JsonSchema,
  choices: Readonly<Record<string, readonly string[]>> = {},
): JsonSchema {
  const properties = { ...(schema.properties as Record<string, Schema>) };
  for (const [name, values] of Object.entries(choices)) {
    properties[name] = { ...properties[name], enum: values };
  }
  return { ...schema, properties };
}
