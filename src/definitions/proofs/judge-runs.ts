// Judges the variables that the inputs of nested runs read. Whether they fit the workflow that is
// run needs all jobs together; `lint-runs.ts` judges that.

import type { Hints } from '../../core/nearest.ts';
import { type Job, runsOf } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import type { Finding, FoundAt, WalkedWorkflow } from './finding.ts';
import { undeclaredFinding } from './judge-whens.ts';
import { isUndeclared } from './tracked.ts';

export function judgeRuns(
  job: Job,
  { workflow, facts }: WalkedWorkflow,
  hints: Hints,
): readonly Finding[] {
  return runsOf(workflow).flatMap(({ name, inputs }) =>
    inputs.flatMap((input) => {
      if (!('from' in input) || !isUndeclared(job, input.from)) return [];
      const at: FoundAt = { kind: 'run_input', workflow: workflow.name, name, input: input.name };
      const who = `The run ${quote(name)}`;
      return [undeclaredFinding(job, input.from, who, at, facts.reached.get(name), hints)];
    }),
  );
}
