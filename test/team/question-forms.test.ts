// Questions as forms that a client shows to its person, in both eras of the protocol.

import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  ALL,
  answer,
  BETWEEN,
  type Form,
  GO,
  LIVE,
  logged,
  newAsking,
  OPEN,
  outcomeIn,
  SAID,
  STDIO,
} from './partners.ts';

const MANY = { question: 'Which?', choices: ['a, b', 'c', 'c'], multiSelect: true };

const listed = (...choices: string[]) => choices.map((each) => ({ const: each, title: each }));

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
    expect(outcomeIn(await ask([GO, MANY]))).toBe(
      'Human response:\n  1. Other: when I say so (q-1, elicitation, <time>)\n  2. Selected: c, a, b (q-2, elicitation, <time>)',
    );
    const other = { type: 'string' };
    const items = { anyOf: listed('a, b', 'c') };
    expect(shown).toMatchObject([
      {
        message: 'Go?',
        requestedSchema: {
          type: 'object',
          properties: { choice: { type: 'string', oneOf: listed('yes', 'no') }, other },
        },
      },
      {
        message: 'Which?',
        requestedSchema: {
          type: 'object',
          properties: { choices: { type: 'array', items }, other },
        },
      },
    ]);
    const by = 'form of deepwork-tests';
    expect(logged(project, 'answered')).toMatchObject([
      { data: { by, route: 'elicitation' } },
      { data: { by, route: 'elicitation' } },
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
      expect(outcomeIn(await asking)).toBe(SAID('no', 'terminal'));
      expect(asked).toBe(1);
    },
  );

  test('a form with invalid answers is shown three times, unless it is corrected', async () => {
    verifies('TEAM-27', 'TEAM-30');
    const project = newAsking(2);
    const messages: string[] = [];
    let isCorrected = false;
    const { ask } = await open(project.root, ({ message }) => {
      messages.push(message);
      const choice = isCorrected && message.includes("'perhaps'") ? 'yes' : 'perhaps';
      return { action: 'accept', content: { choice, other: ' ' } };
    });
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(messages).toHaveLength(3);
    expect(messages[2]).toMatch(/'perhaps'[\s\S]*Go\?$/);
    expect(logged(project, 'answered')).toEqual([]);
    isCorrected = true;
    const text = await ask([{ ...GO, question: 'And now?' }]);
    expect(outcomeIn(text)).toBe(SAID('yes', 'elicitation', 'q-2'));
  });
});

describe.each(LIVE)('forms during a call, over %s', (_way, open) => {
  test('a form is withdrawn when another route was first, and when the call is cancelled', async () => {
    verifies('TEAM-29', 'TEAM-31');
    const project = newAsking(30);
    const forms: Form[] = [];
    const { ask } = await open(project.root, (form) => {
      forms.push(form);
      return new Promise((_resolve, reject) => {
        form.signal.addEventListener('abort', () => reject(new Error('taken back')));
      });
    });
    const given = new AbortController();
    const left = ask([GO], { signal: given.signal }).catch(() => 'given up');
    await until(() => forms.length === 1);
    given.abort();
    expect(await left).toBe('given up');
    await until(() => forms[0]?.signal.aborted === true);
    expect((await answer(project)).stdout).toContain('q-1');
    const asking = ask([GO]);
    await until(() => forms.length === 2);
    expect((await answer(project, 'q-1', '--choose', 'no')).code).toBe(0);
    expect(outcomeIn(await asking)).toBe(SAID('no', 'terminal'));
    await until(() => forms[1]?.signal.aborted === true);
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
    fill('yes');
    await until(() => logged(project, 'answered').length === 1);
    expect(outcomeIn(await ask([GO]))).toBe(SAID('yes', 'elicitation'));
    expect(shown).toBe(1);
  });

  test('a declined form is not shown again on this connection', async () => {
    verifies('TEAM-30');
    const project = newAsking(1);
    let asked = 0;
    const { ask } = await open(project.root, () => {
      asked += 1;
      return { action: 'decline' };
    });
    for (let calls = 0; calls < 2; calls++) expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(asked).toBe(1);
  });
});

describe.each(BETWEEN)('forms between calls, over %s', (_way, open) => {
  test.each([
    [['--choose', 'no'], `${SAID('no', 'terminal')}\nAlready answered: q-1`, 'answered'],
    [['--dismiss'], 'Dismissed without an answer: q-1.\nAlready dismissed: q-1', 'dismissed'],
  ])('a form that comes back after %j is reported as too late', async (how, said, type) => {
    verifies('TEAM-29');
    const project = newAsking(30);
    const { ask } = await open(project.root, async () => {
      expect((await answer(project, 'q-1', ...how)).code).toBe(0);
      return { action: 'accept', content: { choice: 'yes' } };
    });
    expect(outcomeIn(await ask([GO]))).toBe(said);
    expect(logged(project, 'answered', 'dismissed')).toMatchObject([{ type }]);
  });
});
