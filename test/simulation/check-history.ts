// Plays a history against the reference, call by call, and reports the first difference.

import { type Answer, agrees } from './answers.ts';
import type { Call, History } from './calls.ts';
import { factsOfSession } from './facts.ts';
import { isSame } from './plain.ts';
import { play } from './play.ts';
import { openPureShell } from './pure-shell.ts';
import { expectations } from './reference.ts';
import { factsOf, type Model, newModel, stackOf } from './reference-model.ts';
import type { Shell } from './shell.ts';
import { openStage } from './stage.ts';

export interface Difference {
  /** Index of the call at which it showed. */
  readonly at: number;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The reference's answers to a history, and its final state. */
export interface Prediction {
  readonly answers: readonly (readonly Answer[])[];
  readonly model: Model;
}

export function predict(history: History): Prediction {
  const model = newModel(history.jobs);
  return { answers: history.calls.map((call) => expectations(model, call)), model };
}

/** On the decider alone; null if everything is as predicted. */
export async function checkHistory(
  history: History,
  { answers, model }: Prediction = predict(history),
): Promise<Difference | null> {
  // Freezing and folding again cost as much as all the rest.
  const guarded = history.seed % 8 === 0;
  const shell = openPureShell(guarded);
  const stage = openStage(history.jobs, shell, false);
  for (const [at, call] of history.calls.entries()) {
    const expected = answers[at] ?? [];
    try {
      const actual = await play(stage, call);
      const odd = expected.findIndex((each, index) => {
        const other = actual[index];
        return other === undefined || !agrees(each, other);
      });
      if (odd !== -1) return { at, expected: expected[odd], actual: actual[odd] };
    } catch (error) {
      return { at, expected, actual: error };
    }
  }
  const at = history.calls.length - 1;
  try {
    if (guarded) await shell.rebuild();
  } catch (error) {
    return { at, expected: 'the same sessions from their events', actual: error };
  }
  const difference = await compareAll(model, shell);
  return difference === null ? null : { at, ...difference };
}

/** Every session and every stack, including those that the last call did not concern. */
export async function compareAll(
  model: Model,
  shell: Shell,
): Promise<{ expected: unknown; actual: unknown } | null> {
  for (const session of model.sessions.values()) {
    const real = await shell.load(session.id);
    const expected = factsOf(session);
    const actual = real && factsOfSession(shell, real);
    if (!isSame(expected, actual)) return { expected, actual };
  }
  for (const owner of model.stacks.keys()) {
    const expected = stackOf(model, owner);
    const actual = (await shell.stack(owner)).map((session) => session.id);
    if (!isSame(expected, actual)) return { expected, actual };
  }
  return null;
}

/** Removes every call without which the history still fails. */
export async function shorten(
  history: History,
  check: (history: History) => Promise<Difference | null>,
): Promise<{ history: History; difference: Difference }> {
  const failing = await check(history);
  if (failing === null) throw new Error('a history that does not fail cannot be shortened');
  let best = { history: upTo(history, failing.at), difference: failing };
  for (let left = true; left; ) {
    left = false;
    for (let index = best.history.calls.length - 1; index >= 0; index--) {
      const calls = best.history.calls.filter((_, at) => at !== index);
      const shorter = { ...history, calls };
      // A call may speak of a session that is not there without the call that was left out.
      const difference = isPossible(shorter) ? await check(shorter).catch(() => null) : null;
      if (difference === null) continue;
      best = { history: upTo(shorter, difference.at), difference };
      left = true;
    }
  }
  return best;
}

function upTo(history: History, at: number): History {
  return { ...history, calls: history.calls.slice(0, at + 1) };
}

/** The dead do not call: a process must not act after its death. */
function isPossible({ calls }: History): boolean {
  const dead = new Set<string>();
  const speaks = (call: Call): boolean => {
    if (call.kind === 'die') dead.add(call.process);
    if (call.kind === 'overlap') return call.received.every(speaks) && call.between.every(speaks);
    return !('actor' in call) || !dead.has(call.actor.process);
  };
  return calls.every(speaks);
}

export function describeDifference(
  { history, difference }: { history: History; difference: Difference },
  howToReplay: string,
): string {
  const show = (value: unknown) =>
    value instanceof Error ? (value.stack ?? value.message) : JSON.stringify(value, null, 2);
  return [
    `Seed ${history.seed} differs from the reference. Play it again: ${howToReplay}`,
    `Jobs: ${JSON.stringify(history.jobs)}`,
    'Calls:',
    ...history.calls.map((call, index) => `  ${index + 1}. ${JSON.stringify(call)}`),
    `Expected: ${show(difference.expected)}`,
    `Actual: ${show(difference.actual)}`,
  ].join('\n');
}
