// What reviewers learn about the work besides its outputs: the goal of the run, and what the step
// got from earlier steps and from the user.

import type { Context } from '../../core/conditions.ts';
import { progressOf } from '../../core/session/progress.ts';
import type { Session } from '../../core/session/state.ts';
import { argumentValue } from '../../core/session/variables.ts';
import type { DeclaredVariable, VariableValues } from '../../core/variables.ts';
import type { Input, Step, Workflow } from '../../core/workflow.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { GivenInput, Task } from '../../gate/request.ts';

/** `reports`: what the steps under review report, by step. */
export function taskOf(
  session: Session,
  { branch }: Pick<Settings, 'branch'>,
  { inputs = [] }: Pick<Workflow, 'inputs'>,
  reports: ReadonlyMap<string, VariableValues>,
): Task {
  return {
    goal: session.goal,
    began: branch === 'off' ? null : { branch: session.branchName, commit: session.branchFrom },
    inputsOf: (step) => [
      ...step.inputs
        .filter((input) => !isAmong(inputs, input))
        .map((input) => given(session, input)),
      ...declared(inputs, session.inputs),
      ...reported(step, reports.get(step.id) ?? {}),
      ...itemOf(step),
    ],
  };
}

/** Inputs of the workflow are all shown anyway. */
function isAmong(inputs: readonly DeclaredVariable[], input: Input): boolean {
  return input.kind === 'variable' && inputs.some(({ name }) => name === input.name);
}

function declared(variables: readonly DeclaredVariable[], values: VariableValues): GivenInput[] {
  return variables.flatMap(({ name, description }) => {
    const value = contextValue(values, name);
    return value === null
      ? []
      : [{ name, about: `${description} = ${value}`, paths: [], hashes: {} }];
  });
}

/** The item of a `for_each` that the step is done for. */
function itemOf({ item }: Step): GivenInput[] {
  if (item === undefined) return [];
  const about = `item ${item.index} of ${item.of} = ${JSON.stringify(item.value)}`;
  return [{ name: 'item', about, paths: [], hashes: {} }];
}

/** Reports are claims of the author, like its notes. */
function reported({ reports = [] }: Step, values: VariableValues): GivenInput[] {
  const about = reports.map((each) => ({ ...each, description: `reported, ${each.description}` }));
  return declared(about, values);
}

function given(session: Session, input: Input): GivenInput {
  if (input.kind === 'asked') {
    const { name, description } = input;
    const value = contextValue(session.context, name);
    const about = value === null ? description : `${description} = ${value}`;
    return { name, about, paths: [], hashes: {} };
  }
  if (input.kind === 'variable') {
    const { name, description, fromStep } = input;
    const value = argumentValue(session, name);
    const about = `${description}, from step '${fromStep}'${value === null ? '' : ` = ${value}`}`;
    return { name, about, paths: [], hashes: {} };
  }
  const { file, fromStep } = input;
  const { outputs = {}, files: hashes = {} } = progressOf(session, fromStep) ?? {};
  const paths = Object.hasOwn(outputs, file) ? (outputs[file] ?? []) : [];
  return {
    name: file,
    about: `from step '${fromStep}'`,
    paths: typeof paths === 'string' ? [paths] : paths,
    hashes,
  };
}

/** An agent may have put what its user told it into the context of the run. */
function contextValue(context: Context, name: string): string | null {
  if (!Object.hasOwn(context, name)) return null;
  const value = context[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
