// Finds what is wrong with a job whose parts all fit together: conditions that never hold, steps
// that no path reaches, variables and files that are not there when they are asked for.

import type { Job } from '../../core/workflow.ts';
import type { Finding } from './finding.ts';
import { judgeAlone } from './judge-alone.ts';
import { judgeLoops } from './judge-loops.ts';
import { judgeOutputs } from './judge-outputs.ts';
import { judgeReach } from './judge-reach.ts';
import { judgeWhens } from './judge-whens.ts';
import { walk } from './walk.ts';

export function findingsIn(job: Job): readonly Finding[] {
  const walked = job.workflows.map((workflow) => ({ workflow, facts: walk(job, workflow) }));
  const whole = walked.filter(({ facts }) => facts.complete);
  const inPart = walked.filter(({ facts }) => !facts.complete);
  return [
    ...judgeWhens(job, whole),
    ...whole.flatMap((each) => judgeLoops(job, each)),
    ...judgeReach(whole),
    ...judgeOutputs(whole),
    ...inPart.flatMap(({ workflow }) => judgeAlone(job, workflow)),
  ];
}
