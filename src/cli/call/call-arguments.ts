// Reads the arguments of `deepwork call` by the tool's input schema: a list is comma
// separated or one flag per item, a map is one name=value per flag, and both may be JSON.
//
//   --completedSteps understand,plan      --completedSteps understand --completedSteps plan
//   --context security=high --context complexity=0.9
//   --outputs notes=notes.md --outputs pages=a.md,b.md
//   --inputs issue=https://example.com/1 --inputs strict=true

import { isRecord } from '../../core/is-record.ts';
import { readWritten, type VariableType } from '../../core/variables.ts';
import type { TypeOfInput } from '../../engine/start-inputs.ts';
import type { JsonSchema } from '../../operations/answer-schema.ts';
import { UsageError } from '../command-line.ts';
import { hasWritten, typedInputs, WrittenValue } from '../written-inputs.ts';

export interface CallLine {
  /** The value of --path, if given. */
  readonly path: string | undefined;
  readonly given: unknown;
}

/**
 * The paths given for an output; whether it is one file or a list depends on its type. A list was
 * given as JSON: its paths may contain commas.
 */
class Paths {
  readonly written: readonly (string | readonly string[])[];

  constructor(written: Paths['written']) {
    this.written = written;
  }
}

const OWN_OPTIONS = ['--agent', '--path', '--json'];

/** Moves the command's own options behind the tool; they may come before it. */
export function toolFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  while (OWN_OPTIONS.some((option) => argv[at] === option || argv[at]?.startsWith(`${option}=`))) {
    at += argv[at]?.includes('=') ? 1 : 2;
  }
  const tool = argv[at];
  if (tool === undefined) return [];
  return [tool, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

/** Takes out --agent, which is an option of the command and not of the tool. */
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
  let path: string | undefined;
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
    else if (name === 'json') json = parseJson(name, value);
    else given[name] = combine(given[name], readValue(name, value, formOf(schema, name)));
  }
  if (json !== undefined && Object.keys(given).length > 0) {
    throw new UsageError('give the arguments as --json or one by one, not both');
  }
  return { path, given: json ?? given };
}

/** How an argument can be written, for the tool's help. */
export function hintFor(schema: JsonSchema, name: string): string {
  switch (formOf(schema, name)) {
    case 'list':
      return 'a,b,… or JSON; may be repeated';
    case 'map':
      return 'name=value or JSON; may be repeated';
    case 'paths':
      return 'name=path, name=a,b for a list of files, or JSON; may be repeated';
    case 'json':
      return `JSON${shapeOf(schema, name)}`;
    case 'text':
      return '';
  }
}

/** The fields of a list of objects: `[{id, content, agent?}]`. */
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
  if (types.includes('object')) {
    return types.includes('array') ? 'paths' : 'map';
  }
  if (types.includes('array')) return parameter?.items?.type === 'string' ? 'list' : 'json';
  return 'json';
}

function readValue(name: string, value: string, form: Form): unknown {
  if (form === 'text') return value;
  if (/^\s*[[{]/.test(value)) return parseJson(name, value);
  if (form === 'json') return parseJson(name, value);
  if (form === 'list') return readList(value);
  const [, key, paired] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  if (key === undefined) throw new UsageError(`--${name} takes JSON or name=value`);
  return {
    [key]: form === 'map' ? new WrittenValue(paired ?? '') : new Paths([pathsIn(paired ?? '')]),
  };
}

/** `["a.md"]` is a list; `[a].md` may be a path. */
function pathsIn(text: string): string | readonly string[] {
  const value = /^\s*\[/.test(text) ? scalar(text) : text;
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isList ? value : text;
}

/** Whether the call needs the declared types of this map: `inputs` or `context`. */
export function hasWrittenIn(given: unknown, name: 'inputs' | 'context'): boolean {
  const map = isRecord(given) ? given[name] : undefined;
  return isRecord(map) && hasWritten(map);
}

/** The arguments, with the value of each input as its declared type reads it. */
export function withTypedInputs(given: unknown, typeOf: TypeOfInput): unknown {
  return withMap(given, 'inputs', (inputs) => typedInputs(inputs, typeOf));
}

/** The same for `context`, whose variables need not be declared. */
export function withTypedContext(given: unknown, typeOf: TypeOfInput): unknown {
  return withMap(given, 'context', (context) =>
    mapValues(context, (value, name) =>
      value instanceof WrittenValue ? readVariable(value.text, typeOf(name)) : value,
    ),
  );
}

function withMap(given: unknown, name: string, change: (map: object) => object): unknown {
  if (!isRecord(given)) return given;
  const map = given[name];
  return isRecord(map) && hasWritten(map) ? { ...given, [name]: change(map) } : given;
}

/** Text may be a JSON string, which is how a number is quoted if nothing declares its type. */
function readVariable(text: string, type: VariableType | null): unknown {
  const value = scalar(text);
  if (type === null || typeof value === type || Array.isArray(value)) return value;
  return readWritten({ type }, typeof value === 'string' ? value : text);
}

/** Whether the call needs the declared types of outputs. */
export function hasPaths(given: unknown): boolean {
  return isRecord(given) && Object.values(given).some((each) => isRecord(each) && anyPaths(each));
}

/** The arguments, with the paths of each output as a string or a list by its declared type. */
export function withTypedPaths(
  given: unknown,
  typeOf: (output: string) => 'file' | 'files' | null,
): unknown {
  if (!isRecord(given)) return given;
  return mapValues(given, (argument) =>
    isRecord(argument) && anyPaths(argument)
      ? mapValues(argument, (value, name) =>
          value instanceof Paths ? typed(value, typeOf(name)) : value,
        )
      : argument,
  );
}

function anyPaths(argument: object): boolean {
  return Object.values(argument).some((each) => each instanceof Paths);
}

/** Several paths for a single-file output stay a list, so that the tool reports the mistake. */
function typed({ written }: Paths, type: 'file' | 'files' | null): string | readonly string[] {
  const [only = '', ...others] = written;
  if (type !== 'files') return others.length === 0 ? only : written.flat();
  return written.flatMap((each) => (typeof each === 'string' ? readList(each) : each));
}

function readList(value: string): string[] {
  return value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

function mapValues(map: object, change: (value: unknown, key: string) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}

/** Parses numbers, true, false, null and JSON; everything else is text. */
function scalar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function combine(before: unknown, now: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now)) return [...before, ...now];
  if (before instanceof Paths && now instanceof Paths) {
    return new Paths([...before.written, ...now.written]);
  }
  if (!isRecord(before) || !isRecord(now) || now instanceof WrittenValue) return now;
  const known = before as Readonly<Record<string, unknown>>;
  const joined = mapValues(now, (value, key) => combine(known[key], value));
  return { ...before, ...joined };
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${name} is not JSON: ${(error as Error).message}`);
  }
}
