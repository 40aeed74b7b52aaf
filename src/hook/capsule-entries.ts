// What the capsule says about a step besides its files: the inputs of the run, which item of a list or
// which pass of a loop it is, and what has to be reported besides outputs.

import { shownUpTo } from '../core/wording.ts';
import type { BeginStep } from '../engine/answer-types.ts';

const MAX_INPUTS = 800;
const MAX_ITEM = 400;
const MAX_SAID = 600;
const MAX_REPORTS = 800;

/** Shown before the instructions. */
export function surroundings({ inputs = {}, item, loop }: BeginStep): string[] {
  const given = Object.entries(inputs).map(
    ([name, value]) => `- ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    ...(given.length === 0
      ? []
      : ['Inputs of the workflow:', shownUpTo(given.join('\n'), MAX_INPUTS)]),
    ...(item === undefined
      ? []
      : [`Item ${item.index} of ${item.of}: ${shownUpTo(JSON.stringify(item.value), MAX_ITEM)}`]),
    ...(loop ? [`Loop '${loop.name}', pass ${loop.pass} of at most ${loop.max}${why(loop)}`] : []),
  ];
}

function why({ said }: { readonly said: string | null }): string {
  return said === null || said === ''
    ? ''
    : `. Why there is one more: ${shownUpTo(said, MAX_SAID)}`;
}

/** Shown with the outputs. */
export function reportsToGive({ step_reports = [] }: BeginStep): string[] {
  if (step_reports.length === 0) return [];
  const lines = step_reports.map(({ name, type, enum: values, required, description }) => {
    const what = values === null ? type : values.join(' or ');
    return `- ${name} (${what}, ${required ? 'required' : 'optional'}): ${description}`;
  });
  return ['To report in context of that call:', shownUpTo(lines.join('\n'), MAX_REPORTS)];
}
