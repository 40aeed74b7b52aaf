// What the capsule says about a step besides its files: the inputs of the run, which item of a list or
// which pass of a loop it is, and what has to be reported besides outputs.

import { shownUpTo } from '../core/wording.ts';
import type { BeginStep } from '../engine/answer-types.ts';
import type { Section } from './capsule-sections.ts';

/** Shown before the instructions. */
export function surroundings({ inputs = {}, item, loop }: BeginStep): Section[] {
  const given = Object.entries(inputs)
    .map(
      ([name, value]) => `- ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join('\n');
  return [
    {
      max: 800,
      write: (max) => (given === '' ? '' : `Inputs of the workflow:\n${shownUpTo(given, max)}`),
    },
    {
      max: 400,
      write: (max) =>
        item === undefined
          ? ''
          : `Item ${item.index} of ${item.of}: ${shownUpTo(JSON.stringify(item.value), max)}`,
    },
    {
      max: 600,
      write: (max) =>
        loop
          ? `Loop '${loop.name}', pass ${loop.pass} of at most ${loop.max}${why(loop, max)}`
          : '',
    },
  ];
}

function why({ said }: { readonly said: string | null }, max: number): string {
  return said === null || said === '' ? '' : `. Why there is one more: ${shownUpTo(said, max)}`;
}

/** Shown with the outputs. */
export function reportsToGive({ step_reports = [] }: BeginStep): Section[] {
  const lines = step_reports.map(({ name, type, enum: values, required, description }) => {
    const what = values === null ? type : values.join(' or ');
    return `- ${name} (${what}, ${required ? 'required' : 'optional'}): ${description}`;
  });
  const write = (max: number) =>
    lines.length === 0
      ? ''
      : `To report in context of that call:\n${shownUpTo(lines.join('\n'), max)}`;
  return [{ max: 800, write }];
}
