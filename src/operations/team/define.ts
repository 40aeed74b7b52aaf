// The shape of a team tool: it answers in prose, so it has no output schema, and some
// are for the coordinator alone; for everybody else those do not exist.

import type * as z from 'zod';
import { Refused, refuse } from '../../core/refusal.ts';
import { type CallContext, compactSchema, type Operation, readArguments } from '../operation.ts';

interface TeamOperation<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly readOnly: boolean;
  readonly coordinatorOnly?: boolean;
  /** The answer as an agent reads it. A `Refused` is told as `Error: <message>`. */
  run(context: CallContext, input: Input): Promise<string>;
}

export interface Prose {
  readonly text: string;
}

export function defineTeamOperation<Input>(
  operation: TeamOperation<Input>,
): Operation<Input, Prose> {
  const { name, description, input, readOnly, coordinatorOnly = false, run } = operation;
  return {
    name,
    description,
    face: 'team',
    coordinatorOnly,
    readOnly,
    inputSchema: () => compactSchema(input),
    outputSchema: null,
    parse: (given) => {
      const read = readArguments(input, given);
      if ('input' in read) return read.input;
      throw teamRefusal(`Invalid arguments: ${read.problems.join('; ')}`);
    },
    run: async (context, input) => ({ text: await run(context, input) }),
  };
}

/** Team tools say no in one promised sentence; nothing is added to it. */
export function teamRefusal(message: string): Refused {
  return new Refused(refuse('team', message));
}
