// How a client works on jobs. There are two ways, as there are with real agents:
//
//   one by one   the agent has one client. Its calls mean the top of its stack, with or
//                without naming the session; it nests, goes back and gives up
//   together     several clients of one agent, or processes that come back as strangers.
//                They share a list of sessions, and name the session in every call; what
//                they saw may be past by the time they act

import type { Random } from '../support/random.ts';
import type { Client } from './clients.ts';
import type { Answered } from './history.ts';
import { entriesOf, JOB, outputOf, WORKFLOW_NAMES } from './job-fixture.ts';

interface Place {
  readonly session: string;
  readonly open: readonly string[];
}

const DEEPEST = 3;

export function workOneByOne(client: Client): () => Promise<void> {
  const { random, attempt, insist, mark } = client;
  let place: Place | null = null;
  let depth = 0;
  let isKnown = false;

  function learn(answer: Answered | null): void {
    isKnown = answer !== null && !answer.isError;
    const data = answer?.data;
    place = isKnown && data.begin_step ? placeIn(data.begin_step) : null;
    depth = data?.stack?.length ?? depth;
  }

  async function look(): Promise<void> {
    const { data } = await insist('get_active_workflow', {});
    const isMine = data.active && data.goal.startsWith(`${client.agent}/`);
    place = isMine ? placeIn(data.begin_step) : null;
    depth = isMine ? data.stack.length : 0;
    isKnown = true;
  }

  async function start(): Promise<void> {
    const args = startArgs(client);
    const answer = await attempt('start_workflow', args);
    if (answer !== null) return learn(answer);
    if (random.chance(0.5)) return learn(await insist('start_workflow', args));
    isKnown = false;
  }

  async function giveUp({ session }: Place): Promise<void> {
    const explanation = mark('reason');
    const first = random.chance(0.5) ? { explanation } : { explanation, session_id: session };
    // Repeated without a session, it would mean the one below.
    const answer = await attempt('abort_workflow', first);
    if (answer === null) await insist('abort_workflow', { explanation, session_id: session });
    isKnown = false;
  }

  return async () => {
    if (!isKnown || random.chance(0.15)) await look();
    if (place === null) return start();
    const roll = random.part();
    if (roll < 0.12 && depth < DEEPEST) return start();
    const named = random.chance(0.5) ? { session_id: place.session } : {};
    if (roll < 0.22) {
      const step_id = random.pick(stepsUpTo(place));
      return learn(await attempt('go_to_step', { step_id, ...named }));
    }
    if (roll < 0.28) return giveUp(place);
    const answer = await insist('finished_step', { ...finishArgs(client, place), ...named });
    learn(answer);
    // Part of the entry is still open, or the session below continues: ask.
    if (place === null) isKnown = false;
  };
}

/** `sessions` is shared by all clients of the agent. */
export function workTogether(client: Client, sessions: Set<string>): () => Promise<void> {
  const { random, attempt, insist, mark } = client;

  async function start(): Promise<void> {
    const args = startArgs(client);
    const first = await attempt('start_workflow', args);
    const answer = first ?? (random.chance(0.5) ? await insist('start_workflow', args) : null);
    if (answer !== null && !answer.isError) sessions.add(answer.data.begin_step.session_id);
  }

  return async () => {
    if (sessions.size === 0 || (sessions.size < DEEPEST && random.chance(0.2))) return start();
    const session_id = random.pick([...sessions]);
    const { isError, data } = await insist('get_active_workflow', { session_id });
    if (isError) return void sessions.delete(session_id);
    const place = placeIn(data.begin_step);
    if (random.chance(0.07)) {
      await insist('abort_workflow', { explanation: mark('reason'), session_id });
    } else {
      await insist('finished_step', { ...finishArgs(client, place), session_id });
    }
  };
}

function startArgs({ random, mark }: Client): Record<string, unknown> {
  return { goal: mark('goal'), job_name: JOB, workflow_name: random.pick(WORKFLOW_NAMES) };
}

function finishArgs({ random, mark, project }: Client, { open }: Place): Record<string, unknown> {
  const steps = random.oneOrMore(open);
  const notes = mark('finish');
  const file = `out/${notes.replace('/', '-')}.txt`;
  project.write(file, `${notes}\n`);
  return {
    outputs: Object.fromEntries(steps.map((step) => [outputOf(step), file])),
    notes,
    ...(steps.length === 1 && chanceOfNaming(random) ? { step_id: steps[0] } : {}),
  };
}

const chanceOfNaming = (random: Random) => random.chance(0.5);

function placeIn(begin: {
  session_id: string;
  step_id: string;
  concurrent_steps: readonly { step_id: string }[];
}): Place {
  const open = [begin.step_id, ...begin.concurrent_steps.map(({ step_id }) => step_id)];
  return { session: begin.session_id, open };
}

/** The steps to which one can go back from here. */
function stepsUpTo({ open }: Place): readonly string[] {
  const workflow = WORKFLOW_NAMES.find((name) =>
    entriesOf(name)
      .flat()
      .includes(open[0] as string),
  );
  const entries = entriesOf(workflow as string);
  const current = entries.findIndex((members) => members.includes(open[0] as string));
  return entries.slice(0, current + 1).flat();
}
