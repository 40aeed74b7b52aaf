// A client of a storm: an agent that works, writes to others, reads its inbox and keeps notes, in
// random order, on a server that may die at any moment. It reacts as real clients do: it calls
// the next server, repeats calls without an answer, and asks for the current step. It judges
// nothing: every call is recorded, and the checkers judge the record.

import { setTimeout as pause } from 'node:timers/promises';
import type { Project } from '../support/project.ts';
import type { Random } from '../support/random.ts';
import { LOOK_AT_VIEW, readView } from './check-disk.ts';
import { type Answered, isNotice, isUnknown, type Recorder } from './history.ts';
import type { HttpCaller } from './http-calls.ts';
import type { ServerProcess, Slot } from './servers.ts';
import { markOf } from './violation.ts';

export type Args = Readonly<Record<string, unknown>>;

export interface ClientSetup {
  readonly name: string;
  readonly agent: string;
  readonly era: HttpCaller['era'];
  readonly slot: Slot;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly project: Project;
  /** Whether no other client of this agent works on jobs. */
  readonly isAlone: boolean;
  /** Whether views are in files that every server writes. */
  readonly hasViews: boolean;
  /** Whom it can write to. */
  readonly others: readonly string[];
  /** A number that occurs once in the run. */
  mint(): number;
  /** True when the run is over; calls in progress are still finished. */
  stopped(): boolean;
}

interface How {
  /** The last call once more, after its server was killed. */
  readonly again?: boolean;
  /** Only this process is meant. */
  readonly on?: string;
}

export interface Client extends ClientSetup {
  /** One call, sent once, or not at all if `on` is gone. Null: there was no answer. */
  attempt(tool: string, args: Args, how?: How): Promise<Answered | null>;
  /** Repeats a call until its answer is about the call. */
  insist(tool: string, args: Args): Promise<Answered>;
  /** The process that gets the next call, if it is not killed before. */
  server(): Promise<string>;
  /** Looks at the view of a session, as a person might at any time. */
  lookAtView(session: string): void;
  /** A unique text that begins with the agent's name. */
  mark(what: string): string;
}

export function openClient(setup: ClientSetup): Client {
  const { name: client, agent, era, slot, recorder, isAlone, project } = setup;
  const caller: HttpCaller = { agent, era, sessions: new Map() };
  async function living(): Promise<ServerProcess> {
    for (;;) {
      const server = await slot.current();
      if (server.isAlive()) return server;
      await pause(5);
    }
  }

  async function attempt(
    tool: string,
    args: Args,
    { again = false, on }: How = {},
  ): Promise<Answered | null> {
    const server = await living();
    const { label } = server;
    if (on !== undefined && on !== label) return null;
    const call = recorder.begin({ client, agent, server: label, tool, args, again, isAlone });
    const answer = await server.send(caller, tool, args);
    if (answer === null) return null;
    recorder.end(call, answer);
    return isUnknown(answer) ? null : answer;
  }

  return {
    ...setup,
    attempt,
    async insist(tool, args) {
      for (;;) {
        const answer = await attempt(tool, args);
        if (answer !== null && !isNotice(answer)) return answer;
      }
    },
    server: async () => (await living()).label,
    lookAtView(session) {
      if (!setup.hasViews) return;
      const args = { session_id: session };
      const look = { client, agent, server: 'disk', tool: LOOK_AT_VIEW, args };
      const call = recorder.begin(look);
      const text = readView(project.root, session) ?? '';
      recorder.end(call, { isError: false, text, data: text === '' ? null : JSON.parse(text) });
    },
    mark: (what) => markOf(agent, what, setup.mint()),
  };
}

/** One random action of a team member. */
export async function teamwork(client: Client): Promise<void> {
  const { random, insist, attempt, mark, others, agent } = client;
  const roll = random.part();
  if (roll < 0.4) {
    await insist('send_message', { toAgent: random.pick(others), body: mark('message') });
  } else if (roll < 0.65) {
    await attempt('check_inbox', {});
  } else if (roll < 0.72) {
    await attempt('check_outbox', {});
  } else if (agent === 'coordinator' && roll < 0.8) {
    const todo = { id: '1', content: mark('todo'), status: 'pending', priority: 'medium' };
    await insist('project_todowrite', { todos: [todo] });
  } else if (agent === 'coordinator' && roll < 0.85) {
    await attempt('project_todoread', {});
  } else {
    const addProgress = mark('note');
    await insist('update_workflow_state', { status: 'working', task: '', addProgress });
  }
}

/** Reads until there is nothing left, after all have stopped writing. */
export async function emptyInbox(client: Client): Promise<void> {
  for (;;) {
    const { text, isError } = await client.insist('check_inbox', {});
    if (isError || text === 'You have no messages.') return;
  }
}
