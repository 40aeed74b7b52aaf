// Reads the variables that a `job.yml` declares: `inputs` of a workflow and `reports` of a step.
// The other properties of a variable have to fit its type.
//
//   inputs:
//     severity: { description: How bad it is, enum: [low, high], default: low }

import type { Path } from '../../core/issue.ts';
import { compileRegex } from '../../core/rules/regex.ts';
import {
  type DeclaredVariable,
  problemWith,
  RESERVED_VARIABLES,
  VARIABLE_TYPES,
  type VariableType,
} from '../../core/variables.ts';
import {
  anyText,
  boolean,
  closedMap,
  emptyText,
  id,
  type Located,
  list,
  namedValues,
  none,
  oneOf,
  optional,
  type Read,
  required,
  text,
} from '../reader/fields.ts';
import type { Report } from '../reader/issues.ts';
import { describeNode, type Node, nodeOf } from '../source/node.ts';
import { quote } from '../wording.ts';

/** A value as written; its type is known only after all keys have been read. */
interface Written {
  readonly node: Node;
  readonly path: Path;
}

const written: Read<Written> = (node, path) => ({ node, path });

const readVariableMap = closedMap({
  description: required(text, emptyText),
  type: optional(oneOf(...VARIABLE_TYPES), none),
  enum: optional(list(written, 1), none),
  pattern: optional(text, none),
  default: optional(written, none),
  required: optional(boolean, none),
});

export const VARIABLE_KEYS = readVariableMap.keys;

/** Null if it is not a map, or is empty. */
export const readDeclaredInputs: Read<DeclaredVariable[] | null> = (node, path, to) =>
  readVariables(node, path, to, VARIABLE_TYPES);

export const readDeclaredReports: Read<DeclaredVariable[] | null> = (node, path, to) =>
  readVariables(
    node,
    path,
    to,
    VARIABLE_TYPES.filter((type) => type !== 'file'),
  );

function readVariables(
  node: Node,
  path: Path,
  to: Report,
  types: readonly VariableType[],
): DeclaredVariable[] | null {
  const named = namedValues((value, at, report) => readVariable(value, at, report, types));
  const variables = named(node, path, to) ?? [];
  for (const { name } of variables) checkName(name, to);
  return variables.length === 0
    ? null
    : variables.map(({ name, value }) => ({ name: name.value, ...value }));
}

function checkName({ value, path }: Located, to: Report): void {
  const atKey: Report = { ...to, add: (code, at, message) => to.add(code, at, message, 'key') };
  id(nodeOf(value), path, atKey);
  if (!RESERVED_VARIABLES.includes(value)) return;
  to.add(
    'reserved_name',
    path,
    `${quote(value)} is always in the context; use another name`,
    'key',
  );
}

function readVariable(
  node: Node,
  path: Path,
  to: Report,
  types: readonly VariableType[],
): Omit<DeclaredVariable, 'name'> {
  const fields = readVariableMap(node, path, to);
  const type = typeOf(fields.type, to, types);
  const values = fields.enum?.flatMap((each) => readTyped(each, type, to) ?? []) ?? null;
  checkRepeated(fields.enum ?? [], values ?? [], to);
  const initial = fields.default === null ? null : readTyped(fields.default, type, to);
  const variable = {
    description: fields.description.value,
    type,
    enum: values,
    pattern: readPattern(fields.pattern, type, to),
    required: fields.required ?? fields.default === null,
    default: initial,
  };
  const problem = initial === null ? null : problemWith({ name: '', ...variable }, initial);
  if (problem !== null && fields.default) to.add('wrong_value', fields.default.path, problem);
  return variable;
}

function typeOf(given: Located | null, to: Report, types: readonly VariableType[]): VariableType {
  const type = VARIABLE_TYPES.find((each) => each === given?.value);
  if (given !== null && type !== undefined && !types.includes(type)) {
    const message = `only an input can be a file, expected ${types.map((each) => quote(each)).join(' or ')}`;
    to.add('wrong_value', given.path, message);
  }
  return type ?? 'string';
}

/** A value of the type; null if it is not, which is reported. */
function readTyped(
  { node, path }: Written,
  type: VariableType,
  to: Report,
): string | number | boolean | null {
  if (type === 'boolean') return boolean(node, path, to);
  if (type === 'number') {
    const value = node.kind === 'scalar' ? node.value : null;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    to.add('wrong_type', path, `expected a number, found ${describeNode(node)}`);
    return null;
  }
  const read = anyText(node, path, to);
  return node.kind === 'scalar' && typeof node.value === 'string' ? read.value : null;
}

function checkRepeated(written: readonly Written[], values: readonly unknown[], to: Report): void {
  if (values.length !== written.length) return;
  for (const [index, value] of values.entries()) {
    const path = written[index]?.path;
    if (path === undefined || values.indexOf(value) === index) continue;
    to.add('duplicate_value', path, `duplicate value ${quote(String(value), 60)}`);
  }
}

function readPattern(
  given: Located | null,
  type: VariableType,
  to: Report,
): DeclaredVariable['pattern'] {
  if (given === null || given.value === '') return null;
  if (type !== 'string') {
    to.add('wrong_value', given.path, `a pattern is for strings, not for a ${type}`);
    return null;
  }
  const compiled = compileRegex(given.value, '');
  if (compiled.kind === 'regex') return { source: given.value, regex: compiled.regex };
  to.add('wrong_regex', given.path, compiled.message);
  return null;
}
