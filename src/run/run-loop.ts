// The loop of an unattended run: reads the journal, decides the next move (`core/run/next-move.ts`)
// and makes it, until the run stops. Each turn has a token of its own, which is void when the
// turn is over.

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endedWithin } from '../async/ended-within.ts';
import { Refused } from '../core/refusal.ts';
import type { RunStopped, StopReason, TurnEnded } from '../core/run/events.ts';
import { type NextMove, nextMove, type WorkState } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import { shownUpTo } from '../core/wording.ts';
import { notifyOfRun } from '../engine/person/notify-person.ts';
import { whyStopped } from '../engine/trust/required-trust.ts';
import type { RunStore } from '../engine/unattended/run-store.ts';
import type { Workspace } from '../engine/workspace.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import type { Unsubscribe } from '../journal/journal.ts';
import { runTurn, type TurnResult } from './agent-process.ts';
import { endMarkedProcesses, markOf, RUN_MARK } from './left-processes.ts';
import type { RunReport } from './report.ts';
import type { PlannedTurn, Work } from './work.ts';

/** The server of this run alone, in this process. */
export interface RunServer {
  /** The address of its MCP endpoint. */
  readonly url: string;
  /** For one agent at a time. */
  issueToken(turn: Pick<PlannedTurn, 'identity' | 'stack'>): IssuedToken;
  /** Resolves when the calls that run now have been answered. */
  answered(): Promise<unknown>;
  stop(): Promise<void>;
}

export interface IssuedToken {
  readonly token: string;
  /** Why the last submission with it was refused; null if it was accepted. */
  refused(): string | null;
  /** Makes it void. */
  end(): void;
}

export interface RunLoop {
  readonly workspace: Workspace;
  readonly runs: RunStore;
  readonly server: RunServer;
  readonly work: Work;
  readonly report: RunReport;
  /** The folder in which agents work. */
  readonly cwd: string;
  /** Aborted when this process is ended; its reason is the signal. */
  readonly stop: AbortSignal;
}

export interface Stopped {
  readonly reason: StopReason;
  readonly detail: string;
}

/** How long to wait for calls that are still running when the turn is over. */
const ANSWER_MS = 10_000;
/** An agent that has nothing left to do gets this long to end by itself. */
const LINGER_MS = 30_000;
/** Changes are watched; polling catches the ones that are missed. */
const POLL_MS = 1000;
const MAX_SAID = 400;
const MAX_REFUSED = 4000;

export async function runLoop(loop: RunLoop, started: RunRecord): Promise<Stopped> {
  const { runs, work, report, workspace } = loop;
  let record = started;
  for (;;) {
    record = (await runs.load(record.id)) ?? record;
    const move = loop.stop.aborted
      ? endedBy(loop.stop.reason)
      : nextMove(record, await stateOf(work, record), workspace.clock());
    switch (move.kind) {
      case 'stop':
        return move;
      case 'wait_for_person':
        report.waiting(move.questions);
        await untilMoved(loop, record, move);
        break;
      case 'take_answer':
        await takeAnswer(loop, record);
        break;
      case 'wait_for_quota':
        report.outOfQuota(move.until);
        await notifyOfRun(workspace, {
          run: record.id,
          workflow: record.workflow,
          reason: 'limit',
          until: move.until,
          detail: report.forPeople(`The agent is out of quota. The run goes on ${move.until}`),
        });
        await untilMoved(loop, record, move, Date.parse(move.until));
        break;
      case 'turn': {
        const planned = await plan(work, record);
        if ('reason' in planned) return planned;
        if (loop.stop.aborted) break;
        const after = await takeTurn(loop, record, planned, move);
        if ('reason' in after) return after;
        record = after;
      }
    }
  }
}

function endedBy(signal: unknown) {
  const detail = SIGNAL_WORDS[String(signal)] ?? 'Stopped by the person';
  return { kind: 'stop', reason: 'stopped', detail } as const;
}

