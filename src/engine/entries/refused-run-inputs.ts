// What to do about inputs of a `run` that the other workflow refuses. A call can give what comes from
// the context, and hand in again what comes from an output. What was given when this run was started
// stays as it is, and everything else is written in job.yml.

import { type DeclaredVariable, describeVariables } from '../../core/variables.ts';
import type { RunEntry } from '../../core/workflow.ts';

export interface RefusedRunInputs {
  readonly entry: RunEntry;
  /** The inputs that this run was started with. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The inputs that the other workflow declares. */
  readonly declared: readonly DeclaredVariable[];
  /** The names of those that it refuses. */
  readonly refused: readonly string[];
}

export function howToGiveInputs({ entry, own, declared, refused }: RefusedRunInputs): string {
  const { name, job, workflow } = entry;
  const target = `${job}/${workflow}`;
  const correct = `correct \`inputs\` of '${name}' in job.yml`;
  const inputs = entry.inputs.filter((input) => refused.includes(input.name));

  const fixed = inputs.flatMap((input) =>
    'from' in input && Object.hasOwn(own, input.from) ? [`'${input.from}'`] : [],
  );
  if (fixed.length > 0) {
    const values = fixed.length === 1 ? 'a value' : 'values';
    return `'${name}' runs ${target} with ${fixed.join(', ')}, given when this run was started, which cannot be changed any more. Call abort_workflow, then start_workflow with ${values} that ${target} accepts. If no value fits both, have your user ${correct} first.`;
  }

  const typeOf = (input: string) => declared.find((variable) => variable.name === input)?.type;
  const known = inputs.filter((input) => typeOf(input.name) !== undefined);
  const variables = known.flatMap((input) => ('from' in input ? [`'${input.from}'`] : []));
  const outputs = known.flatMap((input) =>
    'output' in input ? [`'${input.output.step}.${input.output.output}'`] : [],
  );
  const canBeGiven = refused.length > 0 && variables.length + outputs.length === refused.length;
  if (canBeGiven && outputs.length === 0) {
    return `'${name}' runs ${target} with values from the context (${variables.join(', ')}). Give them as \`context\` and make the same call again, or ${correct}.`;
  }
  const give = [
    ...(variables.length === 0 ? [] : [`give ${variables.join(', ')} as \`context\``]),
    ...(outputs.length === 0
      ? []
      : [`hand in ${outputs.join(', ')} again (go_to_step returns to an earlier step)`]),
  ].join(', ');
  if (canBeGiven) {
    return `'${name}' runs ${target} with what was handed in: ${give}, and make the same call again, or ${correct}.`;
  }

  const unquoted = inputs.flatMap((input) =>
    'value' in input &&
    ['number', 'boolean'].includes(typeof input.value) &&
    typeOf(input.name) === 'string'
      ? [`'${input.name}'`]
      : [],
  );
  const quote = unquoted.length === 0 ? '' : ` (put the value of ${unquoted.join(', ')} in quotes)`;
  const then = give === '' ? 'then' : `${give}, and`;
  const takes = describeVariables(declared) || 'no inputs';
  return `${correct}${quote}, ${then} make the same call again. ${target} takes ${takes}.`;
}
