// The text of a skill that starts a workflow, within the limits of agentskills.io: a name of
// lower-case letters, digits and single hyphens, at most 64; a description of at most 1,024.

import { createHash } from 'node:crypto';
import type { DeclaredVariable } from '../../core/variables.ts';
import { singleSpaced } from '../../core/wording.ts';
import { type Startable, startText } from '../../engine/prompts.ts';

export interface Skill {
  readonly name: string;
  readonly text: string;
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/** Marks a skill as ours, so that a later export may replace it. */
export const MADE_BY = '<!-- Written by `deepwork export skills`; edits are replaced. -->';

const ORDER =
  'Call the deepwork tool start_workflow with these arguments. Fill in the goal with what the user wants, in their words; leave the rest as it is:';

const ORDER_WITH_INPUTS =
  'Call the deepwork tool start_workflow with these arguments. Fill in the goal with what the user wants, in their words, and the inputs; ask the user for a required input that you do not know, leave out an optional one, and leave the rest as it is:';

/** `all`: every name that a skill is made of here, so that no two skills have the same. */
export function skillOf(
  { name, description, start, inputs = [] }: Startable,
  all: readonly string[] = [],
): Skill {
  const skill = skillName(name, all);
  const when = `${sentence(description)} Use it when the user asks for this, or for the ${name} workflow. Runs step by step with deepwork, each step checked.`;
  const placeholders = inputs.map((input) => [input.name, placeholderOf(input)]);
  const call = JSON.stringify({
    goal: '<what the user wants>',
    ...start,
    ...(placeholders.length > 0 && { inputs: Object.fromEntries(placeholders) }),
  });
  const text = [
    '---',
    `name: ${skill}`,
    // Every JSON string is a valid YAML string.
    `description: ${JSON.stringify(cut(when, MAX_DESCRIPTION))}`,
    '---',
    MADE_BY,
    '',
    startText(inputs.length > 0 ? ORDER_WITH_INPUTS : ORDER, call),
    '',
  ].join('\n');
  return { name: skill, text };
}

function placeholderOf({ description, type, required, ...variable }: DeclaredVariable): string {
  const what = variable.enum === null ? type : variable.enum.join(' or ');
  return `<${sentence(description)} ${what}, ${required ? 'required' : 'optional'}>`;
}

function skillName(name: string, all: readonly string[]): string {
  const plain = plainName(name);
  const isTaken = (all.find((each) => plainName(each) === plain) ?? name) !== name;
  if (plain.length <= MAX_NAME && !isTaken) return plain;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${plain.slice(0, MAX_NAME - 9).replace(/-$/, '')}-${mark}`;
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function sentence(text: string): string {
  const line = singleSpaced(text);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

function cut(text: string, max: number): string {
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`;
}
