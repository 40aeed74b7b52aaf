// The history of one question, played step by step on the real ledger: calls that wait, people who
// answer by one route or another, timeouts, clients that cancel, processes that die. What a person
// really said is known here, so every answer can be compared with it.

import { expect } from 'vitest';
import { Refused } from '../../src/core/refusal.ts';
import { askedText } from '../../src/core/team/question-texts.ts';
import type { Asked } from '../../src/core/team/state.ts';
import { askPerson } from '../../src/engine/person/ask-person.ts';
import { type FormReply, type LiveForms, newFormMemory } from '../../src/engine/person/forms.ts';
import { openAnswers } from '../../src/environment/answer-delivery.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemProcesses } from '../../src/environment/process/process-identity.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { QuestionLedger } from '../../src/team/question-ledger.ts';
import { TEAM_STREAM } from '../../src/team/store.ts';
import { openTeamService } from '../../src/team/team.ts';

const QUESTION: Asked = { question: 'Go?', choices: ['yes', 'no'], multiSelect: false };
const CALLER = { name: 'coordinator', model: null, variant: null };

export const STEPS = [
  'ask', // the agent calls, and goes on to wait
  'answer', // a person answers at the terminal
  'again', // the same answer once more, by the page
  'form', // the person fills in the form, if one is on show
  'leave', // the person declines the form
  'bad', // an answer that does not fit
  'both', // two people at the same moment
  'dismiss',
  'timeout', // calls have waited long enough
  'cancel', // the client gives its calls up
  'lost', // from now on answers do not reach the client
  'crash', // the process dies, and another is started
] as const;
export type Step = (typeof STEPS)[number];

interface Call {
  readonly done: Promise<void>;
  readonly cancel: AbortController;
  readonly timeout: AbortController;
  /** The question it waits for, once it has asked. */
  id: string | null;
  dead: boolean;
}

interface Process {
  readonly ledger: QuestionLedger;
  readonly memory: LiveForms['memory'];
  readonly calls: Set<Call>;
  /** Fills in the current form. */
  fill: ((reply: FormReply) => void) | null;
}

