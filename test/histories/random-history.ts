// Random histories. The next call is chosen by the state of the reference model, so that most calls
// are meaningful; but the calls are plain data, and one seed always gives the same ones.

import { type Random, randomFrom } from '../support/random.ts';
import type {
  Abort,
  Actor,
  Call,
  Finish,
  GoTo,
  History,
  Overlap,
  Simple,
  Start,
  Steer,
  Value,
} from './calls.ts';
import { type Model, type ModelSession, newModel, stackOf, workflowOf } from './model.ts';
import { type Chance, namesFor, randomFinish, randomFound, rightFinish } from './random-finish.ts';
import { randomJobs } from './random-jobs.ts';
import { expectations } from './reference.ts';
import { isBefore, pathsOf } from './walk.ts';

/** What the author of a history remembers while writing it. */
interface Author {
  readonly dice: Random;
  readonly model: Model;
  readonly owners: readonly string[];
  /** The number of the process that currently acts for an owner. */
  readonly processes: Map<string, number>;
  /** Calls that finished steps, each with its intended session. */
  readonly finishes: Finish[];
  started: number;
}

export function randomHistory(seed: number): History {
  const dice = randomFrom(seed);
  const jobs = randomJobs(dice);
  const author: Author = {
    dice,
    model: newModel(jobs),
    owners: Array.from({ length: dice.between(1, 3) }, (_, index) =>
      dice.chance(0.25) ? `named-${index + 1}` : `agent-${index + 1}`,
    ),
    processes: new Map(),
    finishes: [],
    started: 0,
  };
  const calls: Call[] = [];
  for (let left = dice.between(5, dice.pick([8, 8, 12, 12, 20, 20, 30, 60])); left > 0; left--) {
    const call = nextCall(author);
    calls.push(call);
    expectations(author.model, call);
  }
  return { seed, jobs, calls };
}

function nextCall(author: Author): Call {
  const { dice, model } = author;
  const active = activeSessions(model);
  const kind = dice.weighted({
    start: author.started >= 10 ? 0 : active.length === 0 ? 40 : 7,
    finish: active.length === 0 ? 3 : 50,
    overlap: active.length === 0 ? 0 : 12,
    repeat: author.finishes.length === 0 ? 0 : 9,
    go_to: active.length === 0 ? 1 : 7,
    abort: active.length === 0 ? 1 : 4,
    steer: active.length === 0 ? 0 : 5,
    rebuild: 2,
    die: active.length === 0 ? 0 : 2,
  });
  switch (kind) {
    case 'start':
      return randomStart(author);
    case 'finish':
      return remember(author, someFinish(chanceFor(author)));
    case 'repeat':
      return repeatedFinish(author);
    case 'overlap':
      return randomOverlap(author, dice.pick(active));
    case 'go_to':
      return randomGoTo(author);
    case 'abort':
      return randomAbort(author);
    case 'steer':
      return randomSteer(
        author,
        dice.pick(dice.chance(0.85) ? active : [...model.sessions.values()]),
      );
    case 'rebuild':
      return { kind };
    case 'die':
      return { kind, process: dice.pick(active).process };
  }
}

function someFinish(chance: Chance): Finish {
  return chance.dice.chance(0.4) ? rightFinish(chance) : randomFinish(chance);
}

function randomStart(author: Author): Start {
  const { dice, model } = author;
  author.started += 1;
  const id = `${author.started.toString(16).padStart(2, '0')}000000`;
  const job = dice.pick([...model.jobs.keys()]);
  const found = randomFound(dice, model.jobs);
  return { kind: 'start', actor: someActor(author), id, job, context: someContext(dice), found };
}

/** A call as it was made before: by a client that lost our answer, or its memory. */
function repeatedFinish(author: Author): Finish {
  const { dice, finishes, model } = author;
  const call = dice.chance(0.7) ? (finishes.at(-1) as Finish) : dice.pick(finishes);
  const session = model.sessions.get(call.session ?? '');
  const actor = session === undefined ? call.actor : actorOf(author, session.owner);
  const stepId = session?.last && dice.chance(0.3) ? dice.pick(session.last.steps) : call.stepId;
  const outcomes = dice.chance(0.8) ? call.outcomes : {};
  return { ...call, actor, stepId, outcomes, outputs: reordered(dice, call.outputs) };
}

/** The same outputs if the order of names is ignored. */
function reordered(dice: Random, outputs: Value): Value {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return outputs;
  return Object.fromEntries(dice.shuffle(Object.entries(outputs)));
}

function randomOverlap(author: Author, session: ModelSession): Overlap {
  const { dice } = author;
  // Sometimes in a process that is new to the session, which may look orphaned meanwhile.
  const actor = dice.chance(0.15)
    ? newProcess(author, session.owner)
    : actorOf(author, session.owner);
  const chance = { ...chanceFor(author), session, actor };
  const first = remember(author, dice.chance(0.7) ? rightFinish(chance) : randomFinish(chance));
  const others = Array.from({ length: dice.between(0, 2) }, () =>
    dice.chance(0.5) ? first : remember(author, randomFinish(chance)),
  );
  const received = [first, ...others].map((call) => ({ ...call, session: session.id }));
  const between = dice.chance(0.5) ? meanwhile(author, session) : [];
  const order = dice.shuffle([...received.keys()]);
  // Some callers die before their turn; those whose process is killed always do.
  const killed = between.flatMap((call) => (call.kind === 'die' ? [call.process] : []));
  const alive = order.filter((index) => !killed.includes(received[index]?.actor.process ?? ''));
  return {
    kind: 'overlap',
    received,
    between,
    early: dice.chance(0.3),
    order: dice.chance(0.1) ? alive.slice(1) : alive,
  };
}

