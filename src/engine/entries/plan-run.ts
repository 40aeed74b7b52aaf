// The session that a `run` starts. It is planned before the move that leads to it commits: the
// workflow, its inputs and the instructions of its first step are read, so that anything that
// would prevent its start refuses that move. It is started after the commit, with the id that the
// commit records: after a crash between the two, the next call finds it missing and starts it.

import { randomBytes } from 'node:crypto';
import { unchanged } from '../../core/decision.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { decideStart } from '../../core/session/decide.ts';
import { evolve } from '../../core/session/evolve.ts';
import { type Need, needOf } from '../../core/session/facts.ts';
import type { RunEntry } from '../../core/workflow.ts';
import {
  type DefinitionInUse,
  type FoundDefinition,
  findDefinition,
} from '../definition-in-use.ts';
import { requireInputs } from '../start-inputs.ts';
import { beginStep } from '../step/begin-step.ts';
import { gateNow } from '../submission/gate-in-use.ts';
import type { Workspace } from '../workspace.ts';
import type { Finder, Findings, NestedPlan, Requester, RunParent } from './findings.ts';
import { howToGiveInputs } from './refused-run-inputs.ts';

/** The maximum number of sessions on a stack. */
export const MAX_STACKED_SESSIONS = 16;

/** Refuses if the session could not be started. */
export async function planRun(
  finder: Finder,
  parent: RunParent,
  { entry, given }: Extract<Need, { kind: 'run' }>,
  findings: Findings,
  findOut: (finder: Finder, requester: Requester, need: Need, findings: Findings) => Promise<void>,
  /** The id that a commit has already recorded for it, if any. */
  givenId?: string,
): Promise<NestedPlan> {
  const { workspace, owner } = finder;
  if (parent.depth >= MAX_STACKED_SESSIONS) throw new Refused(tooDeep(entry));
  const { source, inUse } = await findRun(workspace, entry);
  const inputs = await inputsFor(finder, parent, entry, inUse, given);
  const id = givenId ?? (await freeId(finder));
  const [level, depth] = [parent.level + 1, parent.depth + 1];
  const own = { id, goal: parent.goal, instanceId: parent.instanceId, level };
  const requester = {
    id,
    inUse,
    inputs,
    context: inputs,
    parent: async () => ({ ...own, inputs, branchName: parent.branchName, depth }),
  };
  const settings = await workspace.settings();
  const gate = await gateNow(workspace, inUse, settings);
  const at = workspace.clock();
  for (;;) {
    const decision = decideStart({
      ...own,
      at,
      source,
      owner,
      inUse,
      inputs,
      context: {},
      parentId: parent.id,
      runEntry: entry.name,
      jobName: inUse.definition.name,
      jobDir: inUse.definition.dir,
      // A nested session works on the branch of its parent.
      branch: { branch_name: parent.branchName },
      facts: findings.facts.get(id) ?? {},
      gate,
    });
    const need = needOf(decision);
    if (need !== null) {
      await findOut(finder, requester, need, findings);
      continue;
    }
    if (decision.kind === 'refused') throw new Refused(decision.refusal);
    if (decision.kind !== 'commit') throw new Error('a start commits or is refused');
    const session = evolve(null, decision.event);
    // Unreadable instructions refuse the move, as they refuse a start.
    await beginStep(session, inUse);
    return { session, inUse, decision };
  }
}

/** What it runs; refused if there is no such workflow. */
export async function findRun(workspace: Workspace, entry: RunEntry): Promise<FoundDefinition> {
  const found = await findDefinition(workspace, entry.job, entry.workflow);
  if (found.isRenamed) throw new Refused(noSuchWorkflow(entry));
  return found;
}

/** Starts the session unless it exists already. */
export async function startPlanned(
  { workspace }: Pick<Finder, 'workspace'>,
  { session, decision }: NestedPlan,
): Promise<void> {
  await workspace.store.commit(
    session.id,
    (existing) => (existing === null ? decision : unchanged()),
    async () => null,
  );
}

async function inputsFor(
  { workspace }: Finder,
  parent: RunParent,
  entry: RunEntry,
  { workflow }: DefinitionInUse,
  given: Readonly<Record<string, unknown>>,
) {
  const isDeclared = (name: string) => workflow.inputs?.some((input) => input.name === name);
  const wanted = Object.entries(given).filter(
    ([name]) => entry.byName === undefined || isDeclared(name),
  );
  return requireInputs(workspace.paths.work, workflow, Object.fromEntries(wanted), {}, (refused) =>
    howToGiveInputs({ entry, own: parent.inputs, declared: workflow.inputs ?? [], refused }),
  );
}

async function freeId({ workspace }: Finder): Promise<string> {
  for (;;) {
    const id = randomBytes(4).toString('hex');
    if ((await workspace.store.load(id)) === null) return id;
  }
}

function tooDeep({ name, job, workflow }: RunEntry) {
  return refuse(
    'run_too_deep',
    `'${name}' cannot run ${job}/${workflow}: ${MAX_STACKED_SESSIONS} sessions are nested already`,
    'finish or abort a session of the stack first; a workflow that runs itself never ends.',
  );
}

function noSuchWorkflow({ name, job, workflow }: RunEntry) {
  return refuse(
    'workflow_not_found',
    `'${name}' runs workflow '${workflow}' of job '${job}', which has no such workflow`,
    `correct \`run\` of '${name}' in job.yml.`,
  );
}
