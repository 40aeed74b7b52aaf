// One of eight processes that work on the same session without knowing of each other: it reads
// the session's current step and then acts, by which time the others may have moved it on. It
// records its answers, to be compared with the journal.

import type { Answer } from '../support/calls.ts';
import type { Random } from '../support/random.ts';
import type { RawServer } from './raw-server.ts';

export interface Told {
  readonly pid: number;
  /** By notes: what each accepted submission was answered. */
  readonly accepted: Map<string, Answer>;
  /** By notes: why each refused submission was refused. */
  readonly refused: Map<string, string>;
  /** What each return to an earlier step was answered, in order. */
  readonly returns: Answer[];
  /** Why returns were refused. */
  readonly noReturn: string[];
}

export interface Hammer {
  readonly server: RawServer;
  readonly random: Random;
  readonly sessionId: string;
  readonly blows: number;
  readonly name: string;
  /** The step that would end the session; a process that reaches it goes back instead. */
  readonly lastStep: string;
  readonly firstStep: string;
  makeFile(name: string): string;
}

interface Briefing {
  readonly step_id: string;
  readonly step_expected_outputs: readonly { readonly name: string }[];
}

export async function hammer(work: Hammer): Promise<Told> {
  const { server, random, sessionId } = work;
  const told: Told = {
    pid: server.pid,
    accepted: new Map(),
    refused: new Map(),
    returns: [],
    noReturn: [],
  };
  for (let blow = 0; blow < work.blows; blow++) {
    const { data } = await server.call('get_active_workflow', { session_id: sessionId });
    const members: Briefing[] = [data.begin_step, ...data.begin_step.concurrent_steps];
    if (members[0]?.step_id === work.lastStep) await goBack(work.firstStep);
    else if (random.chance(0.1)) await goBack(random.pick(members).step_id);
    else await submit(random.pick(members), `${work.name}-${blow}`);
  }
  return told;

  async function goBack(step: string): Promise<void> {
    const answer = await server.call('go_to_step', { step_id: step, session_id: sessionId });
    if (answer.isError) told.noReturn.push(answer.data.error.code);
    else told.returns.push(answer);
  }

  async function submit(member: Briefing, notes: string): Promise<void> {
    const answer = await server.call('finished_step', {
      session_id: sessionId,
      notes,
      // Unique files: no submission equals an earlier one of another process.
      outputs: Object.fromEntries(
        member.step_expected_outputs.map(({ name }) => [name, work.makeFile(notes)]),
      ),
      ...(random.chance(0.7) ? { step_id: member.step_id } : {}),
    });
    if (answer.isError) told.refused.set(notes, answer.data.error.code);
    else told.accepted.set(notes, answer);
  }
}
