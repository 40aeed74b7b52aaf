// An agent that works through workflows while its server is killed again and again. In each life
// of the server it reads the disk, asks for the current step, repeats calls without an answer, and
// continues; at every point it compares the server, the journal and the view with its own model.

import { expect } from 'vitest';
import type { Answer } from '../support/calls.ts';
import { newProject } from '../support/project.ts';
import type { Random } from '../support/random.ts';
import { type Disk, lookAt } from './disk.ts';
import {
  audit,
  expectAnswer,
  expectJournals,
  expectSameAnswer,
  expectStanding,
} from './expectations.ts';
import { writeJourney } from './job-fixture.ts';
import { startKillTimer } from './kill-timer.ts';
import { type Expected, type ModelSession, stackItem } from './model.ts';
import { Killed, keepServer, type Signs } from './mortal-server.ts';
import {
  abortMove,
  finishMove,
  goBackMove,
  type Move,
  newWorld,
  startMove,
  type World,
} from './moves.ts';
import type { Identity } from './raw-server.ts';
import { newTally, type Tally } from './tally.ts';

export interface Journey {
  readonly random: Random;
  readonly identity: Identity;
  readonly kills: number;
  /** Raised when another client has failed. */
  readonly signal: AbortSignal;
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
  const world = newWorld(project);
  const server = keepServer(project.root, identity, () => signsOn(disk, world));
  const known = new Map<string, ModelSession>();
  const tally = newTally();

  /** In progress; still set if it killed a server. */
  let pending: Move | null = null;
  let wasSent = true;
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
    await expectJournals(disk, [session]);
  }

  /** The disk shows whether an unanswered call happened: entirely, or not at all. */
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
      expect(log).toEqual(happened && wasSent ? [...before, move.mark] : before);
      pending = null;
      if (happened) await tookEffect(move, id as string, null);
      else last = { move, happened, expected: {}, answer: null };
      if (wasSent) tally[happened ? 'effective' : 'ineffective'] += 1;
    }
    expect(strangers).toEqual([]);
    await expectJournals(disk, recent());
  }

  /** What an agent does if it does not know whether its call arrived. */
  async function sendAgain({ move, happened, expected, answer: first }: LastMove): Promise<void> {
    tally.repeated += 1;
    if (!happened || move.onceMore === 'harmless') {
      if (move.session === null) await takeBackStack();
      return make(move.again());
    }
    const answer = await server.call(move.tool, move.again().args);
    expect(answer.text, `${move.mark}, sent again`).toMatch(/^\{/);
    expectAnswer(answer, expected);
    if (first !== null) expectSameAnswer(answer, first);
    await expectJournals(disk, recent());
  }

  /** After a restart the server must report the state of everything from the disk alone. */
  async function lookAround(): Promise<void> {
    const answer = await server.call('get_active_workflow', {});
    const top = world.stack.at(-1);
    if (top === undefined) {
      expect(answer.data).toMatchObject({ active: false, session_id: null, begin_step: null });
    } else {
      expectStanding(answer, top);
    }
    for (const session of world.stack) {
      const { id } = session;
      expectStanding(await server.call('get_active_workflow', { session_id: id }), session);
    }
    for (const session of recent()) await disk.expectViewShows(session.id);
  }

  /** How many owners the stack has: one, unless its adoption was interrupted. */
  async function countPieces(): Promise<number> {
    if (ownsStack || identity !== 'own process') return Math.min(1, world.stack.length);
    const owners = new Set<string | undefined>();
    for (const { id } of world.stack) owners.add((await disk.read(id)).session?.owner.identity);
    return owners.size;
  }

  /** Adopts by id, bottom first; a refused call adopts and does nothing else. */
  async function takeBackStack(): Promise<void> {
    if (identity !== 'own process' || ownsStack || world.stack.length === 0) return;
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
    const resend = lost !== null && random.chance(0.8);
    const looksFirst = random.chance(0.7);
    // A stack whose adoption was interrupted is still found as one.
    if ((await countPieces()) > 1) tally.splitStacks += 1;
    if (resend && !looksFirst) await sendAgain(lost);
    await lookAround();
    if (resend && looksFirst) await sendAgain(lost);
  }

  async function act(): Promise<void> {
    const top = world.stack.at(-1);
    if (top === undefined) return make(startMove(world, random));
    const roll = random.part();
    if (roll < 0.15 && world.stack.length < DEEPEST) {
      await takeBackStack();
      return make(startMove(world, random));
    }
    const session = random.chance(0.8) ? top : random.pick(world.stack);
    const back = roll < 0.27 ? goBackMove(world, random, session) : null;
    if (back !== null) return make(back);
    if (roll < 0.34) return make(abortMove(world, random, session));
    if (roll < 0.4) {
      const { outputs, step_id } = finishMove(world, random, session).args;
      const given = { outputs, step_id, session_id: session.id };
      const { data } = await server.call('validate_step_outputs', given);
      return void expect(data).toMatchObject({ problems: [] });
    }
    return make(finishMove(world, random, session));
  }

  /** Those on the stack, and the one that was acted on last. */
  function recent(): Set<ModelSession> {
    const acted = last?.happened ? last.move.session : null;
    return new Set([...world.stack, ...(acted === null ? [] : [acted])]);
  }

  while (server.counts.kills < kills && !signal.aborted) {
    server.begin(startKillTimer(random));
    try {
      await recover();
      for (;;) await act();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      wasSent = error.sent;
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

function signsOn(disk: Disk, world: World): Signs {
  const ids = world.stack.map(({ id }) => id);
  const written = disk.written(ids);
  const shown = disk.shown();
  return {
    written: () => disk.written(ids) !== written,
    shown: () => disk.shown() > shown,
  };
}
