// How a client works on jobs. There are two ways, as there are with real agents:
//
//   alone     the agent has one client. Its calls mean the top of its stack, with or without
//             naming the session; it nests, goes back, gives up and makes its last call again if
//             the server was killed. A stranger is a new process of nobody in each life, and takes
//             its stack over by the ids.
//   together  several clients of one agent, at different servers. They share a list of sessions,
//             and name the session in every call; what they saw may be past by the time they act

import type { Project } from '../support/project.ts';
import type { Random } from '../support/random.ts';
import type { Args, Client } from './clients.ts';
import { type Answered, isNotice } from './history.ts';
import { entriesUpTo, JOB, ROUTES, sentNames, stopAt, WORKFLOW_NAMES } from './job.ts';

interface Place {
  readonly session: string;
  readonly open: readonly string[];
}

const DEEPEST = 3;

export function workAlone(client: Client, isStranger: boolean): () => Promise<void> {
  const { random, attempt, insist, mark, agent } = client;
  let stack: readonly { readonly session_id: string; readonly workflow: string }[] = [];
  let place: Place | null = null;
  let isKnown = false;
  /** The process whose life this is, and the last call in it that changes something. */
  let life = '';
  let last: { readonly tool: string; readonly args: Args } | null = null;
  /** The process that owns the stack of a stranger. */
  let owner = '';
  /** Where sessions went back to last: to go there again would be the same call again. */
  const returns = new Map<string, string>();

  function learn(answer: Answered | null): void {
    isKnown = answer !== null && !answer.isError && answer.data.begin_step !== null;
    if (answer === null || answer.isError || answer.data.stack === undefined) return;
    place = answer.data.begin_step ? placeIn(answer.data.begin_step) : null;
    stack = answer.data.stack;
    if (place !== null) client.lookAtView(place.session);
  }

  async function look(): Promise<void> {
    const { data } = await insist('get_active_workflow', {});
    const isMine = data.active && data.goal.startsWith(`${agent}/`);
    place = isMine ? placeIn(data.begin_step) : null;
    stack = isMine ? data.stack : [];
    isKnown = true;
    if (!random.chance(0.3)) return;
    for (const { session_id } of stack) await insist('get_active_workflow', { session_id });
  }

  /** A new call that is accepted takes the stack over; to be told again what happened does not. */
  async function change(tool: string, args: Args, again = false): Promise<void> {
    last = { tool, args };
    const answer = await attempt(tool, args, { again, on: life });
    if (answer !== null && !answer.isError && !again) owner = life;
    if (answer !== null && isNotice(answer)) last = null;
    learn(answer);
  }

  /** A new process of a stranger: bottom first; a refused call adopts and does nothing else. */
  async function takeBackStack(): Promise<void> {
    if (!isStranger || owner === life) return;
    for (const { session_id } of stack) {
      const given = { step_id: 'nowhere', session_id };
      if ((await attempt('go_to_step', given, { on: life })) === null) return;
    }
    owner = life;
  }

  async function start(args: Args, again = false): Promise<void> {
    await takeBackStack();
    if (!isStranger || owner === life) await change('start_workflow', args, again);
  }

  /** What an agent does if it does not know whether its call arrived. */
  async function recover(): Promise<void> {
    const again = last;
    const isAgain = again !== null && random.chance(0.8);
    if (isStranger || random.chance(0.7)) await look();
    if (isAgain && again.tool === 'start_workflow') await start(again.args, true);
    else if (isAgain) await change(again.tool, again.args, true);
    else last = null;
    isKnown = false;
  }

  return async () => {
    const server = await client.server();
    const isNew = life !== '' && server !== life;
    life = server;
    if (isNew) await recover();
    if (!isKnown || random.chance(0.15)) await look();
    if ((await client.server()) !== life) return;
    if (place === null) return start(startArgs(client));
    const { session } = place;
    const roll = random.part();
    if (roll < 0.13 && stack.length < DEEPEST) return start(startArgs(client));
    // Without its id a call means the top; and once that is over, the one below.
    const isOnly = stack.filter(({ workflow }) => workflow === stack.at(-1)?.workflow).length === 1;
    const named = isOnly && random.chance(0.5) ? {} : { session_id: session };
    if (roll < 0.23) {
      const step_id = random.pick(entriesUpTo(place.open[0] as string).flat());
      if (returns.get(session) === step_id) return;
      returns.set(session, step_id);
      return change('go_to_step', { step_id, ...named });
    }
    if (roll < 0.29) return change('abort_workflow', { explanation: mark('reason'), ...named });
    const given = finishArgs(client, place);
    if (roll < 0.34) {
      const { outputs, step_id } = given;
      const only = step_id === undefined ? {} : { step_id };
      await insist('validate_step_outputs', { outputs, session_id: session, ...only });
      return;
    }
    returns.delete(session);
    await change('finished_step', { ...given, ...named });
  };
}

