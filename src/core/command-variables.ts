// What a command of the gate is given to judge, in its environment: `DEEPWORK_OUTPUT_<NAME>` for
// the submitted paths, `DEEPWORK_INPUT_<NAME>` for the inputs of the run, `DEEPWORK_ITEM` for the
// item of a `for_each`. Values are never inserted into the text of a command. A value that cannot be
// given is a problem and is not left out: a command that sees nothing would find nothing wrong.

import type { Outputs } from './session/state.ts';
import type { VariableValues } from './variables.ts';
import { shown } from './wording.ts';

export interface JudgedByCommand {
  readonly outputs?: Outputs;
  readonly inputs: VariableValues;
  /** Absent if the command is not for one item. */
  readonly item?: unknown;
}

export type CommandVariables =
  | { readonly kind: 'variables'; readonly variables: Readonly<Record<string, string>> }
  /** Names the variable, and what to do. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Linux starts no command with a variable of 128 KiB or more, name included. */
const MAX_VALUE_BYTES = 120 * 1024;

export function commandVariables(judged: JudgedByCommand): CommandVariables {
  const outputs = Object.entries(judged.outputs ?? {}).map(([name, paths]) => ({
    name,
    variable: outputVariable(name),
    value: [paths].flat().map(pathArgument).join('\n'),
    shorten: 'Hand in fewer files, or files with shorter paths.',
  }));
  const inputs = Object.entries(judged.inputs).map(([name, value]) => ({
    name,
    variable: variableOf('DEEPWORK_INPUT_', name),
    value: [value].flat().join('\n'),
    shorten: `Abort the run and start it again with a shorter input '${shown(name)}'.`,
  }));
  const item = {
    name: 'item',
    variable: 'DEEPWORK_ITEM',
    value: JSON.stringify(judged.item),
    shorten: 'Call go_to_step with the step that made the list, and make this item shorter.',
  };
  const taken = new Map<string, string>();
  const variables: Record<string, string> = {};
  for (const each of [...outputs, ...inputs, ...(judged.item === undefined ? [] : [item])]) {
    const { name, variable, value, shorten } = each;
    const other = taken.get(variable);
    if (other !== undefined) {
      const both = `'${shown(other)}' and '${shown(name)}'`;
      return problem(`${variable} would stand for both ${both}. Rename one in the definition.`);
    }
    taken.set(variable, name);
    const bytes = Buffer.byteLength(value);
    if (bytes > MAX_VALUE_BYTES) {
      const limit = `at most ${MAX_VALUE_BYTES} are possible`;
      return problem(`${variable} would be ${bytes} bytes long, ${limit}. ${shorten}`);
    }
    variables[variable] = value;
  }
  return { kind: 'variables', variables };
}

export function outputVariable(output: string): string {
  return variableOf('DEEPWORK_OUTPUT_', output);
}

/** In capitals, with `_` for every other character. Two names may lead to the same variable. */
function variableOf(prefix: string, name: string): string {
  return `${prefix}${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/**
 * A path that no program takes for something else: `-n` is an option to grep, `a=b` an assignment
 * to awk, `@a` a list of arguments to compilers.
 */
export function pathArgument(path: string): string {
  return /^[\p{L}\p{N}_./][^=]*$/u.test(path) ? path : `./${path}`;
}

function problem(text: string): CommandVariables {
  return { kind: 'problem', problem: text };
}
