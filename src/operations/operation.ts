// The shape of an operation. Each tool is written once, in a file of its own, and listed in
// `table.ts`; MCP tools, direct methods and `deepwork call` are made from that table. Its toolset
// decides how answers, refusals and invalid arguments are presented.
//
//   export const abortWorkflow = defineJobTool({
//     name: 'abort_workflow',
//     description: 'Give up a workflow …',
//     input: z.strictObject({ explanation: text('Why') }),
//     answer: { aborted_workflow: TEXT, … },
//     readOnly: false,
//     run: async (context, input) => ({ … }),
//   });

import type * as z from 'zod';
import { type Refusal, Refused } from '../core/refusal.ts';
import type { CallContext } from '../engine/call-context.ts';
import type { StackItem } from '../sessions/stack-items.ts';
import type { JsonSchema } from './answer-schema.ts';
import { compactSchema, type InvalidArgument, readArguments } from './arguments.ts';
import type { ToolResult } from './tool-result.ts';
import type { Toolset } from './toolsets.ts';

export interface Operation<Input = unknown, Answer = unknown> {
  readonly name: string;
  readonly description: string;
  readonly toolset: Toolset;
  /** Other agents do not see it. */
  readonly coordinatorOnly: boolean;
  readonly readOnly: boolean;
  /** Asks clients that show only the names of tools at first to load it at once. */
  readonly loadAtOnce?: boolean;
  /** As listed for the coordinator, or for any other agent. */
  inputSchema(coordinator: boolean): JsonSchema;
  /** Null: the answer is prose. */
  readonly outputSchema: JsonSchema | null;
  /** Throws `Refused` if the arguments are invalid. */
  parse(given: unknown): Input;
  run(context: CallContext, input: Input): Promise<Answer>;
  /** Whether answers contain the stack as it is after the call. */
  readonly showsStack: boolean;
  present(answer: Answer, stack: readonly StackItem[]): ToolResult;
  presentRefusal(refusal: Refusal): ToolResult;
}

/** What each tool defines; together with its toolset's `Presentation` it is an operation. */
export interface ToolDefinition<Input, Answer> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The values listed for parameters, depending on the caller; the operation itself checks them. */
  readonly choices?: (coordinator: boolean) => Readonly<Record<string, readonly string[]>>;
  readonly readOnly: boolean;
  readonly loadAtOnce?: boolean;
  readonly coordinatorOnly?: boolean;
  run(context: CallContext, input: Input): Promise<Answer>;
}

/** What the toolset defines for all of its tools. */
export interface Presentation<Answer>
  extends Pick<
    Operation<unknown, Answer>,
    'toolset' | 'outputSchema' | 'showsStack' | 'present' | 'presentRefusal'
  > {
  refuseArguments(problems: readonly InvalidArgument[]): Refusal;
}

export function defineOperation<Input, Answer>(
  { input, choices, coordinatorOnly = false, ...definition }: ToolDefinition<Input, Answer>,
  { refuseArguments, ...presentation }: Presentation<Answer>,
): Operation<Input, Answer> {
  return {
    ...definition,
    ...presentation,
    coordinatorOnly,
    inputSchema: (coordinator) => withChoices(compactSchema(input), choices?.(coordinator)),
    parse(given) {
      const read = readArguments(input, given);
      if ('input' in read) return read.input;
      throw new Refused(refuseArguments(read.problems));
    },
  };
}

function withChoices(
  schema: JsonSchema,
  choices: Readonly<Record<string, readonly string[]>> = {},
): JsonSchema {
  const properties = { ...(schema.properties as Record<string, object>) };
  for (const [name, values] of Object.entries(choices)) {
    // Null is taken, too, but models of some clients take only texts as listed values.
    properties[name] = { ...properties[name], type: 'string', enum: values };
  }
  return { ...schema, properties };
}
