// The inputs that a run is started with, compared with what the workflow declares. All problems
// are reported at once. Files are searched for in the project.

import { inSlices } from '../async/slices.ts';
import { pathArgument } from '../core/command-variables.ts';
import type { Context } from '../core/conditions.ts';
import { nulsInContext } from '../core/nul-characters.ts';
import { openPatternBudget } from '../core/pattern-budget.ts';
import { Refused, refusedWith } from '../core/refusal.ts';
import {
  type DeclaredVariable,
  describeProblem,
  describeVariables,
  judgeVariables,
  misspeltInputs,
  mustBeFile,
  mustHaveNoControl,
  unknownInputs,
  type VariableType,
  type VariableValue,
  type VariableValues,
} from '../core/variables.ts';
import { hasControl } from '../core/wording.ts';
import type { Workflow } from '../core/workflow.ts';
import { checkOutputPath } from '../gate/output-path.ts';
import { findDefinition } from './definition-in-use.ts';
import type { Workspace } from './workspace.ts';

/** The values of a workflow's inputs, including defaults; refused if any is wrong. */
export async function requireInputs(
  root: string,
  { inputs = [] }: Workflow,
  given: Readonly<Record<string, unknown>>,
  context: Context,
  /** The next move, by the names of the inputs that are missing, wrong or unknown. */
  nextMove = (_refused: readonly string[]) => startAgain(root, inputs, given),
): Promise<VariableValues> {
  const { values, missing, wrong } = await inSlices(
    judgeVariables('input', inputs, given, openPatternBudget()),
  );
  const files = await findFiles(root, inputs, values);
  const problems = [
    ...missing,
    ...unknownInputs(inputs, given),
    ...[...wrong, ...files.problems.values()].sort(),
    ...inContext(inputs, context),
    ...nulsInContext(context),
  ];
  if (problems.length === 0) return files.values;
  const wanted = inputs.filter(({ required }) => required).map(({ name }) => name);
  const names = Object.keys(given).filter((name) => given[name] !== null);
  const unusable = [...wanted, ...names].filter((name) => !Object.hasOwn(values, name));
  const next = nextMove([...new Set([...unusable, ...files.problems.keys()])]);
  throw refusedWith('inputs_invalid', problems.join('\n'), next);
}

interface FoundFiles {
  /** With paths relative to the project, as commands get them. */
  readonly values: VariableValues;
  /** By input. */
  readonly problems: ReadonlyMap<string, string>;
}

async function findFiles(
  root: string,
  inputs: readonly DeclaredVariable[],
  values: VariableValues,
): Promise<FoundFiles> {
  const found: [string, VariableValue][] = [];
  const problems = new Map<string, string>();
  const ofFiles = new Set(inputs.filter(({ type }) => type === 'file').map(({ name }) => name));
  for (const [name, value] of Object.entries(values)) {
    const paths = ofFiles.has(name) ? await pathsOf(root, value) : null;
    if (paths === null) found.push([name, value]);
    else if (typeof paths === 'string') problems.set(name, describeProblem('input', name, paths));
    else found.push([name, Array.isArray(value) ? paths : (paths[0] ?? '')]);
  }
  return { values: Object.fromEntries(found), problems };
}

/** A string is what is wrong with the value: it does not name files of the project. */
async function pathsOf(root: string, value: VariableValue): Promise<string[] | string> {
  const paths: string[] = [];
  for (const given of [value].flat().map(String)) {
    const found = await checkOutputPath(root, given);
    if (found.kind === 'file') paths.push(pathArgument(found.path));
    else if (hasControl(given)) return mustHaveNoControl(value);
    else if (found.isMissing) return `${mustBeFile(given)}, which does not exist`;
    else return mustBeFile(value);
  }
  return paths;
}

function inContext(inputs: readonly DeclaredVariable[], context: Context): string[] {
  const names = inputs.map(({ name }) => name).filter((name) => Object.hasOwn(context, name));
  if (names.length === 0) return [];
  return [`Context must not name declared inputs: ${names.sort().join(', ')}`];
}

function startAgain(
  root: string,
  inputs: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
): string {
  const meant = misspeltInputs(inputs, given);
  const call = meant === null ? 'call' : `${meant} Call`;
  const where = inputs.some(({ type }) => type === 'file')
    ? ` Paths are relative to this server's project, ${root}`
    : '';
  return inputs.length === 0
    ? 'call start_workflow again without inputs; this workflow declares none.'
    : `${call} start_workflow again with inputs: ${describeVariables(inputs)}.${where}`;
}

export type TypeOfInput = (name: string) => VariableType | null;

/** The declared types of a workflow's inputs; null for a name that is not declared. */
export function typesOf({ inputs = [] }: Workflow): TypeOfInput {
  return (name) => inputs.find((each) => each.name === name)?.type ?? null;
}

/** For the command line, where every value is text. */
export async function declaredInputs(
  workspace: Workspace,
  jobName: string,
  workflowName: string,
): Promise<TypeOfInput> {
  return unlessRefused(async () => {
    const { inUse } = await findDefinition(workspace, jobName, workflowName);
    return typesOf(inUse.workflow);
  });
}

/** The types that were found by name; none if that is refused, which the call itself reports later. */
export async function unlessRefused<Type>(
  find: () => Promise<(name: string) => Type | null>,
): Promise<(name: string) => Type | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Refused) return () => null;
    throw error;
  }
}
