// `deepwork run`: starts or resumes a run and carries it to its end. Every refusal comes before
// anything is started.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ProjectBoard } from '../board/board.ts';
import { budgetsAt } from '../board/describe-unattended.ts';
import { resumeCommand } from '../board/run-words.ts';
import { Refused, refuse, refusedWith } from '../core/refusal.ts';
import { dollars } from '../core/run/budgets.ts';
import type { AgentChoice, Budgets, OnLimit, Worktree } from '../core/run/events.ts';
import type { RunRecord } from '../core/run/record.ts';
import { TEAM_WORKFLOW } from '../core/run/streams.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import { definitionInUse } from '../engine/definition-in-use.ts';
import { notifyOfRun } from '../engine/person/notify-person.ts';
import {
  refusalForPerson,
  requireTrustInAll,
  requireTrustInTeam,
} from '../engine/trust/required-trust.ts';
import { openRunStore, type RunStore } from '../engine/unattended/run-store.ts';
import type { Workspace } from '../engine/workspace.ts';
import { GOAL_FILE } from '../team/agents.ts';
import { type AgentProgram, findAgent } from './agent.ts';
import { findUnfinished, isSessionOver } from './find-unfinished.ts';
import { finishWorktree, whereWorkIs } from './finish-worktree.ts';
import { endLeftProcesses, markAsRunner } from './left-processes.ts';
import type { RunReport } from './report.ts';
import { type RunServer, runLoop, type Stopped, stoppedEvent } from './run-loop.ts';
import { budgetNotes, reviewNotes } from './start-notes.ts';
import { resolveRun, startSession } from './start-session.ts';
import { agentsOfTeam, openTeamWork, readGoalText } from './team-work.ts';
import type { Work } from './work.ts';
import { openWorkflowWork } from './workflow-work.ts';
import { discardWorktree, makeWorktree, unknownWorktrees } from './worktree.ts';

export interface RunRequest {
  readonly what:
    | {
        readonly kind: 'workflow';
        /** `job/workflow`, or the id of a guide. */
        readonly workflow: string;
        readonly goal: string;
        readonly inputs: Readonly<Record<string, unknown>>;
        readonly worktree: boolean;
      }
    | { readonly kind: 'team' }
    /** Null: the newest unfinished run. */
    | { readonly kind: 'resume'; readonly id: string | null };
  /** Null: the one a resumed run had, or the ones the project configures for a team. */
  readonly agent: AgentChoice | null;
  /** A resumed run keeps what is left out. */
  readonly budgets: Partial<Budgets>;
  readonly onLimit: OnLimit;
  readonly continues: boolean;
}

export interface RunDeps {
  /** `workRoot`: the worktree of the run; null: the project itself. */
  openWorkspace(workRoot: string | null): Workspace;
  openBoard(): ProjectBoard;
  openServer(workspace: Workspace): Promise<RunServer>;
  readonly report: RunReport;
  readonly stop: AbortSignal;
  /** Where the person is who started the run. */
  readonly cwd: string;
}

export async function runUnattended(deps: RunDeps, request: RunRequest): Promise<Stopped> {
  const main = deps.openWorkspace(null);
  const runs = openRunStore(main.journal, main.clock, main.processes);
  await endLeftProcesses(main.paths.root, main.processes.livenessOf);
  markAsRunner(main.env, main.paths.root, main.processes.own());
  try {
    const begun = await begin(deps, main, runs, request).catch((error: unknown) => {
      throw error instanceof Refused ? refusalForPerson(main, error) : error;
    });
    return await runToEnd(deps, main, runs, begun);
  } finally {
    await main.close();
    main.stop();
  }
}

interface Begun {
  readonly record: RunRecord;
  readonly workspace: Workspace;
  readonly work: Work;
  readonly warnings: readonly string[];
  /** What else the person should know. */
  readonly notes?: readonly string[];
}

function begin(deps: RunDeps, main: Workspace, runs: RunStore, request: RunRequest) {
  const { what } = request;
  switch (what.kind) {
    case 'workflow':
      return startWorkflow(deps, main, runs, request, what);
    case 'resume':
      return resume(deps, main, runs, request, what.id);
    case 'team':
      return startTeam(main, runs, request);
  }
}

