// What to write instead of a condition that is not an object. People write `severity == high`, as
// in other languages; the object that means the same is named, or an example.

const OPERATORS: Readonly<Record<string, string>> = {
  '=': 'equals',
  '==': 'equals',
  '===': 'equals',
  '!=': 'not_equals',
  '!==': 'not_equals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

const MAX_LENGTH = 100;
const VARIABLE = /^(!?)\s*([\w.]+)$/;
const COMPARISON = /^([\w.]+)\s*([=!<>]{1,3})\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))$/;

/** For the end of a message. */
export function conditionInstead(written: unknown): string {
  const meant = typeof written === 'string' ? readText(written.trim()) : null;
  if (meant !== null) return `; did you mean ${JSON.stringify(meant)}?`;
  return ', for example {"var": "severity", "equals": "high"}';
}

function readText(text: string): object | null {
  if (text.length > MAX_LENGTH) return null;
  const [, not, name] = VARIABLE.exec(text) ?? [];
  if (name !== undefined) return not === '!' ? { not: { var: name } } : { var: name };
  const [, variable, sign = '', double, single, bare = ''] = COMPARISON.exec(text) ?? [];
  const operator = Object.hasOwn(OPERATORS, sign) ? OPERATORS[sign] : undefined;
  if (variable === undefined || operator === undefined) return null;
  const operand = double ?? single ?? readBare(bare);
  const isNumeric = operator !== 'equals' && operator !== 'not_equals';
  if (isNumeric && typeof operand !== 'number') return null;
  return { var: variable, [operator]: operand };
}

function readBare(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
