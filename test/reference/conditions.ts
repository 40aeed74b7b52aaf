// A second implementation of conditions, as directly as the contract describes them, to compare
// the real ones with: recursion over the JSON, no compiling, no bounds. It deliberately shares no
// code with them.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Undefined: the variable does not exist. */
export function lookUp(name: string, context: { [key: string]: Json }): Json | undefined {
  const entries = new Map(Object.entries(context));
  if (entries.has(name)) return entries.get(name);
  const dot = name.indexOf('.');
  const head = dot < 0 ? name : name.slice(0, dot);
  return dot < 0 ? undefined : walk(entries.get(head), name.slice(dot + 1));
}

function walk(value: Json | undefined, rest: string): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const entries = new Map(Object.entries(value));
  const dot = rest.indexOf('.');
  if (dot < 0) return entries.get(rest);
  return walk(entries.get(rest.slice(0, dot)), rest.slice(dot + 1));
}

export function referenceHolds(
  condition: { [key: string]: Json },
  context: { [key: string]: Json },
): boolean {
  const parts = new Map(Object.entries(condition));
  const demands: boolean[] = [];
  if (parts.has('and')) {
    const members = parts.get('and') as { [key: string]: Json }[];
    demands.push(members.filter((member) => !referenceHolds(member, context)).length === 0);
  }
  if (parts.has('or')) {
    const members = parts.get('or') as { [key: string]: Json }[];
    demands.push(members.filter((member) => referenceHolds(member, context)).length > 0);
  }
  if (parts.has('not')) {
    demands.push(!referenceHolds(parts.get('not') as { [key: string]: Json }, context));
  }
  if (parts.has('var')) {
    const value = lookUp(parts.get('var') as string, context);
    const operators = ['equals', 'not_equals', 'gt', 'gte', 'lt', 'lte'];
    const used = operators.filter((operator) => parts.has(operator));
    for (const operator of used) demands.push(compare(operator, value, parts.get(operator)));
    if (used.length === 0) demands.push(!!value);
  }
  return !demands.includes(false);
}

function compare(operator: string, value: Json | undefined, operand: Json | undefined): boolean {
  if (operator === 'equals') return value !== undefined && spell(value) === spell(operand as Json);
  if (operator === 'not_equals') return !compare('equals', value, operand);
  if (typeof value !== 'number' || typeof operand !== 'number') return false;
  const sign = Math.sign(value - operand);
  return { gt: [1], gte: [0, 1], lt: [-1], lte: [-1, 0] }[operator]?.includes(sign + 0) ?? false;
}

/** A canonical text for each value: equal texts mean equal structures. */
function spell(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spell).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value === 0 ? 0 : value);
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${spell(one)}`);
  return `{${entries.sort().join(',')}}`;
}
