// Judges which steps and entries of a workflow some path reaches.

import { quote } from '../wording.ts';
import type { Finding, Walked } from './finding.ts';
import { proof } from './judge-whens.ts';
import { layOut, type Spot } from './layout.ts';
import { stepsAt } from './tracked.ts';

export function judgeReach(walked: readonly Walked[]): readonly Finding[] {
  return walked.flatMap((each) => [...judgeHidden(each), ...judgeLeftOut(each, walked)]);
}

/** Steps of which the condition holds in other workflows, but never in this one. */
function judgeLeftOut({ workflow, facts }: Walked, all: readonly Walked[]): readonly Finding[] {
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

/** One finding for each run of entries behind the same obstacle. */
function judgeHidden({ workflow, facts }: Walked): readonly Finding[] {
  const found: Finding[] = [];
  let hidden: string[] = [];
  const tell = () => {
    const [first] = hidden;
    if (first === undefined) return;
    const more = hidden.length - 1;
    const others = more === 0 ? '' : ` and ${more} ${more === 1 ? 'entry' : 'entries'} after it`;
    const [stuckAt, trail] = [...facts.stuck][0] ?? ['', null];
    const why = stuckAt === '' ? 'nothing leads there' : `every path ends at ${quote(stuckAt)}`;
    found.push({
      code: 'unreachable',
      severity: 'problem',
      at: { kind: 'entry', workflow: workflow.name, name: first },
      message: `No path through workflow ${quote(workflow.name)} reaches ${quote(first)}${others}`,
      proof: proof(why, trail),
    });
    hidden = [];
  };
  for (const spot of layOut(workflow).spots) {
    // What was asked whether it applies was reached, whatever it said.
    const isAsked = stepsAt(spot.entry).some(({ id }) => facts.whens.has(id));
    for (const name of namesAt(spot)) {
      if (isAsked || facts.reached.has(name) || facts.stuck.has(name)) tell();
      else hidden.push(name);
    }
  }
  tell();
  return found;
}

/** What is done at an entry; a loop is reached if anything in it is. */
function namesAt({ entry }: Spot): readonly string[] {
  switch (entry.kind) {
    case 'steps':
      return stepsAt(entry).map(({ id }) => id);
    case 'loop':
      return [];
    default:
      return [entry.name];
  }
}
