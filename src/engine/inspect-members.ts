// From a call that was understood to members whose files were found: the step between
// the session's decider and the gate.

import { Refused, refuse } from '../core/refusal.ts';
import { describeOutputs, type Submitted, shownOutputs } from '../core/session/submission.ts';
import type { Step } from '../core/workflow.ts';
import { openHashing } from '../gate/files.ts';
import { inspectOutputs } from '../gate/outputs.ts';
import type { GateMember } from '../gate/request.ts';

export interface Heard {
  readonly members: readonly Step[];
  readonly submitted: readonly Submitted[];
}

/** Members with their files, or every problem with them. */
export async function lookAtMembers(
  root: string,
  { members, submitted }: Heard,
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
      sharedNames: own.filter(({ shared }) => shared).map(({ output }) => output.name),
    });
  }
  return { members: found, problems };
}

/** The same, where a problem is an error of the call. */
export async function inspectMembers(
  root: string,
  heard: Heard,
  signal: AbortSignal,
): Promise<GateMember[]> {
  const { members, problems } = await lookAtMembers(root, heard, signal);
  if (problems.length > 0) {
    // Who works in another project than this server's learns it from seeing both paths.
    const next = `${describeOutputs(shownOutputs(heard.members))} Paths are relative to this server's project, ${root}`;
    throw new Refused(refuse('outputs_invalid', problems.join('\n'), next));
  }
  return members;
}
