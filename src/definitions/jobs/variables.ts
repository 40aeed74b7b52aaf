// Reads the variables that a `job.yml` declares: `inputs` of a workflow and `reports` of a step.
// The other properties of a variable have to fit its type; `variable-defaults.ts` checks patterns.
//
//   inputs:
//     severity: { description: How bad it is, enum: [low, high], default: low }

import { compileRegex } from '../../core/rules/regex.ts';
import {
  type DeclaredVariable,
  problemApartFromPattern,
  RESERVED_VARIABLES,
  VARIABLE_TYPES,
  type VariableType,
} from '../../core/variables.ts';
import {
  anyText,
  boolean,
  checkId,
  closedMap,
  emptyText,
  type Located,
  list,
  namedValues,
  none,
  oneOf,
  optional,
  type Read,
  reportAt,
  required,
  text,
  type WrittenPart,
  written,
} from '../reader/fields.ts';
import type { Report } from '../reader/issues.ts';
import { describeNode } from '../source/node.ts';
import { quote } from '../wording.ts';

const readVariableMap = closedMap({
  description: required(text, emptyText),
  type: optional(oneOf(...VARIABLE_TYPES), none),
  enum: optional(list(written, 1), none),
  pattern: optional(text, none),
  default: optional(written, none),
  required: optional(boolean, none),
});

export const VARIABLE_KEYS = readVariableMap.keys;

export const readDeclaredInputs = variablesOf(VARIABLE_TYPES);
export const readDeclaredReports = variablesOf(VARIABLE_TYPES.filter((type) => type !== 'file'));

/** Null if it is not a map, or is empty. */
function variablesOf(types: readonly VariableType[]): Read<DeclaredVariable[] | null> {
  const readNamed = namedValues((node, path, to) =>
    readVariable(readVariableMap(node, path, to), to, types),
  );
  return (node, path, to) => {
    const variables = readNamed(node, path, to) ?? [];
    for (const { name } of variables) {
      checkId(name, to);
      if (!RESERVED_VARIABLES.includes(name.value)) continue;
      const message = `${quote(name.value)} is always in the context; use another name`;
      reportAt(to, 'reserved_name', name, message);
    }
    return variables.length === 0
      ? null
      : variables.map(({ name, value }) => ({ name: name.value, ...value }));
  };
}

function readVariable(
  fields: ReturnType<typeof readVariableMap>,
  to: Report,
  types: readonly VariableType[],
): Omit<DeclaredVariable, 'name'> {
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
  const problem =
    initial === null ? null : problemApartFromPattern({ name: '', ...variable }, initial);
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
  { node, path }: WrittenPart,
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

function checkRepeated(
  written: readonly WrittenPart[],
  values: readonly unknown[],
  to: Report,
): void {
  if (values.length !== written.length) return;
  const seen = new Set<unknown>();
  for (const [index, value] of values.entries()) {
    const path = written[index]?.path;
    const isRepeated = seen.has(value);
    seen.add(value);
    if (path === undefined || !isRepeated) continue;
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
