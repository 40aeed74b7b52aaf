// Judges whether the outputs that inputs, items and approvals need exist on every path.

import { forEachesOf } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import type { Finding, WalkedWorkflow } from './finding.ts';
import { proof } from './judge-whens.ts';

export function judgeOutputs(walked: readonly WalkedWorkflow[]): readonly Finding[] {
  return [...judgeInputs(walked), ...walked.flatMap(judgeItems), ...walked.flatMap(judgeShown)];
}

/** A step may be in several workflows, but its inputs are reported once. */
function judgeInputs(walked: readonly WalkedWorkflow[]): readonly Finding[] {
  const found: Finding[] = [];
  const judged = new Set<string>();
  for (const { facts } of walked) {
    for (const [step, sources] of facts.inputs) {
      for (const from of sources.keys()) {
        const key = JSON.stringify([step, from]);
        if (judged.has(key)) continue;
        judged.add(key);
        const all = walked.flatMap((each) => each.facts.inputs.get(step)?.get(from) ?? []);
        const trail = all.flatMap(({ missing }) => missing ?? [])[0];
        if (trail === undefined) continue;
        const isNever = all.every(({ there }) => !there);
        found.push({
          code: 'skipped_source',
          severity: isNever ? 'problem' : 'warning',
          at: { kind: 'input', step, from },
          message: `Step ${quote(step)} takes an input from ${quote(from)}, which ${isNever ? 'every path to it skips' : 'some path to it skips'}`,
          proof: proof(`${quote(step)} is reached and ${quote(from)} was not done`, trail),
        });
      }
    }
  }
  return found;
}

function judgeItems({ workflow, facts }: WalkedWorkflow): readonly Finding[] {
  return forEachesOf(workflow).flatMap(({ name, items }): readonly Finding[] => {
    const trail = facts.stuck.get(name);
    if (trail === undefined) return [];
    return [
      {
        code: 'skipped_source',
        severity: 'problem',
        at: { kind: 'items', workflow: workflow.name, name },
        message: `for_each ${quote(name)} takes its items from ${quote(items.step)}, which some path to it skips: the run cannot continue there`,
        proof: proof(`${quote(items.step)} was not done, so there are no items`, trail),
      },
    ];
  });
}

function judgeShown({ workflow, facts }: WalkedWorkflow): readonly Finding[] {
  return workflow.entries.flatMap(function judge(entry): readonly Finding[] {
    if (entry.kind === 'loop') return entry.entries.flatMap(judge);
    const made = entry.kind === 'approve' ? facts.shown.get(entry.name) : undefined;
    if (entry.kind !== 'approve' || made === undefined) return [];
    const { name } = entry;
    return entry.show.flatMap(({ step, output }, index) => {
      if (made.has(step)) return [];
      return [
        {
          code: 'nothing_to_show',
          severity: 'problem',
          at: { kind: 'show', workflow: workflow.name, name, index },
          message: `approve ${quote(name)} shows ${quote(`${step}.${output}`)}, which no path to it has produced`,
          proof: proof(`${quote(step)} is skipped on every path`, facts.reached.get(name)),
        },
      ];
    });
  });
}
