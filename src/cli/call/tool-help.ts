// The help of the tools that `deepwork call` knows, made from their descriptions and schemas. It
// fits 80 columns, like all help.

import type { Operation } from '../../operations/operation.ts';
import { cell, row, wrapWords } from '../board/columns.ts';
import { hintFor } from './call-arguments.ts';

const WIDTH = 80;
const INDENT = 2;
const NAME_WIDTH = 22;
const FLAG_WIDTH = 18;

/** One or more lines for each. */
export function toolNames(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ name, description }) =>
    entry(name, firstSentence(description), NAME_WIDTH),
  );
}

interface DescribedParameter {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly properties?: Readonly<Record<string, { description?: string }>> };
}

export function toolHelp(operation: Operation, coordinator: boolean): string {
  const schema = operation.inputSchema(coordinator);
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, DescribedParameter>;
    required?: string[];
  };
  const lines = Object.entries(properties).flatMap(([name, parameter]) => {
    const { description = '', enum: values = [], items } = parameter;
    const need = required.includes(name) ? 'required' : '';
    const choice = values.length > 0 ? `one of: ${values.join(', ')}` : '';
    const words = [need, description, choice, hintFor(schema, name)].filter(Boolean).join('; ');
    const members = Object.entries(items?.properties ?? {}).flatMap(([member, about]) =>
      about.description === undefined ? [] : entry(member, about.description, FLAG_WIDTH - 2, 2),
    );
    return [...entry(`--${name}`, words, FLAG_WIDTH), ...members];
  });
  const about = operation.description.split('\n').flatMap((line) => wrapWords(line, WIDTH));
  return [`deepwork call ${operation.name}`, '', ...about, '', ...lines, ''].join('\n');
}

/** A name that is too long for its column has a line of its own. */
function entry(name: string, words: string, width: number, depth = 0): string[] {
  const indent = INDENT + depth;
  const text = cell(words, WIDTH - indent - width - 2);
  if (name.length <= width) return row([cell(name, width), text], indent);
  return [...row([cell(name, WIDTH - indent)], indent), ...row([cell('', width), text], indent)];
}

function firstSentence(text: string): string {
  return `${text.split('. ')[0]?.replace(/\.$/, '')}`;
}