async function startWorkflow(
  deps: RunDeps,
  main: Workspace,
  runs: RunStore,
  request: RunRequest,
  what: Extract<RunRequest['what'], { readonly kind: 'workflow' }>,
): Promise<Begun> {
  const choice = request.agent as AgentChoice;
  const agent = await findAgent(main, choice);
  const budgets = { ...NO_BUDGETS, ...request.budgets };
  requireCosts(agent, budgets);
  const id = randomBytes(4).toString('hex');
  const resolved = await resolveRun(main, what.workflow, id);
  const made = what.worktree
    ? await makeWorktree(main, id, resolved.branch, deps.openWorkspace)
    : null;
  const worktree = made?.worktree ?? null;
  if (worktree === null) await runs.takeCheckout(id);
  const workspace = worktree === null ? main : deps.openWorkspace(worktree.path);
  const identity = `coordinator|${nameOf(choice)}|${id}`;
  const started = await start().catch(async (error: unknown) => {
    if (worktree === null) await runs.releaseCheckout(id);
    else await discardWorktree(main.paths.root, worktree);
    throw error;
  });
  const record = await runs.start({
    type: 'run_started',
    at: main.clock(),
    data: {
      run_id: id,
      kind: 'workflow',
      identity,
      workflow: resolved.label,
      goal: what.goal,
      agent: choice,
      budgets,
      worktree,
      continues: request.continues,
      on_limit: request.onLimit,
      process: main.processes.own(),
    },
  });
  const board = deps.openBoard();
  const work = openWorkflowWork({ workspace, board, id, identity, agent });
  const notes = await reviewNotes(workspace, resolved.inUse);
  const warnings = [...(made?.warnings ?? []), ...started.warnings];
  return { record, workspace, work, warnings, notes };

  async function start() {
    // The files that a check runs may be different there.
    if (worktree !== null) await requireTrustInAll(workspace, resolved.inUse);
    return startSession(workspace, { id, identity, ...resolved, ...what });
  }
}

const NO_BUDGETS: Budgets = { max_minutes: null, max_turns: null, max_usd: null };

/** A budget in money cannot be kept by an agent that never reports costs. */
function requireCosts(agent: AgentProgram, { max_usd }: Budgets): void {
  if (max_usd === null || agent.mayReportCost) return;
  throw refusedWith(
    'cost_unknown',
    `${agent.name} never reports what a turn costs, so --max-usd ${dollars(max_usd)} cannot be kept`,
    'leave --max-usd out and bound it by --max-turns or --max-minutes, or choose another agent.',
  );
}

function nameOf(choice: AgentChoice): string {
  return choice.kind === 'command' ? 'command' : choice.name;
}

async function resume(
  deps: RunDeps,
  main: Workspace,
  runs: RunStore,
  request: RunRequest,
  wanted: string | null,
): Promise<Begun> {
  const before = await findUnfinished(main, runs, wanted, deps.report);
  const choice = request.agent ?? before.agent;
  const budgets = { ...before.budgets, ...request.budgets };
  const { worktree, identity, id } = before;
  if (before.kind === 'team') return startTeam(main, runs, request, before);
  const isGone = worktree !== null && !existsSync(worktree.path);
  // If nothing is left to do, only the end is recorded, and that needs no worktree.
  if (isGone && !(await isSessionOver(main, id))) throw new Refused(worktreeGone(id, worktree));
  const agent = await findAgent(main, choice as AgentChoice);
  requireCosts(agent, budgets);
  const workspace = worktree === null || isGone ? main : deps.openWorkspace(worktree.path);
  const board = deps.openBoard();
  const work = openWorkflowWork({ workspace, board, id, identity, agent });
  const leftAt = await work.lastWorkAt();
  await requireTrustInSession(workspace, id);
  if (worktree === null) await runs.takeCheckout(id);
  const record = await runs.start({
    type: 'run_started',
    at: main.clock(),
    data: {
      run_id: id,
      kind: before.kind,
      identity,
      workflow: before.workflow,
      goal: before.goal,
      agent: choice,
      budgets,
      worktree,
      continues: request.continues || before.continues,
      on_limit: request.onLimit,
      process: main.processes.own(),
      resumed: true,
      ...(leftAt !== null && { left_at: leftAt }),
    },
  });
  return { record, workspace, work, warnings: [] };
}

