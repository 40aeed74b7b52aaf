// How a team tool presents its results: as prose, so it has no output schema. A refusal is
// `Error: <message>`, with the next move on a line of its own.

import { refuse } from '../../core/refusal.ts';
import type { FormsWanted } from '../../engine/person/forms.ts';
import { describeProblems } from '../arguments.ts';
import { defineOperation, type Operation, type ToolDefinition } from '../operation.ts';
import { rpcCodeOf } from '../rpc-codes.ts';
import { prose, refusalInProse } from '../tool-result.ts';

/** The text for the agent, or the forms to show to a person first. */
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
    // The sentence is promised, so nothing is added to it.
    refuseArguments: (problems) =>
      refuse('invalid_arguments', `Invalid arguments: ${describeProblems(problems)}`),
  });
}