/** No one may have wanted these. */
const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  SIGTERM: 'Ended by SIGTERM',
  SIGHUP: 'Its terminal was closed (SIGHUP)',
};

/** A state that cannot be read ends the run. */
async function stateOf(work: Work, record: RunRecord): Promise<WorkState> {
  try {
    return await work.state(record);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { kind: 'failed', why: error.message };
  }
}

async function plan(work: Work, record: RunRecord): Promise<PlannedTurn | Stopped> {
  try {
    return await work.plan(record);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { reason: 'failed', detail: whyStopped(error) };
  }
}

/** Cancelled when a person stops the run or has to be asked; `untilMoved` waits for the answer. */
async function takeAnswer({ work, runs, stop }: RunLoop, record: RunRecord): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const look = async () => {
    const now = await runs.load(record.id);
    const { kind } = await stateOf(work, record);
    if (now?.stopAsked != null || kind === 'waiting') end();
  };
  const unwatch = watchFromNow(work, look);
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  try {
    await work.takeAnswer?.(record, ended.signal);
  } finally {
    unwatch();
    stop.removeEventListener('abort', end);
  }
}

async function takeTurn(
  loop: RunLoop,
  record: RunRecord,
  planned: PlannedTurn,
  { turn, withinMs }: { readonly turn: number; readonly withinMs: number | null },
): Promise<RunRecord | Stopped> {
  const { runs, work, server, report, workspace } = loop;
  const mark = await work.mark();
  const { stepId, agent } = planned;
  const data = { turn, step_id: stepId, agent: agent.name };
  const startedAt = workspace.clock();
  await runs.record(record.id, { type: 'turn_started', at: startedAt, data });
  report.turnStarted(turn, planned);
  const issued = server.issueToken(planned);
  const watched = endOf(loop, record, withinMs);
  let result: TurnResult;
  try {
    result = await startAgent(loop, record, planned, issued.token, watched.signal);
  } finally {
    watched.over();
    issued.end();
  }
  // The last submission may still be running through the gate: the next turn needs its result.
  await endedWithin(server.answered(), ANSWER_MS);
  const refused = issued.refused();
  const ended: TurnEnded = {
    type: 'turn_ended',
    at: workspace.clock(),
    data: {
      turn,
      ...eventData(result, startedAt, await mark.hasAdvanced()),
      ...(refused !== null && { refused: shownUpTo(refused, MAX_REFUSED) }),
    },
  };
  const next = await runs.record(record.id, ended);
  report.turnEnded(next);
  if (result.cannotStart) return { reason: 'failed', detail: result.said };
  const refusal = (await work.afterTurn?.()) ?? null;
  if (refusal === null) return next;
  const after = await runs.record(record.id, {
    type: 'complete_refused',
    at: workspace.clock(),
    data: { turn, ...refusal },
  });
  report.completeRefused(after);
  return after;
}

function eventData(
  result: TurnResult,
  startedAt: string,
  advanced: boolean,
): Omit<TurnEnded['data'], 'turn'> {
  const { exit, costUsd, limitUntil, conversation, said } = result;
  // A client that succeeded in spite of a limit is not out of quota. Neither is one that names a
  // time before the turn: if such turns did not count as idle, the run would never end.
  const isLimited =
    exit !== 0 && limitUntil !== null && Date.parse(limitUntil) > Date.parse(startedAt);
  return {
    exit,
    cost_usd: costUsd,
    limit_until: isLimited ? limitUntil : null,
    advanced,
    ...(conversation !== null && { conversation }),
    // It may say what it lacks, such as a permission.
    ...((exit !== 0 || !advanced) && said !== '' && { said: lastWords(said) }),
  };
}

function lastWords(said: string): string {
  return said.length <= MAX_SAID ? said : `…${said.slice(1 - MAX_SAID)}`;
}

