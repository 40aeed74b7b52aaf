// Finds the files of the members that a call submits, after the core has interpreted the call and
// before the gate judges them.

import { refusedWith } from '../../core/refusal.ts';
import { describeOutputs, type Submitted, shownOutputs } from '../../core/session/submission.ts';
import type { VariableValues } from '../../core/variables.ts';
import type { Step } from '../../core/workflow.ts';
import { inspectOutputs } from '../../gate/outputs.ts';
import type { GateMember } from '../../gate/request.ts';
import { openHashing } from '../../gate/submitted-files.ts';

export interface OpenSubmission {
  readonly members: readonly Step[];
  readonly submitted: readonly Submitted[];
  readonly reports: ReadonlyMap<string, VariableValues>;
}

/** Members whose files were found, and all problems with the others. */
export async function findMemberFiles(
  root: string,
  { members, submitted, reports }: OpenSubmission,
  signal: AbortSignal,
): Promise<{ members: GateMember[]; problems: string[] }> {
  const known = shownOutputs(members);
  const found: GateMember[] = [];
  const problems: string[] = [];
  const hashing = openHashing(signal);
  for (const each of submitted) {
    const own = known.filter(({ step }) => step === each.step);
    const inspection = await inspectOutputs(
      root,
      each,
      (output) => own.find((known) => known.output === output)?.shown ?? output.name,
      hashing,
    );
    if (inspection.kind === 'problems') {
      problems.push(...inspection.problems);
      continue;
    }
    found.push({
      ...inspection.member,
      step: each.step,
      reports: reports.get(each.step.id) ?? {},
      sharedNames: own
        .filter(({ shared, output }) => shared || output.sharesName)
        .map(({ output }) => output.name),
    });
  }
  return { members: found, problems };
}

/** The same, but any problem refuses the call. */
export async function inspectMembers(
  root: string,
  submitted: OpenSubmission,
  signal: AbortSignal,
): Promise<GateMember[]> {
  const { members, problems } = await findMemberFiles(root, submitted, signal);
  if (problems.length > 0) {
    // The path of the project helps an agent to notice that it works in another one.
    const next = `${describeOutputs(shownOutputs(submitted.members))} Paths are relative to this server's project, ${root}`;
    throw refusedWith('outputs_invalid', problems.join('\n'), next);
  }
  return members;
}
