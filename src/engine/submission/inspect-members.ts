// From a call that was understood to members whose files were found: the step between
// the session's decider and the gate.

import { Refused, refuse } from '../../core/refusal.ts';
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

/** Members with their files, or every problem with them. */
export async function lookAtMembers(
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

/** The same, where a problem is an error of the call. */
export async function inspectMembers(
  root: string,
  submitted: OpenSubmission,
  signal: AbortSignal,
): Promise<GateMember[]> {
  const { members, problems } = await lookAtMembers(root, submitted, signal);
  if (problems.length > 0) {
    // Who works in another project than this server's learns it from seeing both paths.
    const next = `${describeOutputs(shownOutputs(submitted.members))} Paths are relative to this server's project, ${root}`;
    throw new Refused(refuse('outputs_invalid', problems.join('\n'), next));
  }
  return members;
}
