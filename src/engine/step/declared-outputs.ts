// Which type each output of a session's current step has, for the command line: there a
// value is text, and only the definition says whether it is one path or a list.

import { Refused } from '../../core/refusal.ts';
import { currentEntry } from '../../core/session/positions.ts';
import type { Owner } from '../../core/session/state.ts';
import { shownOutputs } from '../../core/session/submission.ts';
import { type Output, stepsOf } from '../../core/workflow.ts';
import { definitionInUse } from '../definition-in-use.ts';
import type { Workspace } from '../workspace.ts';

export type TypeOfOutput = (name: string) => Output['type'] | null;

/** Null for names that nothing declares; the call itself says what is wrong with those. */
export async function declaredOutputs(
  workspace: Workspace,
  owner: Owner,
  sessionId: string | null,
): Promise<TypeOfOutput> {
  try {
    const session = await workspace.stacks.look(owner, sessionId);
    const { workflow } = await definitionInUse(workspace, session);
    const current = shownOutputs(currentEntry(session, workflow)?.members ?? []);
    // A call that is made again is about the step before.
    const others = shownOutputs(stepsOf(workflow));
    return (name) => {
      const matches = [...current, ...others].find(({ shown, step, output }) =>
        [shown, output.name, `${step.id}.${output.name}`].includes(name),
      );
      return matches?.output.type ?? null;
    };
  } catch (error) {
    if (error instanceof Refused) return () => null;
    throw error;
  }
}