const MEANWHILE = { finish: 5, abort: 2, go_to: 3, steer: 3, nested: 1, adopted: 2 };

/** What may happen to a session while a call about it is being judged. */
function meanwhile(author: Author, session: ModelSession): Simple[] {
  const { dice, model } = author;
  const actor = actorOf(author, session.owner);
  const chance = { ...chanceFor(author), session, actor };
  const asked = session.id;
  switch (dice.weighted(MEANWHILE)) {
    case 'finish':
      return [{ ...remember(author, rightFinish(chance)), session: asked }];
    case 'abort':
      return [{ ...randomAbort(author), actor, session: asked }];
    case 'go_to':
      return [
        { ...randomGoTo(author), actor, session: asked, stepId: earlierStep(author, session) },
      ];
    case 'steer':
      // Another run of the stack may be the one that is given up.
      return [randomSteer(author, dice.chance(0.5) ? session : ofSameStack(author, session))];
    case 'nested':
      return [{ ...randomStart(author), actor }];
    case 'adopted': {
      const others = author.owners.filter((owner) => owner !== session.owner);
      if (others.length === 0) return [{ kind: 'rebuild' }];
      const heir = actorOf(author, dice.pick(others));
      const dying = stackOf(model, session.owner).map((id) => model.sessions.get(id)?.process);
      const deaths = [...new Set(dying)].map((process) => ({
        kind: 'die' as const,
        process: process as string,
      }));
      return [...deaths, { ...rightFinish({ ...chance, actor: heir }), session: asked }];
    }
  }
}

function randomGoTo(author: Author): GoTo {
  const { dice, model } = author;
  const { session, actor } = chanceFor(author);
  const id = dice.chance(0.7) ? null : (session?.id ?? null);
  const stepId = dice.chance(0.1)
    ? 'no_such_step'
    : session !== null && dice.chance(0.6)
      ? earlierStep(author, session)
      : dice.pick(['nothing', ...namesFor(model, session)]);
  return { kind: 'go_to', actor, session: id, stepId, found: randomFound(dice, model.jobs) };
}

function earlierStep({ dice, model }: Author, session: ModelSession): string {
  const names = pathsOf(workflowOf(model, session).entries)
    .filter(([, path]) => !isBefore(session.path, path))
    .map(([name]) => name);
  return dice.pick([...session.members, ...names]);
}

function randomAbort(author: Author): Abort {
  const { dice, model } = author;
  const { session, actor } = chanceFor(author);
  const own = stackOf(model, actor.owner);
  const inTheStack = own.length > 0 && dice.chance(0.4) ? dice.pick(own) : null;
  const id = dice.chance(0.1) ? (session?.id ?? 'ffffffff') : inTheStack;
  return { kind: 'abort', actor, session: id, explanation: `reason ${dice.between(1, 3)}` };
}

function ofSameStack({ dice, model }: Author, session: ModelSession): ModelSession {
  const id = dice.pick(stackOf(model, session.owner));
  return model.sessions.get(id) ?? session;
}

function randomSteer(author: Author, session: ModelSession): Steer {
  const { dice, model } = author;
  const target = dice.chance(0.8)
    ? earlierStep(author, session)
    : dice.pick(namesFor(model, session));
  return {
    kind: 'steer',
    session: session.id,
    stepId: dice.chance(0.4) ? null : target,
    person: dice.pick(['Ada', 'Bob']),
    reason: `because ${dice.between(1, 3)}`,
    found: randomFound(dice, model.jobs),
  };
}

/** Who acts next, and on which session. */
function chanceFor(author: Author): Chance {
  const { dice, model } = author;
  const actor = someActor(author);
  const active = activeSessions(model);
  const all = active.length > 0 && dice.chance(0.8) ? active : [...model.sessions.values()];
  const top = model.sessions.get(stackOf(model, actor.owner).at(-1) ?? '') ?? null;
  const session = all.length > 0 && (top === null || dice.chance(0.25)) ? dice.pick(all) : top;
  return { dice, model, actor, session, context: someContext(dice) };
}

function someActor(author: Author): Actor {
  const active = activeSessions(author.model);
  const { dice } = author;
  const owner =
    active.length > 0 && dice.chance(0.7) ? dice.pick(active).owner : dice.pick(author.owners);
  return actorOf(author, owner);
}

/** An owner whose process died, or who chose to, returns in a new one. */
function actorOf(author: Author, owner: string): Actor {
  const { model, processes, dice } = author;
  const number = processes.get(owner) ?? 1;
  const current = `${owner}#${number}`;
  if (!model.dead.has(current) && !dice.chance(0.02)) return { owner, process: current };
  return newProcess(author, owner);
}

function newProcess({ processes }: Author, owner: string): Actor {
  const number = (processes.get(owner) ?? 1) + 1;
  processes.set(owner, number);
  return { owner, process: `${owner}#${number}` };
}

function someContext(dice: Random): Record<string, string | number | boolean> {
  if (dice.chance(0.4)) return {};
  return {
    ...(dice.chance(0.6) ? { fast: dice.chance(0.5) } : {}),
    ...(dice.chance(0.5) ? { mode: dice.pick(['deep', 'wide']) } : {}),
    ...(dice.chance(0.5) ? { n: dice.between(0, 3) } : {}),
    ...(dice.chance(0.1) ? { goal: 'another goal', job_name: 'another job' } : {}),
  };
}

function activeSessions(model: Model): ModelSession[] {
  return [...model.sessions.values()].filter((session) => session.status === 'active');
}

function remember(author: Author, call: Finish): Finish {
  const { model } = author;
  const session = call.session ?? stackOf(model, call.actor.owner).at(-1) ?? null;
  author.finishes.push({ ...call, session });
  return call;
}
