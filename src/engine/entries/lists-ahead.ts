// Checks the list of a later `for_each` when it is handed in: otherwise a person might approve a
// list that cannot be used. If it is not certain that this list will be used, the agent only gets
// a warning.

import { placeOf } from '../../core/places.ts';
import { Refused } from '../../core/refusal.ts';
import { type ForEachEntry, forEachesOf, type Workflow } from '../../core/workflow.ts';
import type { GateMember } from '../../gate/request.ts';
import { readList } from './read-list.ts';

/** Returns warnings; refuses with the refusal that the call reaching the `for_each` would get. */
export async function judgeListsAhead(
  root: string,
  workflow: Workflow,
  members: readonly GateMember[],
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const entry of forEachesOf(workflow)) {
    const { items } = entry;
    const member = members.find(({ step }) => step.id === items.step);
    const paths = member?.outputs[items.output];
    if (member === undefined || paths === undefined) continue;
    const output = { paths, files: member.files };
    const refusal = await readList(root, { kind: 'items', entry, output }).then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        return error;
      },
    );
    if (refusal === null) continue;
    if (isCertain(workflow, entry)) throw refusal;
    warnings.push(
      `${refusal.message}. If the run gets to that entry, the call that leads there is refused.`,
    );
  }
  return warnings;
}

/** The `for_each` cannot be skipped, and no further pass can replace the list before it. */
function isCertain(workflow: Workflow, { name, step, items }: ForEachEntry): boolean {
  const around = placeOf(workflow, name)?.loops ?? [];
  const aroundList = placeOf(workflow, items.step)?.loops ?? [];
  return step.when === null && aroundList.every((loop) => around.includes(loop));
}