/** `sessions` is shared by all clients of the agent; `twin` is one of them at another server. */
export function workTogether(
  client: Client,
  sessions: Set<string>,
  twin: Client | null = null,
): () => Promise<void> {
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
    const call: [tool: string, args: Args] = random.chance(0.07)
      ? ['abort_workflow', { explanation: mark('reason'), session_id }]
      : ['finished_step', { ...finishArgs(client, placeIn(data.begin_step)), session_id }];
    const isTwice = twin !== null && random.chance(0.2);
    await Promise.all([insist(...call), ...(isTwice ? [twin.insist(...call)] : [])]);
    client.lookAtView(session_id);
  };
}

function startArgs({ random, mark }: Client): Args {
  const context = random.chance(0.5) ? { route: random.pick(ROUTES) } : {};
  const workflow_name = random.pick(WORKFLOW_NAMES);
  return { goal: mark('goal'), job_name: JOB, workflow_name, context };
}

/** Steps without outputs, or whose outputs the step after them has too, have to be named. */
const AMBIGUOUS = ['fetch', 'bring', 'close', 'tidy'];

function finishArgs({ random, mark, project }: Client, { open }: Place): Args {
  const entry = entriesUpTo(open[0] as string).at(-1) as readonly string[];
  const steps = someOf(random, open);
  const notes = mark('finish');
  const files = steps.flatMap((step) =>
    sentNames(entry, step).map(([sent]) => [sent, makeFile(project, `${notes}-${sent}`)]),
  );
  const isNamed = AMBIGUOUS.includes(steps[0] as string) || random.chance(0.5);
  return {
    outputs: Object.fromEntries(files),
    notes,
    context: { seen: notes, ...(random.chance(0.3) ? { route: random.pick(ROUTES) } : {}) },
    ...(random.chance(0.6) ? { quality_review_override_reason: 'seen by a person' } : {}),
    ...(steps.length === 1 && isNamed ? { step_id: steps[0] } : {}),
  };
}

/** Several members at once by their outputs, or one without outputs by its name. */
function someOf(random: Random, open: readonly string[]): readonly string[] {
  const byName = open.filter((step) => stopAt(step).outputs.length === 0);
  const byOutputs = open.filter((step) => !byName.includes(step));
  const isNamed = byOutputs.length === 0 || (byName.length > 0 && random.chance(0.3));
  return isNamed ? [random.pick(byName)] : random.oneOrMore(byOutputs);
}

function makeFile(project: Project, name: string): string {
  const file = `out/${name.replace('/', '-')}.txt`;
  project.write(file, `${name}\n`);
  return file;
}

function placeIn(begin: {
  session_id: string;
  step_id: string;
  concurrent_steps: readonly { step_id: string }[];
}): Place {
  const open = [begin.step_id, ...begin.concurrent_steps.map(({ step_id }) => step_id)];
  return { session: begin.session_id, open };
}
