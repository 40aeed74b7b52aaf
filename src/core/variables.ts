// The variables that a definition declares: the inputs of a workflow, the reports of a step.
// Values come from outside and are judged here; the wording of problems is part of the contract.
// Whether a file exists is checked by callers that do I/O.

import { limitedHints } from './nearest.ts';
import { hasNul } from './nul-characters.ts';
import { type PatternBudget, testPattern } from './pattern-budget.ts';
import { withoutPauses } from './rules/run-within.ts';
import { onOneLine, shown } from './wording.ts';

export const VARIABLE_TYPES = ['string', 'number', 'boolean', 'file'] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

type Scalar = string | number | boolean;

/** A list only if the variable has `many`. */
export type VariableValue = Scalar | readonly string[];
export type VariableValues = Readonly<Record<string, VariableValue>>;

export interface DeclaredVariable {
  readonly name: string;
  readonly description: string;
  readonly type: VariableType;
  readonly enum: readonly Scalar[] | null;
  readonly pattern: Pattern | null;
  readonly required: boolean;
  readonly default: Scalar | null;
  /** For a file: a list of paths is accepted, too. */
  readonly many?: boolean;
}

export interface Pattern {
  readonly source: string;
  readonly regex: RegExp;
}

/** A declared variable as agents and pages see it. */
export type ListedVariable = Pick<
  DeclaredVariable,
  'name' | 'description' | 'type' | 'enum' | 'required' | 'default'
>;

export function listVariables(declared: readonly DeclaredVariable[]): ListedVariable[] {
  return declared.map(({ name, description, type, enum: values, required, default: initial }) => ({
    name,
    description,
    type,
    enum: values,
    required,
    default: initial,
  }));
}

/** Names that the context of a run always has, so that no variable may have them. */
export const RESERVED_VARIABLES: readonly string[] = [
  'goal',
  'job_name',
  'workflow_name',
  'instance_id',
];

/** As it appears in messages. */
export type VariableKind = 'input' | 'report';

export interface JudgedVariables {
  /** The valid ones, sorted by name, with defaults for those that were not given. */
  readonly values: VariableValues;
  /** At most one line, which names all missing ones. */
  readonly missing: readonly string[];
  /** One line for each invalid value, sorted by name. */
  readonly wrong: readonly string[];
}

/** Null counts as not given. Yields before each value, because its pattern may take a tenth of a second. */
export function* judgeVariables(
  kind: VariableKind,
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
  budget: PatternBudget,
): Generator<undefined, JudgedVariables, undefined> {
  const values: [string, VariableValue][] = [];
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const variable of byName(declared)) {
    const { name, required, default: initial } = variable;
    const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null;
    if (value !== null) {
      yield;
      const problem = yield* judgeValue(variable, value, budget);
      if (problem === null) values.push([name, value as VariableValue]);
      else wrong.push(describeProblem(kind, name, problem));
    } else if (required) missing.push(name);
    else if (initial !== null) values.push([name, initial]);
  }
  return {
    values: Object.fromEntries(values),
    missing: missing.length === 0 ? [] : [`Missing required ${kind}s: ${missing.join(', ')}`],
    wrong,
  };
}

/** At most one line, which names all undeclared inputs. */
export function unknownInputs(
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  const unknown = undeclaredIn(declared, given).sort();
  if (unknown.length === 0) return [];
  const names = unknown.map(shown).join(', ');
  const known = byName(declared).map(({ name }) => name);
  return [`Unknown inputs: ${names}. Declared inputs: ${known.join(', ') || '(none)'}`];
}

/** `did you mean 'target' instead of 'tagret'?` for misspelt inputs; null if there are none. */
export function misspeltInputs(
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
): string | null {
  const free = declared.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name));
  const hints = limitedHints();
  const meant = undeclaredIn(declared, given).flatMap((name) => {
    const other = hints.nearest(name, free);
    return other === null ? [] : [`'${other}' instead of '${shown(name)}'`];
  });
  return meant.length === 0 ? null : `did you mean ${meant.slice(0, MAX_MEANT).join(', ')}?`;
}

const MAX_MEANT = 5;

function undeclaredIn(
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  const known = new Set(declared.map(({ name }) => name));
  return Object.keys(given).filter((name) => given[name] !== null && !known.has(name));
}

