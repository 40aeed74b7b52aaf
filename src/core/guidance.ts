// What an agent reads about a step besides its outputs: the text of its instructions, the criteria
// it will be judged by, and whether a person has to confirm it first.

import { type Condition, type Context, holds } from './conditions.ts';
import { applicableMessages } from './rules.ts';
import type { Step, TextInstructions } from './workflow.ts';

/** Role, guidance and preface, each only if there is one, then the prompt itself. */
export function composeText(instructions: TextInstructions): string {
  const { role, guidance = [], preface, prompt } = instructions;
  const part = role === undefined ? '' : `## Agent Role Instructions\n${role}\n\n`;
  const hints = guidance.map((item) => `- ${item}\n`).join('');
  const section = guidance.length === 0 ? '' : `## Step Guidance\n${hints}\n`;
  return `${part}${section}${preface === undefined ? '' : `${preface} `}${prompt}`;
}

/** The messages of the output rules that apply in a context, then the criteria of reviews. */
export function criteriaTexts(
  { outputs, reviews }: Pick<Step, 'outputs' | 'reviews'>,
  context: Context,
): string[] {
  return [
    ...outputs.flatMap(({ rules }) => (rules === null ? [] : applicableMessages(rules, context))),
    ...reviews.flatMap(({ criteria }) => criteria.map(({ text }) => text)),
  ];
}

export function needsConfirmation(confirmation: boolean | Condition, context: Context): boolean {
  return typeof confirmation === 'boolean' ? confirmation : holds(confirmation, context);
}
