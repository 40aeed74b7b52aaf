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
  let stack: readonly string[] = [];
  let workflows: readonly string[] = [];
  let place: Place | null = null;
  let isKnown = false;
  /** The last call that changes something, and the process that got it. */
  let last: { readonly tool: string; readonly args: Args } | null = null;
  let life = '';
  let ownsStack = true;

  /** Null if the call has to be thought about anew: it was lost, or it is over. */
  function learn(answer: Answered | null): void {
    isKnown = answer !== null && !answer.isError && answer.data.begin_step !== null;
    const data = answer?.data;
    if (answer === null || answer.isError || data.stack === undefined) return;
    place = data.begin_step ? placeIn(data.begin_step) : null;
    stack = data.stack.map(({ session_id }: { session_id: string }) => session_id);
    workflows = data.stack.map(({ workflow }: { workflow: string }) => workflow);
    if (place !== null) client.lookAtView(place.session);
  }

  async function look(): Promise<void> {
    const { data } = await insist('get_active_workflow', {});
    const isMine = data.active && data.goal.startsWith(`${agent}/`);
    place = isMine ? placeIn(data.begin_step) : null;
    const of = (name: string) =>
      isMine ? data.stack.map((item: Record<string, string>) => item[name]) : [];
    [stack, workflows] = [of('session_id'), of('workflow')];
    isKnown = true;
    if (!random.chance(0.3)) return;
    for (const session_id of stack) await insist('get_active_workflow', { session_id });
  }

  async function change(tool: string, args: Args): Promise<void> {
    last = { tool, args };
    const answer = await attempt(tool, args);
    if (answer !== null && isNotice(answer)) last = null;
    life = client.server();
    if (answer !== null) ownsStack = true;
    learn(answer);
  }

  /** A new process of a stranger: bottom first; a refused call adopts and does nothing else. */
  async function takeBackStack(): Promise<void> {
    if (ownsStack) return;
    for (const session_id of stack) await insist('go_to_step', { step_id: 'nowhere', session_id });
    ownsStack = true;
  }

  async function sendAgain(): Promise<void> {
    if (last === null) return;
    if (last.tool === 'start_workflow') await takeBackStack();
    learn(await insist(last.tool, last.args, true));
  }

  /** What an agent does if it does not know whether its call arrived. */
  async function recover(): Promise<void> {
    ownsStack = !isStranger;
    const looksFirst = isStranger || random.chance(0.7);
    if (looksFirst) await look();
    if (random.chance(0.8)) await sendAgain();
    last = null;
    isKnown = false;
  }

  async function start(): Promise<void> {
    await takeBackStack();
    await change('start_workflow', startArgs(client));
  }

  return async () => {
    const { label } = await client.slot.current();
    if (life !== '' && label !== life) await recover();
    life = label;
    if (!isKnown || random.chance(0.15)) await look();
    if (place === null) return start();
    const roll = random.part();
    if (roll < 0.13 && stack.length < DEEPEST) return start();
    // Without its id a call means the top; and once that is over, the one below.
    const isOnly = workflows.filter((name) => name === workflows.at(-1)).length === 1;
    const named = isOnly && random.chance(0.5) ? {} : { session_id: place.session };
    if (roll < 0.23) {
      const step_id = random.pick(entriesUpTo(place.open[0] as string).flat());
      const isRepeated = last?.tool === 'go_to_step' && last.args.step_id === step_id;
      return isRepeated ? undefined : change('go_to_step', { step_id, ...named });
    }
    if (roll < 0.29) return change('abort_workflow', { explanation: mark('reason'), ...named });
    const given = finishArgs(client, place);
    if (roll < 0.34) {
      const { outputs, step_id } = given;
      const session_id = place.session;
      await insist('validate_step_outputs', {
        outputs,
        session_id,
        ...(step_id ? { step_id } : {}),
      });
      return;
    }
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
