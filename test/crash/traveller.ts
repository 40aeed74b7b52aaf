// An agent that works through workflows while its server is killed again and again. In
// each life of the server it looks at the disk, asks where the work stands, sends again
// what it has no answer to, and goes on; at every point it compares what the server, the
// journal and the view say with its own model of what must be.

import { expect } from 'vitest';
import type { Answer } from '../support/connect.ts';
import { newProject, type Project } from '../support/project.ts';
import { type Disk, lookAt } from './disk.ts';
import { layFuse } from './fuse.ts';
import { writeJourney } from './itinerary.ts';
import { briefing, type Expected, type ModelSession, stackItem } from './model.ts';
import { Killed, keepServer } from './mortal-server.ts';
import { abortMove, finishMove, goBackMove, type Move, startMove, type World } from './moves.ts';
import type { Random } from './random.ts';
import type { Identity } from './raw-server.ts';

export interface Journey {
  readonly random: Random;
  readonly identity: Identity;
  readonly kills: number;
  /** Raised when another traveller has failed. */
  readonly signal: AbortSignal;
}

export interface Tally {
  kills: number;
  calls: number;
  /** Calls without an answer that were found to have taken effect, and not to have. */
  effective: number;
  ineffective: number;
  /** Calls that were sent a second time. */
  repeated: number;
  sessions: number;
  events: number;
  /** Lines that do not count. */
  voids: number;
  /** Stream files without an event: starts that were cut off. */
  emptyStreams: number;
  /** Lives that found the stack in several pieces, because its adoption was cut off. */
  splitStacks: number;
  /** Files among the views that nobody will ever read. */
  leftovers: number;
}

/** The last move, which may be sent again. */
interface LastMove {
  readonly move: Move;
  readonly happened: boolean;
  readonly expected: Expected;
  /** Null when it was lost. */
  readonly answer: Answer | null;
}

const DEEPEST = 3;

