// The form of a team tool: it answers in prose, so it has no output schema. A refusal is written
// as `Error: <message>`, and on a line of its own what to do next.

import { refuse } from '../../core/refusal.ts';
import type { FormsWanted } from '../../engine/person/forms.ts';
import { tellMisfits } from '../arguments.ts';
import { defineOperation, type Operation, type ToolDefinition } from '../operation.ts';
import { rpcCodeOf } from '../rpc-codes.ts';
import { prose, refusalInProse } from '../tool-result.ts';

/** The answer as an agent reads it, or what a person must be shown first. */
type Answer = string | FormsWanted;

export function defineTeamTool<Input>(
  definition: ToolDefinition<Input, Answer>,
): Operation<Input, Answer> {
  return defineOperation<Input, Answer>(definition, {
    toolset: 'team',
    outputSchema: null,
    showsStack: false,
    present: (answer) =>
      typeof answer === 'string' ? prose(answer) : { content: [], forms: answer },
    presentRefusal(refusal) {
      const code = rpcCodeOf(refusal);
      if (code === null) return refusalInProse(refusal);
      return { content: [], protocolError: { code, message: refusal.message } };
    },
    // A promised sentence; nothing is added to it.
    refuseArguments: (misfits) =>
      refuse('invalid_arguments', `Invalid arguments: ${tellMisfits(misfits)}`),
  });
}
