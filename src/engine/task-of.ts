// What reviewers are told of the work besides its outputs: the goal of the run, and what the
// step was given by earlier steps and by the user.

import { type Context, progressOf, type Session } from '../core/session/state.ts';
import type { Input } from '../core/workflow.ts';
import type { Settings } from '../environment/settings.ts';
import type { GivenInput, Task } from '../gate/request.ts';

export function taskOf(session: Session, { branch }: Pick<Settings, 'branch'>): Task {
  return {
    goal: session.goal,
    began: branch === 'off' ? null : { branch: session.branchName, commit: session.branchFrom },
    inputsOf: (step) => step.inputs.map((input) => given(session, input)),
  };
}

function given({ progress, context }: Session, input: Input): GivenInput {
  if (input.kind === 'asked') {
    const { name, description } = input;
    const value = toldValue(context, name);
    const about = value === null ? description : `${description} = ${value}`;
    return { name, about, paths: [], hashes: {} };
  }
  const { file, fromStep } = input;
  const { outputs = {}, files: hashes = {} } = progressOf(progress, fromStep) ?? {};
  const paths = Object.hasOwn(outputs, file) ? (outputs[file] ?? []) : [];
  return {
    name: file,
    about: `from step '${fromStep}'`,
    paths: typeof paths === 'string' ? [paths] : paths,
    hashes,
  };
}

/** What an agent was told by its user may have been put into the context of the run. */
function toldValue(context: Context, name: string): string | null {
  if (!Object.hasOwn(context, name)) return null;
  const value = context[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