async function startAgent(
  { workspace, server, cwd }: RunLoop,
  record: RunRecord,
  { agent, identity, prompt }: PlannedTurn,
  token: string,
  signal: AbortSignal,
): Promise<TurnResult> {
  const { root } = workspace.paths;
  let made: string | null = null;
  const folder = () => {
    made ??= mkdtempSync(path.join(os.tmpdir(), 'deepwork-run-'));
    return made;
  };
  const conversation = record.continues ? lastConversation(record, agent.name) : null;
  const mark = markOf(root, record.id, record.process);
  try {
    return await runTurn({
      agent,
      cwd,
      root,
      signal,
      command: agent.start({ url: server.url, cwd, conversation, folder }, prompt),
      env: {
        ...programEnvironment(workspace.env),
        SGAI_MCP_URL: server.url,
        SGAI_AGENT_IDENTITY: identity,
        DEEPWORK_AGENT_TOKEN: token,
        [RUN_MARK]: mark,
      },
    });
  } finally {
    await endMarkedProcesses(mark);
    if (made !== null) rmSync(made, { recursive: true, force: true });
  }
}

function lastConversation({ turns }: RunRecord, agent: string): string | null {
  const own = turns.filter((turn) => turn.agent === agent);
  return own.findLast(({ end }) => end?.conversation !== undefined)?.end?.conversation ?? null;
}

/** Its signal is aborted when the running turn has to end. */
function endOf(loop: RunLoop, record: RunRecord, withinMs: number | null) {
  const { stop, work, runs } = loop;
  const ended = new AbortController();
  const end = () => ended.abort();
  const minutes = withinMs === null ? undefined : setTimeout(end, Math.min(withinMs, MAX_TIMER_MS));
  let lingers: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    const now = await runs.load(record.id);
    if (now?.stopAsked != null) return end();
    const state = await stateOf(work, record);
    if (state.kind === 'aborted') return end();
    const isIdle = state.kind === 'complete' || (state.kind === 'waiting' && state.atEntry);
    if (!isIdle) {
      clearTimeout(lingers);
      lingers = undefined;
    } else if (!isOver) lingers ??= setTimeout(end, LINGER_MS);
  };
  const unwatch = watchFromNow(work, look);
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  return {
    signal: ended.signal,
    over() {
      unwatch();
      isOver = true;
      stop.removeEventListener('abort', end);
      clearTimeout(minutes);
      clearTimeout(lingers);
    },
  };
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Looks once at the start, too: what happened before the watch began is not reported by it. */
function watchFromNow(work: Work, look: () => Promise<void>): Unsubscribe {
  const lookAgain = () => void look().catch(() => {});
  const unwatch = work.watch(lookAgain);
  lookAgain();
  return unwatch;
}

/** Waits until the next move is no longer this one, the time has come, or a person stops the run. */
async function untilMoved(
  { work, stop, runs, workspace }: RunLoop,
  record: RunRecord,
  move: NextMove,
  at: number = Number.POSITIVE_INFINITY,
): Promise<void> {
  let hasChanged = false;
  let wake = () => {};
  const change = () => {
    hasChanged = true;
    wake();
  };
  const unwatch = work.watch(change);
  stop.addEventListener('abort', change);
  try {
    while (!stop.aborted && Date.now() < at) {
      hasChanged = false;
      const now = (await runs.load(record.id)) ?? record;
      const next = nextMove(now, await stateOf(work, now), workspace.clock());
      if (JSON.stringify(next) !== JSON.stringify(move)) return;
      if (hasChanged) continue;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, Math.min(at - Date.now(), POLL_MS));
      });
      clearTimeout(timer);
    }
  } finally {
    unwatch();
    stop.removeEventListener('abort', change);
  }
}

export function stoppedEvent(
  at: string,
  { reason, detail }: Stopped,
  more: Omit<RunStopped['data'], 'reason' | 'detail'> = {},
): RunStopped {
  return { type: 'run_stopped', at, data: { reason, detail, ...more } };
}
