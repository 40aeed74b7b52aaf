// The values of a nested workflow's inputs when it is started.

import type { Context } from '../conditions.ts';
import type { OutputRef, RunEntry } from '../workflow.ts';
import type { HandedIn } from './facts.ts';

/** By input name; inputs without a value are absent. */
export function runInputs(
  { inputs }: RunEntry,
  context: Context,
  handedIn: (output: OutputRef) => readonly HandedIn[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    inputs.flatMap((input): [string, unknown][] => {
      if ('value' in input) return [[input.name, input.value]];
      if ('output' in input) return handedIn(input.output).map(({ paths }) => [input.name, paths]);
      return Object.hasOwn(context, input.from) ? [[input.name, context[input.from]]] : [];
    }),
  );
}
