import * as z from 'zod';
import type { Owner } from '../core/session/state.ts';
import type { Workspace } from './workspace.ts';
export interface CallContext {
    readonly workspace: Workspace;
    /** Whose stack the call works on. */
    readonly owner: Owner;
    /** Aborted when the client gives the call up. */
    readonly signal: AbortSignal;
    /** Tells the client what goes on during a long call. */
    readonly progress: (message: string) => void;
}
export interface Operation<Input = unknown, Answer extends object = object> {
    readonly name: string;
    readonly description: string;
    readonly input: z.ZodType<Input>;
    /** The keys of a successful answer, all always present; `stack` is added to each. */
    readonly answer: readonly (keyof Answer & string)[];
    readonly readOnly: boolean;
    run(context: CallContext, input: Input): Promise<Answer>;
}
export declare function defineOperation<Input, Answer extends object>(operation: Operation<Input, Answer>): Operation<Input, Answer>;
/** A text parameter. */
export declare function text(description?: string): z.ZodString;
/** A text parameter that may be left out or null. */
export declare function optionalText(description?: string): z.ZodOptional<z.ZodNullable<z.ZodString>>;
/** Facts for `when` conditions. */
export declare function contextParameter(): z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
/** Output names to paths, or a bare list of paths. */
export declare function outputsParameter(description?: string): z.ZodUnion<readonly [z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodArray<z.ZodUnknown>]>;
/** Judges arguments as they came from outside. */
export declare function parseArguments<Input>(operation: Operation<Input>, given: unknown): Input;
