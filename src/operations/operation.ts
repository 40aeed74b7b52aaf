// The shape of an operation. Each tool is written once, in a file of its own, and listed in
// `table.ts`; MCP tools, direct methods and `deepwork call` are made from that table. Its
// toolset gives it its form: how answers, refusals and arguments that do not fit are put.
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
import type { StackItem } from '../sessions/stacks.ts';
import type { JsonSchema, Schema } from './answer-schema.ts';
import { compactSchema, type Misfit, readArguments } from './arguments.ts';
import type { ToolResult } from './tool-result.ts';
import type { Toolset } from './toolsets.ts';

export interface Operation<Input = unknown, Answer = unknown> {
  readonly name: string;
  readonly description: string;
  /** Which part of deepwork it belongs to. */
  readonly toolset: Toolset;
  /** For everybody but the coordinator it does not exist. */
  readonly coordinatorOnly: boolean;
  readonly readOnly: boolean;
  /** Clients that show only names at first are asked to load it at once. */
  readonly loadAtOnce?: boolean;
  /** As it is shown to the coordinator, or to any other agent. */
  inputSchema(coordinator: boolean): JsonSchema;
  /** Null: the answer is prose. */
  readonly outputSchema: JsonSchema | null;
  /** Judges arguments as they came from outside; refused if they do not fit. */
  parse(given: unknown): Input;
  run(context: CallContext, input: Input): Promise<Answer>;
  /** Whether an answer shows the stack as it is after the call. */
  readonly showsStack: boolean;
  present(answer: Answer, stack: readonly StackItem[]): ToolResult;
  presentRefusal(refusal: Refusal): ToolResult;
}

/** What a tool says of itself; `ToolDefinition` and `Form` together are an operation. */
export interface ToolDefinition<Input, Answer> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Values of parameters by who calls. They are listed; the operation itself judges them. */
  readonly choices?: (coordinator: boolean) => Readonly<Record<string, readonly string[]>>;
  readonly readOnly: boolean;
  readonly loadAtOnce?: boolean;
  readonly coordinatorOnly?: boolean;
  run(context: CallContext, input: Input): Promise<Answer>;
}

/** What its toolset adds. */
export interface Form<Answer>
  extends Pick<
    Operation<unknown, Answer>,
    'toolset' | 'outputSchema' | 'showsStack' | 'present' | 'presentRefusal'
  > {
  refuseArguments(misfits: readonly Misfit[]): Refusal;
}

export function defineOperation<Input, Answer>(
  { input, choices, coordinatorOnly = false, ...definition }: ToolDefinition<Input, Answer>,
  { refuseArguments, ...form }: Form<Answer>,
): Operation<Input, Answer> {
  return {
    ...definition,
    ...form,
    coordinatorOnly,
    inputSchema: (coordinator) => withChoices(compactSchema(input), choices?.(coordinator)),
    parse(given) {
      const read = readArguments(input, given);
      if ('input' in read) return read.input;
      throw new Refused(refuseArguments(read.misfits));
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
