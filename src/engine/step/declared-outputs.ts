// The types of the outputs of a session's current step, for the command line: there every value is
// text, and only the definition says whether it is one path or a list.

import { currentEntry } from '../../core/session/positions.ts';
import type { Owner } from '../../core/session/state.ts';
import { shownOutputs } from '../../core/session/submission.ts';
import { type Output, stepsOf } from '../../core/workflow.ts';
import { definitionInUse } from '../definition-in-use.ts';
import { unlessRefused } from '../start-inputs.ts';
import type { Workspace } from '../workspace.ts';

export type TypeOfOutput = (name: string) => Output['type'] | null;

/** Null for names that are not declared; the call itself reports those. */
export async function declaredOutputs(
  workspace: Workspace,
  owner: Owner,
  sessionId: string | null,
): Promise<TypeOfOutput> {
  return unlessRefused(async () => {
    const session = await workspace.stacks.look(owner, sessionId);
    const { workflow } = await definitionInUse(workspace, session);
    const current = shownOutputs(currentEntry(session, workflow)?.members ?? []);
    // A repeated call is about an earlier step.
    const others = shownOutputs(stepsOf(workflow));
    return (name) => {
      const matches = [...current, ...others].find(({ shown, step, output }) =>
        [shown, output.name, `${step.id}.${output.name}`].includes(name),
      );
      return matches?.output.type ?? null;
    };
  });
}
