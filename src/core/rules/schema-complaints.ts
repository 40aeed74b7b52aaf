// What is wrong with a value by its schema, one line for each place, with what would be
// right: `At /items/0/price: must be number`.

import type { ErrorObject } from 'ajv';
import { shownUpTo } from '../wording.ts';

/** An agent fixes these and submits again. */
const MAX_LINES = 10;
const MAX_LINE_LENGTH = 300;

/** Keywords that only summarize the errors of others. */
export const SUMMARY_KEYWORDS = new Set(['allOf', 'anyOf', 'oneOf', 'if', '$ref', '$dynamicRef']);

export function complaintsOf(errors: readonly ErrorObject[]): string[] {
  const plain = linesOf(errors, ({ keyword }) => !SUMMARY_KEYWORDS.has(keyword));
  return plain.length > 0 ? plain : linesOf(errors, () => true);
}

/** There may be half a million errors. */
function linesOf(
  errors: readonly ErrorObject[],
  isShown: (error: ErrorObject) => boolean,
): string[] {
  const lines = new Set<string>();
  for (const error of errors) {
    if (lines.size === MAX_LINES) break;
    if (!isShown(error)) continue;
    const line = `At ${error.instancePath || '(root)'}: ${describe(error)}`;
    lines.add(shownUpTo(line, MAX_LINE_LENGTH));
  }
  return [...lines];
}

function describe({ keyword, message = keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return `${message}: ${values(params.allowedValues)}`;
    case 'const':
      return `${message}: ${JSON.stringify(params.allowedValue)}`;
    case 'additionalProperties':
      return `${message}: ${JSON.stringify(params.additionalProperty)}`;
    case 'unevaluatedProperties':
      return `${message}: ${JSON.stringify(params.unevaluatedProperty)}`;
    default:
      return message;
  }
}

function values(allowed: unknown): string {
  return Array.isArray(allowed) ? allowed.map((each) => JSON.stringify(each)).join(', ') : '';
}
