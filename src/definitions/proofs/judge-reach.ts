// Finds steps and entries of a workflow that no path reaches.

import { ownSteps } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import type { Finding, WalkedWorkflow } from './finding.ts';
import { proof } from './judge-whens.ts';
import { type Spot, spotsOf } from './spots.ts';

export function judgeReach(walked: readonly WalkedWorkflow[]): readonly Finding[] {
  return walked.flatMap((each) => [...judgeUnreached(each), ...judgeSkipped(each, walked)]);
}

/** Steps whose condition holds in other workflows, but never in this one. */
function judgeSkipped(
  { workflow, facts }: WalkedWorkflow,
  all: readonly WalkedWorkflow[],
): readonly Finding[] {
  return [...facts.whens].flatMap(([step, { held, failed }]): readonly Finding[] => {
    const holdsElsewhere = all.some((other) => other.facts.whens.get(step)?.held);
    if (held !== null || facts.reached.has(step) || !holdsElsewhere) return [];
    return [
      {
        code: 'unreachable',
        severity: 'problem',
        at: { kind: 'entry', workflow: workflow.name, name: step },
        message: `No path through workflow ${quote(workflow.name)} reaches ${quote(step)}: its condition never holds there`,
        proof: proof('the condition holds in other workflows only', failed),
      },
    ];
  });
}

/** One finding for each sequence of unreached entries. */
function judgeUnreached({ workflow, facts }: WalkedWorkflow): readonly Finding[] {
  const found: Finding[] = [];
  let unreached: string[] = [];
  const endSequence = () => {
    const [first] = unreached;
    if (first === undefined) return;
    const more = unreached.length - 1;
    const others = more === 0 ? '' : ` and ${more} ${more === 1 ? 'entry' : 'entries'} after it`;
    const [stuckAt, trail] = [...facts.stuck][0] ?? ['', null];
    const why = stuckAt === '' ? 'no path leads there' : `every path ends at ${quote(stuckAt)}`;
    found.push({
      code: 'unreachable',
      severity: 'problem',
      at: { kind: 'entry', workflow: workflow.name, name: first },
      message: `No path through workflow ${quote(workflow.name)} reaches ${quote(first)}${others}`,
      proof: proof(why, trail),
    });
    unreached = [];
  };
  for (const spot of spotsOf(workflow).spots) {
    // A step whose condition was evaluated was reached, even if the condition did not hold.
    const isEvaluated = ownSteps(spot.entry).some(({ id }) => facts.whens.has(id));
    for (const name of namesAt(spot)) {
      if (isEvaluated || facts.reached.has(name) || facts.stuck.has(name)) endSequence();
      else unreached.push(name);
    }
  }
  endSequence();
  return found;
}

/** The names of the work at an entry; a loop is reached if anything in it is. */
function namesAt({ entry }: Spot): readonly string[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps.map(({ id }) => id);
    case 'loop':
      return [];
    default:
      return [entry.name];
  }
}
