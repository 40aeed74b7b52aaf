// Questions as forms that a client shows to its person, in both eras of the protocol.

import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  ALL,
  answer,
  awayPerson,
  BETWEEN,
  type Form,
  GO,
  LIVE,
  logged,
  newAsking,
  OPEN,
  outcomeIn,
  STDIO,
} from './partners.ts';

const MANY = { question: 'Which?', choices: ['a, b', 'c', 'c'], multiSelect: true };

describe.each([...STDIO, ...ALL])('over %s', (_way, open) => {
  test('there is one form for each question, and the answers are those of the person', async () => {
    verifies('TEAM-28');
    const project = newAsking(30);
    const shown: Pick<Form, 'message' | 'requestedSchema'>[] = [];
    const { ask } = await open(project.root, ({ message, requestedSchema }) => {
      shown.push({ message, requestedSchema });
      return message === 'Go?'
        ? { action: 'accept', content: { other: 'when I say so' } }
        : { action: 'accept', content: { choices: ['c', 'a, b'], other: '' } };
    });
    const text = await ask([GO, MANY]);
    expect(outcomeIn(text)).toBe(
      'Human response:\n  1. Other: when I say so (q-1, elicitation, <time>)\n  2. Selected: c, a, b (q-2, elicitation, <time>)',
    );
    expect(shown).toEqual([
      {
        message: 'Go?',
        requestedSchema: {
          type: 'object',
          properties: {
            choice: expect.objectContaining({
              type: 'string',
              oneOf: [
                { const: 'yes', title: 'yes' },
                { const: 'no', title: 'no' },
              ],
            }),
            other: expect.objectContaining({ type: 'string' }),
          },
        },
      },
      {
        message: 'Which?',
        requestedSchema: {
          type: 'object',
          properties: {
            choices: expect.objectContaining({
              type: 'array',
              items: {
                anyOf: [
                  { const: 'a, b', title: 'a, b' },
                  { const: 'c', title: 'c' },
                ],
              },
            }),
            other: expect.objectContaining({ type: 'string' }),
          },
        },
      },
    ]);
    expect(logged(project, 'answered').map(({ data }) => [data.by, data.route])).toEqual([
      ['form of deepwork-tests', 'elicitation'],
      ['form of deepwork-tests', 'elicitation'],
    ]);
  });
});

describe.each(ALL)('over %s', (_way, open) => {
  test.each(['decline', 'cancel'] as const)(
    '%s is no answer: the call keeps waiting',
    async (action) => {
      verifies('TEAM-30');
      const project = newAsking(30);
      let asked = 0;
      const { ask } = await open(project.root, () => {
        asked += 1;
        return { action, content: { choice: 'yes' } };
      });
      let ended = false;
      const asking = ask([GO]).finally(() => {
        ended = true;
      });
      await until(() => asked === 1);
      expect((await answer(project)).stdout).toContain('q-1');
      expect(ended).toBe(false);
      expect(logged(project, 'answered')).toEqual([]);
      expect((await answer(project, 'q-1', '--choose', 'no')).code).toBe(0);
      expect(outcomeIn(await asking)).toBe('Human response: Selected: no (q-1, terminal, <time>)');
      expect(asked).toBe(1);
    },
  );

  test('a form with invalid answers is shown three times, then no more', async () => {
    verifies('TEAM-27', 'TEAM-30');
    const project = newAsking(2);
    const messages: string[] = [];
    const { ask } = await open(project.root, ({ message }) => {
      messages.push(message);
      return { action: 'accept', content: { choice: 'perhaps', other: ' ' } };
    });
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(messages).toHaveLength(3);
    expect(messages[2]).toMatch(/'perhaps' is not one of the choices[\s\S]*Go\?$/);
    expect(logged(project, 'answered')).toEqual([]);
  });

  test('a corrected form counts', async () => {
    verifies('TEAM-27');
    const project = newAsking(30);
    const { ask } = await open(project.root, ({ message }) =>
      message === 'Go?'
        ? { action: 'accept', content: {} }
        : { action: 'accept', content: { choice: 'yes' } },
    );
    expect(outcomeIn(await ask([GO]))).toBe(
      'Human response: Selected: yes (q-1, elicitation, <time>)',
    );
  });
});

