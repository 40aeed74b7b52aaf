// The arguments of `deepwork call`, read by what the tool says it takes: a list may be
// written with commas or flag by flag, a map pair by pair, and both as JSON.
//
//   --completedSteps understand,plan      --completedSteps understand --completedSteps plan
//   --context security=high --context complexity=0.9
//   --outputs notes=notes.md

import type { JsonSchema } from '../operations/operation.ts';
import { UsageError } from './command-line.ts';

export interface CallLine {
  readonly path: string;
  readonly given: unknown;
}

/** Who calls is said to the command, not to the tool. */
export function takeAgent(argv: readonly string[]): {
  readonly agent: string | undefined;
  readonly rest: readonly string[];
} {
  const at = argv.findIndex((flag) => flag === '--agent' || flag.startsWith('--agent='));
  if (at === -1) return { agent: undefined, rest: argv };
  const inline = argv[at]?.startsWith('--agent=') ?? false;
  const agent = inline ? argv[at]?.slice('--agent='.length) : argv[at + 1];
  if (agent === undefined) throw new UsageError('--agent needs a value');
  return { agent, rest: [...argv.slice(0, at), ...argv.slice(at + (inline ? 1 : 2))] };
}

type Form = 'text' | 'list' | 'map' | 'paths' | 'json';

export function readCallLine(argv: readonly string[], schema: JsonSchema): CallLine {
  let path = '.';
  let json: unknown;
  const given: Record<string, unknown> = {};
  for (let at = 0; at < argv.length; at += 2) {
    const flag = argv[at] as string;
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(flag) ?? [];
    if (name === undefined)
      throw new UsageError(
        `expected --name value, found '${flag}', as in: --outputs notes=notes.md`,
      );
    const value = inline ?? argv[at + 1];
    if (inline !== undefined) at--;
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    if (name === 'path') path = value;
    else if (name === 'json') json = parseJson(value);
    else given[name] = combine(given[name], readValue(name, value, formOf(schema, name)));
  }
  if (json !== undefined && Object.keys(given).length > 0) {
    throw new UsageError('give the arguments as --json or one by one, not both');
  }
  return { path, given: json ?? given };
}

/** How an argument can be written, for a tool's help. */
export function hintFor(schema: JsonSchema, name: string): string {
  switch (formOf(schema, name)) {
    case 'list':
      return 'a,b,… or JSON; may be repeated';
    case 'map':
    case 'paths':
      return 'name=value or JSON; may be repeated';
    case 'json':
      return `JSON${shapeOf(schema, name)}`;
    case 'text':
      return '';
  }
}

/** The members of a list of objects: `[{id, content, agent?}]`. */
function shapeOf(schema: JsonSchema, name: string): string {
  const { properties = {} } = schema as {
    properties?: Readonly<Record<string, { items?: { properties?: object; required?: string[] } }>>;
  };
  const { properties: members, required = [] } = properties[name]?.items ?? {};
  if (members === undefined) return '';
  const names = Object.keys(members).map((each) => (required.includes(each) ? each : `${each}?`));
  return `: [{${names.join(', ')}}, …]`;
}

function formOf(schema: JsonSchema, name: string): Form {
  const { properties = {} } = schema as {
    properties?: Readonly<Record<string, { type?: string | string[]; items?: { type?: string } }>>;
  };
  const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const types = [parameter?.type ?? 'string'].flat();
  if (types.includes('string')) return 'text';
  if (types.includes('object')) return types.includes('array') ? 'paths' : 'map';
  if (types.includes('array')) return parameter?.items?.type === 'string' ? 'list' : 'json';
  return 'json';
}

function readValue(name: string, value: string, form: Form): unknown {
  if (form === 'text') return value;
  if (/^\s*[[{]/.test(value)) return parseJson(value);
  if (form === 'json') return parseJson(value);
  if (form === 'list') {
    return value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  }
  const [, key, paired] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  if (key === undefined) throw new UsageError(`--${name} takes JSON or name=value`);
  return { [key]: form === 'map' ? scalar(paired ?? '') : paired };
}

/** Numbers, true, false, null and JSON as such; everything else is text. */
function scalar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function combine(before: unknown, now: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now)) return [...before, ...now];
  return isMap(before) && isMap(now) ? { ...before, ...now } : now;
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`not JSON: ${(error as Error).message}`);
  }
}
