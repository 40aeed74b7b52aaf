// Finds out what a decision of the core needs to know and cannot: whether a loop is done, which
// items a list has, what a `run` would start. Nothing is committed while this goes on, and it
// may take minutes.

import { type Need, type UntilOutcome, withFact } from '../../core/session/facts.ts';
import type { Json } from '../../core/session/state.ts';
import { reporting } from '../../gate/reporting.ts';
import { judgeUntilCheck, judgeUntilRules } from '../../gate/until.ts';
import { requireTrustInUntil } from '../trust/command-trust.ts';
import type { Asker, Finder, Findings } from './findings.ts';
import { planRun } from './plan-run.ts';
import { readList } from './read-list.ts';

export async function findOut(
  finder: Finder,
  asker: Asker,
  need: Need,
  findings: Findings,
): Promise<void> {
  const found = await findFact(finder, asker, need, findings);
  const known = findings.facts.get(asker.id) ?? {};
  findings.facts.set(asker.id, withFact(known, need, found));
}

async function findFact(
  finder: Finder,
  asker: Asker,
  need: Need,
  findings: Findings,
): Promise<UntilOutcome | readonly Json[] | string> {
  switch (need.kind) {
    case 'until':
      return findUntil(finder, asker, need, findings);
    case 'items':
      return readList(finder.workspace.paths.work, need);
    case 'run': {
      const plan = await planRun(finder, await asker.parent(), need, findings, findOut);
      findings.plans.set(plan.session.id, plan);
      return plan.session.id;
    }
  }
}

async function findUntil(
  { workspace, signal, progress }: Finder,
  { id, inUse, inputs, context }: Asker,
  { loop, pass, output }: Extract<Need, { kind: 'until' }>,
  findings: Findings,
): Promise<UntilOutcome> {
  const { work: root } = workspace.paths;
  const { until } = loop;
  switch (until.kind) {
    case 'when':
      throw new Error('conditions are judged by the core');
    case 'rules':
      return judgeUntilRules(root, until.criteria, output, context);
    case 'check': {
      const { check } = until;
      await requireTrustInUntil(workspace, inUse.definition, loop, check);
      const label = `check of loop '${loop.name}': ${check.name}`;
      const judged = await reporting(progress, label, () =>
        judgeUntilCheck({ root, loop: loop.name, pass, check, inputs, signal }),
      );
      const before = findings.evidence.get(id) ?? [];
      if (judged.evidence !== null) findings.evidence.set(id, [...before, judged.evidence]);
      return judged.outcome;
    }
  }
}