export function describeProblem(kind: VariableKind, name: string, problem: string): string {
  return `${kind === 'input' ? 'Input' : 'Report'} '${shown(name)}': ${problem}`;
}

export function mustBeFile(value: unknown): string {
  return `must be a regular file inside the project, got ${valueShown(value)}`;
}

export function mustHaveNoControl(value: unknown): string {
  return `must be a path without control characters, got ${valueShown(value)}`;
}

/** `issue (string, required), severity (one of low, high; default low)`, for the next move. */
export function describeVariables(declared: readonly DeclaredVariable[]): string {
  return byName(declared)
    .map(({ name, type, enum: values, pattern, required, default: initial }) => {
      const what = [
        values === null ? type : `one of ${values.join(', ')}`,
        ...(pattern === null ? [] : [`matching ${shown(pattern.source)}`]),
        required ? 'required' : initial === null ? 'optional' : `default ${initial}`,
      ];
      return `${name} (${what.join('; ')})`;
    })
    .join(', ');
}

/** Reads a value that was given as text, on a command line or in a form, by its declared type. */
export function readWritten({ type }: Pick<DeclaredVariable, 'type'>, written: string): Scalar {
  if (type === 'boolean' && /^(true|false)$/.test(written)) return written === 'true';
  if (type === 'number' && written.trim() !== '' && Number.isFinite(Number(written))) {
    return Number(written);
  }
  // A value of the wrong type is reported later, as it was written.
  return written;
}

/** The problem with a value, or null. For a file, only its type is checked, not that it exists. */
function* judgeValue(
  variable: DeclaredVariable,
  value: unknown,
  budget: PatternBudget,
): Generator<undefined, string | null, undefined> {
  return (
    problemApartFromPattern(variable, value) ?? (yield* problemWithPattern(variable, value, budget))
  );
}

/** The same at once, for lint and simulations. */
export function problemWith(
  variable: DeclaredVariable,
  value: unknown,
  budget: PatternBudget,
): string | null {
  return withoutPauses(judgeValue(variable, value, budget));
}

export function problemApartFromPattern(variable: DeclaredVariable, value: unknown): string | null {
  const { type, enum: values, many = false } = variable;
  const got = `, got ${valueShown(value)}`;
  if (type === 'file') {
    const isList = many && Array.isArray(value) && value.length > 0;
    const isPath = isList
      ? value.every((each) => typeof each === 'string')
      : typeof value === 'string';
    if (!isPath) return mustBeFile(value);
  } else if (typeof value !== type || Number.isNaN(value)) {
    return `must be ${type === 'string' ? 'a string' : `a ${type}`}${got}`;
  }
  if (type === 'string' && hasNul(value)) return `must be text without NUL characters${got}`;
  if (values !== null && !values.includes(value as Scalar)) {
    return `must be one of ${values.join(', ')}${got}`;
  }
  return null;
}

/** For a value whose type is right. */
export function* problemWithPattern(
  { pattern }: DeclaredVariable,
  value: unknown,
  budget: PatternBudget,
): Generator<undefined, string | null, undefined> {
  if (pattern === null) return null;
  const ran = yield* testPattern(pattern.regex, String(value), budget);
  if (ran.kind === 'tested' && ran.matches) return null;
  const must = `must match ${shown(pattern.source)}, got ${valueShown(value)}`;
  if (ran.kind === 'interrupted') return `${must} (the pattern ${ran.reason})`;
  return ran.kind === 'tested'
    ? must
    : `${must} (not tested: the patterns of all values together took longer than ${budget.total} ms)`;
}

/** Strings are quoted only if they look like a value of another type. */
function valueShown(value: unknown): string {
  if (typeof value === 'string' && !looksTyped(value)) return shown(onOneLine(value));
  return shown(onOneLine(JSON.stringify(value) ?? String(value)));
}

function looksTyped(text: string): boolean {
  return text === '' || /^(true|false|null|-?\d[\d.eE+-]*|[[{"].*)$/s.test(text);
}

function byName(declared: readonly DeclaredVariable[]): readonly DeclaredVariable[] {
  return [...declared].sort((one, other) => (one.name < other.name ? -1 : 1));
}