export async function playQuestion(
  journal: Journal,
  stateFile: string,
  steps: readonly Step[],
): Promise<void> {
  /** What the ledger accepted from a person, by the id of the question. */
  const said = new Map<string, string>();
  const told: string[] = [];
  const handedOver = new Set<string>();
  let connected = true;

  function start(): Process {
    const room = openTeamService({
      journal,
      stateFile,
      clock: systemClock(),
      processes: systemProcesses,
      agents: async () => ({
        kind: 'agents',
        source: 'callers',
        agents: [{ name: 'coordinator', models: [], command: null }],
      }),
      answers: openAnswers(),
    });
    return { ledger: room.questions, memory: newFormMemory(), calls: new Set(), fill: null };
  }
  let now = start();

  function ask(): Call {
    const process = now;
    // Asking again after an answer was delivered must not return it once more.
    const before = [...handedOver];
    const call: Call = {
      done: Promise.resolve().then(run),
      cancel: new AbortController(),
      timeout: new AbortController(),
      id: null,
      dead: false,
    };
    // Time runs out on request.
    const ledger: QuestionLedger = {
      ...process.ledger,
      async ask(caller, questions) {
        const set = await process.ledger.ask(caller, questions);
        call.id = set.ids[0] ?? null;
        return set;
      },
      waitFor: (ids, signal, milliseconds) =>
        milliseconds === Number.POSITIVE_INFINITY
          ? process.ledger.waitFor(ids, AbortSignal.any([signal, call.timeout.signal]), 60_000)
          : process.ledger.waitFor(ids, signal, milliseconds),
    };
    const forms: LiveForms = {
      kind: 'live',
      by: 'client',
      memory: process.memory,
      show: (_question, _problem, signal) =>
        new Promise((resolve) => {
          process.fill = resolve;
          signal.addEventListener('abort', () => resolve({ action: 'cancel' }));
        }),
    };
    async function run(): Promise<void> {
      const { signal } = call.cancel;
      const waiting = { ledger, caller: CALLER, signal, waitMs: Number.POSITIVE_INFINITY };
      const asking = await askPerson({ ...waiting, progress: () => {}, forms }, [QUESTION]);
      if (asking.kind === 'forms') throw new Error('forms are shown during the call');
      const text = askedText(asking);
      checkText(text);
      if (call.dead || signal.aborted || !connected) return;
      for (const id of before) expect(text).not.toContain(`(${id}, `);
      told.push(text);
      if (!asking.closed) return;
      await process.ledger.collected(asking.set);
      for (const { id } of asking.questions) handedOver.add(id);
    }
    process.calls.add(call);
    call.done.finally(() => process.calls.delete(call)).catch(() => {});
    return call;
  }

  async function say(choice: string, by: string, route: string): Promise<boolean> {
    const [question] = await now.ledger.open();
    const id = question?.id ?? [...said.keys()].at(-1) ?? 'q-1';
    try {
      const closed = await now.ledger.answer(id, { choices: [choice], other: null }, by, route);
      remember(closed.id, choice, route);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(Refused);
      const { code } = (error as Refused).refusal;
      if (choice === 'perhaps') return false;
      expect(['question_answered', 'question_dismissed', 'question_unknown']).toContain(code);
      if (code === 'question_answered') expect(said.has(id)).toBe(true);
      return false;
    }
  }

  function remember(id: string, choice: string, route: string): void {
    expect(said.has(id), 'a question is answered once').toBe(false);
    said.set(id, `Selected: ${choice} (${id}, ${route}, `);
  }

  /** A text reports a human response if and only if a human gave it. */
  function checkText(text: string, isOver = false): void {
    const [, response] = /^Human response: (.*)$/m.exec(text) ?? [];
    const [, open] = /^No human response yet\. Still open: (q-\d+)\. /m.exec(text) ?? [];
    const [, dismissed] = /^Dismissed without an answer: (q-\d+)\.$/m.exec(text) ?? [];
    expect([response, open, dismissed].filter((each) => each !== undefined)).toHaveLength(1);
    if (response === undefined) return;
    const [, id = ''] = /\((q-\d+), /.exec(response) ?? [];
    // The asker may get it a moment before the answering call returns.
    if (said.has(id) || isOver) expect(response).toContain(said.get(id));
  }

  const ended = (calls: Iterable<Call>) => Promise.all([...calls].map(({ done }) => done));

  async function fillIn(reply: FormReply): Promise<void> {
    const [shown] = now.memory.openForms.entries();
    if (shown === undefined || now.fill === null) return;
    const [id, form] = shown;
    now.fill(reply);
    const end = await form.ended;
    if (end.kind === 'taken' && reply.action === 'accept') {
      remember(id, reply.choices[0] as string, 'elicitation');
    }
  }

  const play: Record<Step, () => Promise<unknown>> = {
    async ask() {
      const call = ask();
      // Until it has asked: the next step happens while it waits, or after it is done.
      let over = false;
      const end = () => {
        over = true;
      };
      call.done.then(end, end);
      const { openForms, declined } = now.memory;
      const waits = (id: string | null) => id !== null && (openForms.has(id) || declined.has(id));
      while (!over && !waits(call.id)) await new Promise((resolve) => setImmediate(resolve));
    },
    answer: () => say('yes', 'ada', 'terminal'),
    again: () => say('yes', 'ada', 'dashboard'),
    form: () => fillIn({ action: 'accept', choices: ['no'], other: null }),
    leave: () => fillIn({ action: 'decline' }),
    bad: () => say('perhaps', 'eve', 'terminal'),
    async both() {
      const won = await Promise.all([say('yes', 'ada', 'terminal'), say('no', 'bob', 'dashboard')]);
      expect(won.filter(Boolean).length).toBeLessThan(2);
    },
    async dismiss() {
      const [question] = await now.ledger.open();
      if (question !== undefined) await now.ledger.dismiss(question.id, 'ada', 'terminal');
    },
    async timeout() {
      for (const { timeout } of now.calls) timeout.abort();
      await ended(now.calls);
    },
    async cancel() {
      for (const { cancel } of now.calls) cancel.abort();
      await ended(now.calls);
    },
    async lost() {
      connected = false;
    },
    async crash() {
      for (const call of now.calls) call.dead = true;
      await play.cancel();
      connected = true;
      now = start();
    },
  };

  for (const step of steps) {
    await play[step]();
    // Calls whose question was closed are over, and no others.
    if ((await now.ledger.open()).length === 0) await ended(now.calls);
  }

  // In any case no answer is lost, and none comes back once it was delivered.
  await play.crash();
  for (const [id, answer] of said) {
    const times = () => told.filter((text) => text.includes(answer)).length;
    if (times() === 0) {
      await play.ask();
      await play.timeout();
    }
    expect(times(), `${id} was told`).toBeGreaterThan(0);
    expect(handedOver.has(id)).toBe(true);
  }
  await play.ask();
  await play.timeout();
  for (const text of told) checkText(text, true);
  const closed = new Set<string>();
  const answered: string[] = [];
  for await (const { type, data } of journal.read(TEAM_STREAM, 0)) {
    if (type !== 'answered' && type !== 'dismissed') continue;
    const { id, choices, route } = data as { id: string; choices?: string[]; route: string };
    expect(closed.has(id), `${id} is closed once`).toBe(false);
    closed.add(id);
    if (type === 'answered') answered.push(`Selected: ${choices?.join(', ')} (${id}, ${route}, `);
  }
  expect(answered).toEqual([...said.values()]);
}
