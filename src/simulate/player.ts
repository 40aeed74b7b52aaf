// A scripted agent that calls the tools of the real engine, and the scripted person who answers its
// questions.

import { mapConcurrent } from '../async/map-concurrent.ts';
import type { Session } from '../core/session/state.ts';
import { type Caller, COORDINATOR } from '../core/team/caller.ts';
import type { BeginStep } from '../engine/answer-types.ts';
import type { Workspace } from '../engine/workspace.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { findOperation } from '../operations/table.ts';
import { callTool } from '../server/tools.ts';

export interface CallResult {
  /** Null if the call was not refused. */
  readonly error: string | null;
  readonly status: string | null;
  readonly begin: BeginStep | null;
}

export interface Player {
  call(tool: string, input: object): Promise<CallResult>;
  /** The same call several times at once. */
  callAtOnce(tool: string, input: object, times: number): Promise<readonly CallResult[]>;
  /** A call that the client has already aborted. */
  callAborted(tool: string, input: object): Promise<void>;
  session(id: string): Promise<Session | null>;
  /** Answers the oldest open question; false if there is none. */
  answerAsPerson(choice: string): Promise<boolean>;
  close(): Promise<void>;
}

const PERSON = 'simulated person';

/** `name` owns the stack, so each run needs its own. */
export function openPlayer(workspace: Workspace, name: string): Player {
  const caller: Caller = { name: COORDINATOR, model: null, variant: null };
  const owner = { identity: name, process: systemProcesses.own() };

  async function call(tool: string, input: object, signal: AbortSignal): Promise<CallResult> {
    const operation = findOperation(tool);
    if (operation === undefined) throw new Error(`no tool ${tool}`);
    const after: ((delivered: boolean) => Promise<void>)[] = [];
    const context = {
      workspace,
      owner,
      caller,
      signal,
      progress: () => {},
      afterAnswer: (work: (delivered: boolean) => Promise<void>) => void after.push(work),
    };
    const log = { call: () => {}, fault: (_: string, error: unknown) => String(error) };
    const { result, refusal } = await callTool(operation, input, context, log);
    for (const work of after) await work(!signal.aborted);
    const content = (result.structuredContent ?? {}) as {
      status?: string;
      begin_step?: BeginStep | null;
    };
    return {
      error: refusal === null ? null : refusal.message,
      status: content.status ?? null,
      begin: content.begin_step ?? null,
    };
  }
  const neverAborted = new AbortController().signal;

  return {
    call: (tool, input) => call(tool, input, neverAborted),
    callAtOnce: (tool, input, times) =>
      mapConcurrent(Array.from({ length: times }), times, () => call(tool, input, neverAborted)),
    async callAborted(tool, input) {
      await call(tool, input, AbortSignal.abort()).catch(() => {});
    },
    session: (id) => workspace.store.load(id),
    async answerAsPerson(choice) {
      const { questions } = workspace.team;
      const [open] = await questions.open();
      if (open === undefined) return false;
      const known = open.choices.includes(choice) ? choice : open.choices[0];
      const choices = known === undefined ? [] : [known];
      const other = known === undefined ? 'Go on.' : null;
      await questions.answer(open.id, { choices, other }, PERSON, 'simulation');
      return true;
    },
    async close() {
      workspace.stop();
      await workspace.close();
    },
  };
}
