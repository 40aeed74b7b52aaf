// The list of a `for_each` that comes later, judged when it is handed in: otherwise a person might
// approve what cannot be worked on. Where it is not certain that this very list will be needed,
// the agent is only told.

import { placeOf } from '../../core/places.ts';
import { Refused } from '../../core/refusal.ts';
import { type ForEachEntry, forEachesOf, type Workflow } from '../../core/workflow.ts';
import type { GateMember } from '../../gate/request.ts';
import { readList } from './read-list.ts';

/** Refused as the call would be that leads to the `for_each`; else what to warn of. */
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
    warnings.push(`${refusal.message}. If this is reached, the call that leads there is refused.`);
  }
  return warnings;
}

/** It is not skipped, and no other pass makes the list anew before it. */
function isCertain(workflow: Workflow, { name, step, items }: ForEachEntry): boolean {
  const around = placeOf(workflow, name)?.loops ?? [];
  const made = placeOf(workflow, items.step)?.loops ?? [];
  return step.when === null && made.every((loop) => around.includes(loop));
}
