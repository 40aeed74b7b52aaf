// A second implementation of rules, as directly as the contract describes them, to compare the
// real ones with. No deadline, no compiling, and of JSON Schema only `type` and `required`. A
// member is first pruned of everything that is skipped; the rest is simply true or false.

import { referenceHolds } from './conditions.ts';

type Context = Parameters<typeof referenceHolds>[1];

/** Any member, as JSON; its fields determine its kind. */
export interface Member {
  type?: string;
  message?: string;
  suggestion?: string;
  condition?: Context;
  value?: string;
  pattern?: string;
  flags?: string;
  min?: number;
  max?: number;
  schema?: { type?: string; required?: string[] };
  and?: Member[];
  or?: Member[];
  not?: Member;
}

const NOT_JSON = 'Output is not valid JSON for schema validation';

export function referenceValidate(criteria: Member | Member[], text: string, context: Context) {
  if (/^\s*$/.test(text)) {
    return {
      valid: false,
      issues: ['Output is empty or invalid.'],
      suggestions: ['Provide valid output content.'],
    };
  }
  const failed = pruneAll([criteria].flat(), context)
    .filter((member) => !isMet(member, text))
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

export function referenceMessages(criteria: Member | Member[], context: Context) {
  return pruneAll([criteria].flat(), context).flatMap(messages);
}

function pruneAll(members: Member[], context: Context): Member[] {
  return members.map((one) => prune(one, context)).filter((one) => one !== null);
}

function prune(member: Member, context: Context): Member | null {
  if (member.and) {
    const and = pruneAll(member.and, context);
    return and.length === 0 ? null : { and };
  }
  if (member.or) {
    const or = pruneAll(member.or, context);
    return or.length === 0 ? null : { or };
  }
  if (member.not) {
    const not = prune(member.not, context);
    return not === null ? null : { ...member, not };
  }
  return member.condition && !referenceHolds(member.condition, context) ? null : member;
}

function isMet(member: Member, text: string): boolean {
  if (member.and) return member.and.every((one) => isMet(one, text));
  if (member.or) return member.or.some((one) => isMet(one, text));
  if (member.not) return !isMet(member.not, text);
  const { value = '', min = 0, max = Number.MAX_SAFE_INTEGER } = member;
  if (member.type === 'contains') return value === '' || text.split(value).length > 1;
  if (member.type === 'regex') return text.match(plainRegex(member)) !== null;
  if (member.type === 'length') return [...text].length >= min && [...text].length <= max;
  const json = parse(text);
  return json !== undefined && fits(json.value, member.schema ?? {});
}

function reported(member: Member, text: string): Member[] {
  if (member.and) {
    return member.and.filter((one) => !isMet(one, text)).flatMap((one) => reported(one, text));
  }
  if (member.or) return member.or.flatMap((one) => reported(one, text));
  if (!member.not) return [member];
  const [message] = messages(member);
  return [{ ...member, message }];
}

function messages(member: Member): (string | undefined)[] {
  if (member.and) return member.and.flatMap(messages);
  if (member.or) return member.or.flatMap(messages);
  if (!member.not) return [member.message];
  return [member.message ?? `Output must not satisfy: ${messages(member.not).join('; ')}`];
}

function plainRegex({ pattern = '', flags = '' }: Member): RegExp {
  const inline = pattern.startsWith('(?i)');
  const all = new Set([...flags, ...(inline ? ['i'] : [])]);
  return new RegExp(inline ? pattern.slice(4) : pattern, [...all].join(''));
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