describe.each(LIVE)('forms during a call, over %s', (_way, open) => {
  test('a form is withdrawn when another route was first', async () => {
    verifies('TEAM-29');
    const project = newAsking(30);
    const { forms, person } = awayPerson();
    const { ask } = await open(project.root, person);
    const asking = ask([GO]);
    await until(() => forms.length === 1);
    expect((await answer(project, 'q-1', '--choose', 'no')).code).toBe(0);
    expect(outcomeIn(await asking)).toBe('Human response: Selected: no (q-1, terminal, <time>)');
    await until(() => forms[0]?.signal.aborted === true);
    expect(logged(project, 'answered')).toHaveLength(1);
  });

  test('a form stays when the call ends, and its late answer goes to its question', async () => {
    verifies('TEAM-32', 'TEAM-31');
    const project = newAsking(1);
    let fill = (_choice: string) => {};
    let shown = 0;
    const { ask } = await open(project.root, () => {
      shown += 1;
      return new Promise((resolve) => {
        fill = (choice) => resolve({ action: 'accept', content: { choice } });
      });
    });
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(shown).toBe(1);
    fill('yes');
    await until(() => logged(project, 'answered').length === 1);
    expect(outcomeIn(await ask([GO]))).toBe(
      'Human response: Selected: yes (q-1, elicitation, <time>)',
    );
    expect(shown).toBe(1);
  });

  test('a cancelled call withdraws its form', async () => {
    verifies('TEAM-31');
    const project = newAsking(30);
    const { forms, person } = awayPerson();
    const { ask } = await open(project.root, person);
    const given = new AbortController();
    const asking = ask([GO], { signal: given.signal }).catch(() => 'given up');
    await until(() => forms.length === 1);
    given.abort();
    expect(await asking).toBe('given up');
    await until(() => forms[0]?.signal.aborted === true);
    expect((await answer(project)).stdout).toContain('q-1');
    const again = ask([GO]);
    await until(() => forms.length === 2);
    await answer(project, 'q-1', '--choose', 'yes');
    expect(outcomeIn(await again)).toContain('Selected: yes (q-1, terminal');
  });

  test('a declined form is not shown again on this connection', async () => {
    verifies('TEAM-30');
    const project = newAsking(1);
    let asked = 0;
    const { ask } = await open(project.root, () => {
      asked += 1;
      return { action: 'decline' };
    });
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(asked).toBe(1);
  });
});

describe.each(BETWEEN)('forms between calls, over %s', (_way, open) => {
  test('a form that comes back too late is reported as such', async () => {
    verifies('TEAM-29');
    const project = newAsking(30);
    const { ask } = await open(project.root, async () => {
      expect((await answer(project, 'q-1', '--choose', 'no', '--by', 'ada')).code).toBe(0);
      return { action: 'accept', content: { choice: 'yes' } };
    });
    expect(outcomeIn(await ask([GO]))).toBe(
      'Human response: Selected: no (q-1, terminal, <time>)\nAlready answered: q-1',
    );
    expect(logged(project, 'answered')).toHaveLength(1);
  });

  test('a question that was dismissed meanwhile stays dismissed', async () => {
    verifies('TEAM-29');
    const project = newAsking(30);
    const { ask } = await open(project.root, async () => {
      expect((await answer(project, 'q-1', '--dismiss')).code).toBe(0);
      return { action: 'accept', content: { choice: 'yes' } };
    });
    expect(outcomeIn(await ask([GO]))).toBe(
      'Dismissed without an answer: q-1.\nAlready dismissed: q-1',
    );
    expect(logged(project, 'answered')).toEqual([]);
  });
});