export async function travel({ random, identity, kills, signal }: Journey): Promise<Tally> {
  const project = newProject();
  writeJourney(project);
  const disk = lookAt(project.root);
  const server = keepServer(project.root, identity);
  const world = newWorld(project);
  const known = new Map<string, ModelSession>();
  const tally = newTally();

  let pending: Move | null = null;
  let last: LastMove | null = null;
  /** A server that is its own owner has to adopt the stack in each life. */
  let ownsStack = false;

  async function make(move: Move): Promise<void> {
    pending = move;
    const answer = await server.call(move.tool, move.args);
    expect(answer.text, move.mark).toMatch(/^\{/);
    pending = null;
    const id = move.session?.id ?? answer.data.begin_step.session_id;
    await tookEffect(move, id, answer);
    ownsStack = true;
    expect(answer.data.stack).toEqual(world.stack.map(stackItem));
    await disk.expectViewShows(id);
  }

  async function tookEffect(move: Move, id: string, answer: Answer | null): Promise<void> {
    const expected = move.apply(id);
    const session = move.session ?? (world.stack.at(-1) as ModelSession);
    known.set(id, session);
    last = { move, happened: true, expected, answer };
    if (answer !== null) expectAnswer(answer, expected);
    expect((await disk.read(id)).log).toEqual(session.log);
  }

  /** The disk says what became of a call without answer: all of it happened, or nothing. */
  async function learnFromDisk(): Promise<void> {
    const strangers: string[] = [];
    for (const id of disk.sessionIds()) {
      disk.view(id);
      if (!known.has(id) && (await disk.read(id)).session !== null) strangers.push(id);
    }
    if (pending !== null) {
      const move: Move = pending;
      const id = move.session?.id ?? strangers.pop();
      const before = move.session?.log ?? [];
      const log = id === undefined ? [] : (await disk.read(id)).log;
      const happened = log.length > before.length;
      expect(log).toEqual(happened ? [...before, move.mark] : before);
      pending = null;
      if (happened) await tookEffect(move, id as string, null);
      else last = { move, happened, expected: {}, answer: null };
      tally[happened ? 'effective' : 'ineffective'] += 1;
    }
    expect(strangers).toEqual([]);
    for (const session of recent()) {
      expect((await disk.read(session.id)).log).toEqual(session.log);
    }
  }

  /** What an agent does that does not know whether it was heard. */
  async function sendAgain({ move, happened, expected, answer: first }: LastMove): Promise<void> {
    tally.repeated += 1;
    if (!happened || move.onceMore === 'harmless') {
      if (move.session === null) await takeBackStack('whole or not');
      return make(move.again());
    }
    if (move.onceMore === 'known') return;
    const { args } = move.again();
    const answer = await server.call(move.tool, args);
    if (move.onceMore === 'refused') {
      expect(answer.data).toMatchObject({ error: { code: 'session_not_found' } });
    } else {
      expect(answer.text, `${move.mark}, sent again`).toMatch(/^\{/);
      expectAnswer(answer, expected);
      if (first !== null) expect(withoutStack(answer)).toEqual(withoutStack(first));
    }
    for (const session of recent()) {
      expect((await disk.read(session.id)).log).toEqual(session.log);
    }
  }

  /** After a restart the server must tell where everything stands, from the disk alone. */
  async function lookAround(): Promise<void> {
    const pieces = await stackPieces();
    const answer = await server.call('get_active_workflow', {});
    const top = world.stack.at(-1);
    if (pieces > 1) {
      expect(answer.data).toMatchObject({ active: false, session_id: null });
      expect(answer.data.orphans).toHaveLength(pieces);
    } else {
      expect(answer.data).toMatchObject({
        active: top !== undefined,
        session_id: top?.id ?? null,
        begin_step: top === undefined ? null : briefing(top),
      });
    }
    for (const session of world.stack) {
      const { data } = await server.call('get_active_workflow', { session_id: session.id });
      expect(data).toMatchObject({
        active: true,
        session_id: session.id,
        goal: session.goal,
        begin_step: briefing(session),
        truncated: false,
      });
      expect(completedIn(data)).toEqual(Object.fromEntries(session.done));
    }
    for (const session of recent()) await disk.expectViewShows(session.id);
  }

  /** In how many hands the stack is; one, unless an adoption was cut off. */
  async function stackPieces(): Promise<number> {
    if (ownsStack || identity !== 'own process') return Math.min(1, world.stack.length);
    const owners = new Set<string | undefined>();
    for (const { id } of world.stack) owners.add((await disk.read(id)).session?.owner.identity);
    return owners.size;
  }

  /** Adopts by id, bottom first; a refused call adopts and does nothing else. */
  async function takeBackStack(when: 'in pieces' | 'whole or not'): Promise<void> {
    if (identity !== 'own process' || ownsStack || world.stack.length === 0) return;
    const pieces = await stackPieces();
    if (pieces > 1) tally.splitStacks += 1;
    else if (when === 'in pieces') return;
    for (const { id } of world.stack) {
      const answer = await server.call('go_to_step', { step_id: 'nowhere', session_id: id });
      expect(answer.data).toMatchObject({ error: { code: 'step_not_found' } });
    }
    ownsStack = true;
  }

  async function recover(): Promise<void> {
    ownsStack = false;
    await learnFromDisk();
    const lost = last;
    const resendFirst = random.chance(0.3);
    const resend = lost !== null && random.chance(0.8);
    // A call without a session id finds no stack while that is in pieces.
    if ((await stackPieces()) > 1) {
      await lookAround();
      await takeBackStack('in pieces');
    }
    if (resend && resendFirst) await sendAgain(lost);
    await lookAround();
    if (resend && !resendFirst) await sendAgain(lost);
  }

  async function act(): Promise<void> {
    const top = world.stack.at(-1);
    if (top === undefined) return make(startMove(world, random));
    const roll = random.part();
    if (roll < 0.15 && world.stack.length < DEEPEST) {
      await takeBackStack('whole or not');
      return make(startMove(world, random));
    }
    const session = random.chance(0.8) ? top : random.pick(world.stack);
    if (roll < 0.27) return make(goBackMove(world, random, session));
    if (roll < 0.34) return make(abortMove(world, random, session));
    if (roll < 0.4) {
      const { args } = finishMove(world, random, session);
      const { outputs } = args;
      const look = { outputs, session_id: session.id };
      const { data } = await server.call('validate_step_outputs', look);
      expect(data).toMatchObject({ problems: [] });
      return;
    }
    return make(finishMove(world, random, session));
  }

  /** Those on the stack, and the one that was acted on last. */
  function recent(): Set<ModelSession> {
    const acted = last?.happened ? known.get(last.move.session?.id ?? '') : undefined;
    return new Set([...world.stack, ...(acted === undefined ? [] : [acted])]);
  }

  while (server.counts.kills < kills && !signal.aborted) {
    server.begin(layFuse(random));
    try {
      await recover();
      for (;;) await act();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
  server.begin(null);
  await recover();
  while (world.stack.length > 0) {
    await make(finishMove(world, random, world.stack.at(-1) as ModelSession));
  }
  await server.end();
  await audit(disk, known, tally);
  return { ...tally, ...server.counts };
}

/** Everything that ever was, once more, when all is over. */
async function audit(
  disk: Disk,
  known: ReadonlyMap<string, ModelSession>,
  tally: Tally,
): Promise<void> {
  for (const id of disk.sessionIds()) {
    const { log, events, voids, session } = await disk.read(id);
    expect(log).toEqual(known.get(id)?.log ?? []);
    expect(session?.status).toBe(known.get(id)?.status);
    await disk.expectViewShows(id);
    tally.events += events.length;
    tally.voids += voids;
    if (session === null) tally.emptyStreams += 1;
  }
  for (const id of known.keys()) expect(disk.sessionIds()).toContain(id);
  tally.sessions = known.size;
  tally.leftovers = disk.leftovers().length;
}

function expectAnswer({ data }: Answer, expected: Expected): void {
  expect(data).toMatchObject(expected);
  if (expected.all_outputs) expect(data.all_outputs).toEqual(expected.all_outputs);
}

function withoutStack({ data }: Answer): object {
  const { stack: _, ...rest } = data;
  return rest;
}

function completedIn(data: Answer['data']): Record<string, unknown> {
  const steps: { step_id: string; notes: string; outputs: object }[] = data.completed_steps;
  return Object.fromEntries(
    steps.map(({ step_id, notes, outputs }) => [step_id, { notes, outputs }]),
  );
}

function newWorld(project: Project): World {
  let minted = 0;
  return {
    stack: [],
    makeFile(name) {
      const file = `out/${name}.txt`;
      project.write(file, `${name}\n`);
      return file;
    },
    mint: (kind) => `${kind}-${++minted}`,
  };
}

function newTally(): Tally {
  return {
    kills: 0,
    calls: 0,
    effective: 0,
    ineffective: 0,
    repeated: 0,
    sessions: 0,
    events: 0,
    voids: 0,
    emptyStreams: 0,
    splitStacks: 0,
    leftovers: 0,
  };
}