async function requireTrustInSession(workspace: Workspace, id: string): Promise<void> {
  const session = await workspace.store.load(id);
  if (session?.status === 'active') {
    await requireTrustInAll(workspace, await definitionInUse(workspace, session));
  }
}

function worktreeGone(id: string, { path, branch }: Worktree) {
  return refuse(
    'worktree_gone',
    `The worktree of this run is gone: ${path}`,
    `bring it back (git worktree add ${path} ${branch}), or end the run: deepwork abort ${id} --reason "…"`,
  );
}

/** `before`: the run that is resumed. */
async function startTeam(
  main: Workspace,
  runs: RunStore,
  request: RunRequest,
  before: RunRecord | null = null,
): Promise<Begun> {
  const choice = request.agent ?? before?.agent ?? null;
  const goal = readGoalText(main.paths.root);
  const agents = await agentsOfTeam(main, choice);
  await requireTrustInTeam(main);
  const budgets = { ...(before?.budgets ?? NO_BUDGETS), ...request.budgets };
  for (const agent of agents.values()) requireCosts(agent, budgets);
  const id = before?.id ?? randomBytes(4).toString('hex');
  const work = openTeamWork({ workspace: main, agents });
  const leftAt = before === null ? null : await work.lastWorkAt();
  await runs.takeCheckout(id);
  const record = await runs.start({
    type: 'run_started',
    at: main.clock(),
    data: {
      run_id: id,
      kind: 'team',
      identity: COORDINATOR,
      workflow: TEAM_WORKFLOW,
      goal: titleOf(goal),
      agent: choice,
      budgets,
      worktree: null,
      continues: request.continues || before?.continues === true,
      on_limit: request.onLimit,
      process: main.processes.own(),
      ...(before !== null && { resumed: true as const }),
      ...(leftAt !== null && { left_at: leftAt }),
    },
  });
  return { record, workspace: main, work, warnings: [] };
}

const MAX_TITLE = 200;

function titleOf(goal: string): string {
  const line = goal.split('\n').find((each) => each.trim() !== '') ?? GOAL_FILE;
  return line.replace(/^#+\s*/, '').slice(0, MAX_TITLE);
}

/** From the first turn to the last event. */
async function runToEnd(
  deps: RunDeps,
  main: Workspace,
  runs: RunStore,
  { record, workspace, work, warnings, notes = [] }: Begun,
): Promise<Stopped> {
  const { report, stop } = deps;
  const unknown = await unknownWorktrees(main).catch(() => []);
  report.started(record, [...warnings, ...unknown], [...budgetNotes(record), ...notes]);
  const server = await deps.openServer(workspace);
  const cwd = record.worktree?.path ?? main.paths.root;
  let stopped: Stopped;
  try {
    const loop = { workspace, runs, server, work, report, cwd, stop };
    stopped = await runLoop(loop, record).catch((error: unknown) => {
      if (error instanceof Refused && error.refusal.code === 'run_taken_over') throw error;
      return { reason: 'failed', detail: (error as Error).message } as const;
    });
  } finally {
    await server.stop();
    if (record.worktree === null) await runs.releaseCheckout(record.id).catch(() => {});
  }
  const left = record.worktree === null ? {} : await finishWorktree(main, record, stopped.reason);
  const ended = await runs.record(record.id, stoppedEvent(main.clock(), stopped, left));
  report.stopped(ended, whatNext(ended, stopped, deps.cwd));
  await notifyOfRun(main, {
    run: ended.id,
    workflow: ended.workflow,
    reason: stopped.reason,
    detail: report.forPeople(stopped.detail),
  });
  return stopped;
}

function whatNext(record: RunRecord, { reason }: Stopped, cwd: string): string | null {
  const where = whereWorkIs(record, cwd);
  if (reason === 'complete' || reason === 'aborted') return where;
  const budgets = budgetsAt(record, record.lastAt);
  const command = resumeCommand({ session_id: record.id, budgets }, record.stop);
  return `To continue: ${command}${where === null ? '' : `. ${where}`}`;
}

export const EXIT_CODES: Readonly<Record<Stopped['reason'], number>> = {
  complete: 0,
  aborted: 1,
  failed: 1,
  budget: 3,
  limit: 4,
  stalled: 5,
  stopped: 130,
};
