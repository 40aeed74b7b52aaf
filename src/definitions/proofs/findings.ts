// Finds problems of a job with valid references: conditions that never hold, steps that no path
// reaches, variables and files that are missing when they are needed.

import { limitedHints } from '../../core/nearest.ts';
import { openPatternBudget } from '../../core/pattern-budget.ts';
import type { Job } from '../../core/workflow.ts';
import type { Finding } from './finding.ts';
import { judgeConditions } from './judge-conditions.ts';
import { judgeLoops } from './judge-loops.ts';
import { judgeOutputs } from './judge-outputs.ts';
import { judgeReach } from './judge-reach.ts';
import { judgeRuns } from './judge-runs.ts';
import { judgeWhens } from './judge-whens.ts';
import { walk } from './walk.ts';

export function findingsIn(job: Job, budget = openPatternBudget()): readonly Finding[] {
  const walked = job.workflows.map((workflow) => ({
    workflow,
    facts: walk(job, workflow, budget),
  }));
  const complete = walked.filter(({ facts }) => facts.complete);
  const hints = limitedHints();
  const incomplete = walked.filter(({ facts }) => !facts.complete);
  return [
    ...judgeWhens(job, complete, hints),
    ...complete.flatMap((each) => judgeLoops(job, each, hints)),
    ...walked.flatMap((each) => judgeRuns(job, each, hints)),
    ...judgeReach(complete),
    ...judgeOutputs(complete),
    ...incomplete.flatMap(({ workflow }) => judgeConditions(job, workflow, hints, budget)),
  ];
}
