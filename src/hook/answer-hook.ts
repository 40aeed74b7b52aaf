// Answers a client's hook while sessions are open: with the capsule when a conversation starts, with
// the nudge when an agent wants to stop, and by guarding the running job's definition.

import path from 'node:path';
import { decideNudge } from '../core/session/nudges.ts';
import { agentNameOf } from '../core/session/ownership.ts';
import type { Session } from '../core/session/state.ts';
import { definitionInUse } from '../engine/definition-in-use.ts';
import { beginStep } from '../engine/step/begin-step.ts';
import { openWorkspace, type Workspace } from '../engine/workspace.ts';
import type { Clock } from '../environment/clock.ts';
import { writeCapsule } from './capsule.ts';
import { type GuardedPath, refusedWrite } from './guarded-files.ts';
import type { HookAnswer, HookCall, HookClient, Moment } from './hook-client.ts';
import { writeNudge, writeWait } from './nudge-text.ts';
import { activeSessions, stackOfClient } from './sessions-of-client.ts';
import { listUnfinished } from './unfinished.ts';

export interface HookRequest {
  readonly project: string;
  readonly bundled: { readonly standardJobsDir: string; readonly standardGuidesDir: string };
  readonly client: HookClient;
  readonly moment: Moment;
  readonly call: HookCall;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

export async function answerHook(request: HookRequest): Promise<HookAnswer | null> {
  const { env, clock } = request;
  const options = { projectRoot: request.project, ...request.bundled, env, clock };
  const workspace = openWorkspace(options);
  try {
    const sessions = await activeSessions(workspace);
    const stack = stackOfClient(sessions, request.client, request.call, env);
    switch (request.moment) {
      case 'start':
        return await atStart(workspace, stack, sessions);
      case 'stop':
        return request.call.isWokenLater ? null : await atStop(workspace, stack);
      case 'tool':
        return await atTool(workspace, stack, request);
    }
  } finally {
    await workspace.close();
    workspace.stop();
  }
}

async function atStart(
  workspace: Workspace,
  stack: readonly Session[],
  sessions: readonly Session[],
): Promise<HookAnswer | null> {
  const top = stack.at(-1);
  if (top !== undefined) {
    const text = await capsuleOf(workspace, stack, top);
    return { kind: 'context', text };
  }
  const text = listUnfinished(sessions, workspace.processes, Date.parse(workspace.clock()));
  return text === null ? null : { kind: 'context', text };
}

async function capsuleOf(
  workspace: Workspace,
  stack: readonly Session[],
  top: Session,
): Promise<string> {
  const inUse = await definitionInUse(workspace, top);
  return writeCapsule(top, inUse.workflow, await beginStep(top, inUse), stack.slice(0, -1));
}

async function atStop(workspace: Workspace, stack: readonly Session[]): Promise<HookAnswer | null> {
  const top = stack.at(-1);
  if (top === undefined || (await isWaitingForPerson(workspace, top))) return null;
  const gate = top.gates.find(({ process }) => workspace.processes.livenessOf(process) === 'alive');
  if (gate !== undefined) return { kind: 'continue', reason: writeWait(top, gate) };
  // Throws for a step that cannot be read: the agent could not do it anyway, so it may stop.
  const begin = await beginStep(top, await definitionInUse(workspace, top));
  const { maxNudges } = await workspace.settings();
  const { session, changed } = await workspace.store.commit(
    top.id,
    (now) => decideNudge(now, workspace.clock(), maxNudges),
    async () => null,
  );
  if (!changed || session.nudges.letGo) return null;
  return { kind: 'continue', reason: writeNudge(session, begin, maxNudges) };
}

/** A question or an approval is open. */
async function isWaitingForPerson(workspace: Workspace, session: Session): Promise<boolean> {
  if (session.position.reason === 'waiting_for_person') return true;
  if ((await workspace.journal.names('team/')).length === 0) return false;
  return workspace.team.questions.isAsking(agentNameOf(session.owner));
}

async function atTool(
  workspace: Workspace,
  stack: readonly Session[],
  { call, cwd }: HookRequest,
): Promise<HookAnswer | null> {
  if (!(await workspace.settings()).protectDefinitions) return null;
  const guarded: GuardedPath[] = stack.map(({ jobDir, jobName }) => ({
    path: jobDir,
    what: `the definition of '${jobName}', which is running,`,
    instead: `Finish the run or abort it first, or ask your user to change ${path.basename(jobDir)}.`,
  }));
  const reason = refusedWrite(call.writes, cwd, guarded);
  return reason === null ? null : { kind: 'deny', reason };
}
