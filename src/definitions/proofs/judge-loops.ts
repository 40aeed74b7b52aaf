// Judges the `until` of the loops of a workflow.

import type { Hints } from '../../core/nearest.ts';
import { type Job, type LoopEntry, loopsOf, stepsOf } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import type { Finding, FoundAt, WalkedWorkflow } from './finding.ts';
import { judgeEvaluated, proof, undeclaredFinding, unsetIn } from './judge-whens.ts';
import { isUndeclared } from './tracked.ts';
import { waysToSet } from './ways-to-set.ts';

export function judgeLoops(job: Job, walked: WalkedWorkflow, hints: Hints): readonly Finding[] {
  return loopsOf(walked.workflow).flatMap((loop) => judgeLoop(job, walked, loop, hints));
}

function judgeLoop(
  job: Job,
  { workflow, facts }: WalkedWorkflow,
  loop: LoopEntry,
  hints: Hints,
): readonly Finding[] {
  const { name, until } = loop;
  const who = `The until of loop ${quote(name)}`;
  if (until.kind === 'rules') {
    const trail = facts.stuck.get(name);
    if (trail === undefined) return [];
    const { step } = until.output;
    return [
      {
        code: 'skipped_source',
        severity: 'problem',
        at: { kind: 'until_output', workflow: workflow.name, loop: name },
        message: `${who} judges an output of ${quote(step)}, which some path skips: then it is unknown whether the loop is done`,
        proof: proof(`${quote(step)} is not done in this pass`, trail),
      },
    ];
  }
  if (until.kind === 'check') return [];
  const names = until.condition.variables.map((variable) => variable.name);
  const place = { workflow: workflow.name, loop: name };
  const at = (variable: string | null = null): FoundAt => ({ kind: 'until', ...place, variable });
  const asked = facts.untils.get(name);
  const all = asked === undefined ? [] : [asked];
  const undeclared = names.filter((each) => isUndeclared(job, each));
  const found = undeclared.map((each) =>
    undeclaredFinding(job, each, who, at(each), unsetIn(all, each), hints),
  );
  if (asked === undefined) return found;
  const declared = names.filter((each) => !undeclared.includes(each));
  const remedy = (each: string, isNever: boolean) => waysToSet(each, [workflow], isNever);
  const isNeverSet = declared.some((each) => asked.unset.has(each) && !asked.set.has(each));
  const canChange = stepsOf(loop).some(
    ({ id, reports = [] }) =>
      facts.reached.has(id) && reports.some((report) => names.includes(report.name)),
  );
  if (isNeverSet || canChange || undeclared.length > 0 || names.length === 0) {
    return [...found, ...judgeEvaluated(all, until.condition, declared, who, at, remedy, hints)];
  }
  const list = names.map((each) => quote(each)).join(', ');
  const always = asked.failed === null ? 'holds in the first pass' : 'stays false';
  return [
    {
      code: 'until_cannot_change',
      severity: 'problem',
      at: at(),
      message: `${who} reads only ${list}, which no step in the loop reports: no pass changes it`,
      proof: proof(`whatever a pass does, the condition ${always}`, asked.failed ?? asked.held),
    },
  ];
}
