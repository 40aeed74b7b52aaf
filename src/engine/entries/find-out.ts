// Finds out what a decision of the core needs and the core cannot know, because it does no I/O:
// whether a loop is done, which items a list has, what a `run` would start. This may take minutes,
// and nothing is committed meanwhile.

import { type Need, type UntilOutcome, withFact } from '../../core/session/facts.ts';
import type { Json } from '../../core/session/state.ts';
import { reporting } from '../../gate/reporting.ts';
import { judgeUntilCheck, judgeUntilRules } from '../../gate/until.ts';
import { requireTrustInUntil } from '../trust/command-trust.ts';
import type { Finder, Findings, Requester } from './findings.ts';
import { planRun } from './plan-run.ts';
import { readList } from './read-list.ts';

export async function findOut(
  finder: Finder,
  requester: Requester,
  need: Need,
  findings: Findings,
): Promise<void> {
  const found = await findFact(finder, requester, need, findings);
  const known = findings.facts.get(requester.id) ?? {};
  findings.facts.set(requester.id, withFact(known, need, found));
}

async function findFact(
  finder: Finder,
  requester: Requester,
  need: Need,
  findings: Findings,
): Promise<UntilOutcome | readonly Json[] | string> {
  switch (need.kind) {
    case 'until':
      return findUntil(finder, requester, need, findings);
    case 'items':
      return readList(finder.workspace.paths.work, need);
    case 'run': {
      const plan = await planRun(finder, await requester.parent(), need, findings, findOut);
      findings.plans.set(plan.session.id, plan);
      return plan.session.id;
    }
  }
}

async function findUntil(
  { workspace, signal, progress }: Finder,
  { id, inUse, inputs, context }: Requester,
  { loop, pass, output }: Extract<Need, { kind: 'until' }>,
  findings: Findings,
): Promise<UntilOutcome> {
  const { work: root } = workspace.paths;
  const { until } = loop;
  switch (until.kind) {
    case 'when':
      throw new Error('the core evaluates conditions itself');
    case 'rules':
      return judgeUntilRules(root, until.criteria, output, context);
    case 'check': {
      const { check } = until;
      await requireTrustInUntil(workspace, inUse.definition, loop, check);
      const label = `check of loop '${loop.name}': ${check.name}`;
      const judged = await reporting(progress, label, () =>
        judgeUntilCheck({ root, env: workspace.env, loop: loop.name, pass, check, inputs, signal }),
      );
      const before = findings.evidence.get(id) ?? [];
      if (judged.evidence !== null) findings.evidence.set(id, [...before, judged.evidence]);
      return judged.outcome;
    }
  }
}
