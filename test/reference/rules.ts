// Rules once more, as plainly as the contract tells them, to compare the real ones with.
// No deadline, no compiling, and of JSON Schema only `type` and `required`. A member is
// first pruned of all that is skipped; what remains is then simply true or false.

import { referenceHolds } from './conditions.ts';

// biome-ignore lint/suspicious/noExplicitAny: the criteria are JSON of known shape here
type Member = any;
type Context = Parameters<typeof referenceHolds>[1];

const NOT_JSON = 'Output is not valid JSON for schema validation';

export function referenceValidate(criteria: Member, text: string, context: Context) {
  if (/^\s*$/.test(text)) {
    return {
      valid: false,
      issues: ['Output is empty or invalid.'],
      suggestions: ['Provide valid output content.'],
    };
  }
  const list: Member[] = Array.isArray(criteria) ? criteria : [criteria];
  const failed = list
    .map((member) => prune(member, context))
    .filter((member) => member !== null && !isMet(member, text))
    .flatMap((member) => reported(member, text));
  let noted = false;
  const issues = failed.flatMap((rule) => {
    const first = rule.type === 'schema' && parse(text) === undefined && !noted;
    if (first) noted = true;
    return first ? [rule.message, NOT_JSON] : [rule.message];
  });
  const own = failed.map((rule) => rule.suggestion).filter((one) => one !== undefined);
  const all = ['Review validation criteria and adjust output accordingly.', ...own];
  return {
    valid: failed.length === 0,
    issues,
    suggestions: failed.length === 0 ? [] : all.filter((one, at) => all.indexOf(one) === at),
  };
}

export function referenceMessages(criteria: Member, context: Context): string[] {
  const list: Member[] = Array.isArray(criteria) ? criteria : [criteria];
  return list.flatMap((member) => {
    const rest = prune(member, context);
    return rest === null ? [] : messages(rest);
  });
}

function prune(member: Member, context: Context): Member {
  for (const operator of ['and', 'or']) {
    if (!(operator in member)) continue;
    const rest = member[operator].map((one: Member) => prune(one, context));
    const kept = rest.filter((one: Member) => one !== null);
    return kept.length === 0 ? null : { [operator]: kept };
  }
  if ('not' in member) {
    const rest = prune(member.not, context);
    return rest === null ? null : { ...member, not: rest };
  }
  return 'condition' in member && !referenceHolds(member.condition, context) ? null : member;
}

function isMet(member: Member, text: string): boolean {
  if ('and' in member) return member.and.every((one: Member) => isMet(one, text));
  if ('or' in member) return member.or.some((one: Member) => isMet(one, text));
  if ('not' in member) return !isMet(member.not, text);
  if (member.type === 'contains') return text.split(member.value).length > 1 || member.value === '';
  if (member.type === 'regex') return text.match(plainRegex(member)) !== null;
  if (member.type === 'length') {
    const length = [...text].length;
    return !(length < member.min) && !(length > member.max);
  }
  const value = parse(text);
  return value !== undefined && fits(value.value, member.schema);
}

function reported(member: Member, text: string): Member[] {
  if ('and' in member) {
    const failing = member.and.filter((one: Member) => !isMet(one, text));
    return failing.flatMap((one: Member) => reported(one, text));
  }
  if ('or' in member) return member.or.flatMap((one: Member) => reported(one, text));
  if ('not' in member) return [{ message: messages(member)[0], suggestion: member.suggestion }];
  return [member];
}

function messages(member: Member): string[] {
  if ('and' in member) return member.and.flatMap(messages);
  if ('or' in member) return member.or.flatMap(messages);
  if (!('not' in member)) return [member.message];
  return [member.message ?? `Output must not satisfy: ${messages(member.not).join('; ')}`];
}

function plainRegex(rule: Member): RegExp {
  const pattern: string = rule.pattern;
  const inline = pattern.startsWith('(?i)');
  const flags = new Set([...(rule.flags ?? ''), ...(inline ? ['i'] : [])]);
  return new RegExp(inline ? pattern.slice(4) : pattern, [...flags].join(''));
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function fits(value: unknown, schema: { type?: string; required?: string[] }): boolean {
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (schema.type !== undefined && schema.type !== type) return false;
  if (type !== 'object') return true;
  return (schema.required ?? []).every((name) => Object.keys(value as object).includes(name));
}
