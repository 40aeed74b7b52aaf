// What scripted agents write into the files that they submit. Honest work is a text that meets the
// rules of its output, as far as such a text can be made without a model; a lie contains a marker
// that the stand-ins for checks and reviewers look for.

import type { CriteriaPart } from '../core/rules/model.ts';
import { withoutPauses } from '../core/rules/run-within.ts';
import { openRuleBudget } from '../core/rules/time-budget.ts';
import type { Criteria } from '../core/rules.ts';
import { validateText } from '../core/rules.ts';
import { textFor } from './text-for-pattern.ts';

export const LIE = 'NOT REALLY DONE';

export type Shape = 'text' | 'list';

/** A file with nothing but a lie, or a list whose only item is one. */
export function lieFor(shape: Shape): string {
  return shape === 'list' ? `${JSON.stringify([LIE])}\n` : `${LIE}\n`;
}

/** A text that meets the rules; null if none was found. */
export function honestText(
  rules: Criteria | null,
  shape: Shape,
  title: string,
  context: Readonly<Record<string, unknown>>,
): string | null {
  const texts =
    shape === 'list' ? [`${JSON.stringify([title, 'two'])}\n`] : candidates(rules, title);
  return texts.find((text) => meets(rules, text, context)) ?? null;
}

function meets(
  rules: Criteria | null,
  text: string,
  context: Readonly<Record<string, unknown>>,
): boolean {
  const judged = withoutPauses(validateText(rules, text, context, openRuleBudget()));
  return judged.kind === 'done' && judged.valid;
}

function candidates(rules: Criteria | null, title: string): readonly string[] {
  const plain = `# ${title}\n\nDone as asked.\n`;
  if (rules === null) return [plain];
  const parts = rules.members.flatMap(snippets);
  const wanted = `${plain}\n${parts.join('\n')}\n`;
  const minLength = Math.max(0, ...rules.members.flatMap(minLengths));
  const filler = 'Every part of it was looked at and written down. ';
  const long = `${wanted}\n${filler.repeat(Math.ceil(minLength / filler.length))}\n`;
  // A pattern may have to stand at the beginning, or alone.
  const beginning = parts.map((part) => `${part}\n${long}`);
  return [plain, wanted, long, parts.join('\n'), ...beginning, ...parts, '{}', '[]'];
}

/** Texts that a rule requires. */
function snippets(part: CriteriaPart): readonly string[] {
  switch (part.kind) {
    case 'and':
      return part.members.flatMap(snippets);
    case 'or':
      return part.members.slice(0, 1).flatMap(snippets);
    case 'not':
    case 'length':
    case 'schema':
      return [];
    case 'contains':
      return [part.value];
    case 'regex':
      return [textFor(part.regex)];
  }
}

function minLengths(part: CriteriaPart): readonly number[] {
  if ('members' in part) return part.members.flatMap(minLengths);
  return part.kind === 'length' ? [part.min] : [];
}
