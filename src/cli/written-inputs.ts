// The inputs of a workflow on a command line: `name=value`, which is text until the declared type is
// known, or a JSON object, whose values already have their types.

import { readWritten, type VariableType } from '../core/variables.ts';
import { UsageError } from './command-line.ts';

/** A value given for an input, or for a variable of the context; its type says what it means. */
export class WrittenValue {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Inputs = Readonly<Record<string, unknown>>;

/** Each is `name=value` or a JSON object; the last value of a name counts. */
export function readInputs(given: readonly string[]): Inputs {
  return Object.assign({}, ...given.map(readInput));
}

function readInput(given: string): Inputs {
  if (/^\s*\{/.test(given)) return parsed(given);
  const at = given.indexOf('=');
  if (at < 1) throw new UsageError(`--inputs ${given} is not of the form name=value`);
  return { [given.slice(0, at)]: new WrittenValue(given.slice(at + 1)) };
}

function parsed(text: string): Inputs {
  try {
    return JSON.parse(text) as Inputs;
  } catch (error) {
    throw new UsageError(`--inputs is not JSON: ${(error as Error).message}`);
  }
}

/** Whether the declared types are needed. */
export function hasWritten(inputs: object): boolean {
  return Object.values(inputs).some((each) => each instanceof WrittenValue);
}

/** Reads every text by its declared type; one that is not declared stays text. */
export function typedInputs(inputs: object, typeOf: (name: string) => VariableType | null): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      if (!(value instanceof WrittenValue)) return [name, value];
      const type = typeOf(name);
      return [name, type === null ? value.text : readWritten({ type }, value.text)];
    }),
  );
}
