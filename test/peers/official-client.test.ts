// The official client against the fixture behind our wiring, in every era over HTTP: everything that
// a server can send to a client in the middle of a call gets through.

import type { Client, ClientOptions, ElicitResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connectOverHttp, HTTP_ERAS, type HttpEra } from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { CHOICES_FORM } from './fixture/asking-tools.ts';
import { createFixture } from './fixture-server.ts';

const CAPABILITIES: ClientOptions['capabilities'] = { elicitation: {}, sampling: {}, roots: {} };

async function connect(era: HttpEra): Promise<Client> {
  const { url } = await serveInProcess({ createServer: createFixture });
  return connectOverHttp(url, { era, options: { capabilities: CAPABILITIES } });
}

function textOf(result: Awaited<ReturnType<Client['callTool']>>): string {
  const [block] = result.content as { text?: string }[];
  return block?.text ?? '';
}

test.each(HTTP_ERAS)('a form with every kind of choice is filled in: %s', async (era) => {
  const client = await connect(era);
  const content = {
    untitledSingle: 'option1',
    titledSingle: 'value2',
    legacyEnum: 'opt3',
    untitledMulti: ['option1', 'option3'],
    titledMulti: ['value1', 'value2'],
  };
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return { action: 'accept', content };
  });
  const result = await client.callTool({ name: 'test_elicitation_sep1330_enums' });
  expect(asked).toMatchObject([CHOICES_FORM]);
  expect(JSON.parse(textOf(result))).toMatchObject([{ action: 'accept', content }]);
});

test.each(HTTP_ERAS)('a person may decline: %s', async (era) => {
  const client = await connect(era);
  const replies: ElicitResult[] = [{ action: 'decline' }, { action: 'cancel' }];
  for (const reply of replies) {
    client.setRequestHandler('elicitation/create', async () => reply);
    const result = await client.callTool({
      name: 'test_elicitation',
      arguments: { message: 'Who are you?' },
    });
    expect(JSON.parse(textOf(result))).toMatchObject([reply]);
  }
});

test.each(HTTP_ERAS)('a question can follow an answer: %s', async (era) => {
  const client = await connect(era);
  const replies = [{ name: 'Ada' }, { color: 'green' }];
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: replies.shift() ?? {},
  }));
  const result = await client.callTool({ name: 'test_input_required_result_multi_round' });
  expect(textOf(result)).toBe('Ada likes green');
});

test.each(HTTP_ERAS)('a person, a model and the roots are asked at once: %s', async (era) => {
  const client = await connect(era);
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }));
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'Good morning' },
  }));
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///here' }] }));
  const text = textOf(
    await client.callTool({ name: 'test_input_required_result_multiple_inputs' }),
  );
  for (const answer of ['state-ok', 'Ada', 'Good morning', 'file:///here']) {
    expect(text).toContain(answer);
  }
});

test.each(HTTP_ERAS)('progress arrives while a call runs: %s', async (era) => {
  const client = await connect(era);
  const told: number[] = [];
  await client.callTool(
    { name: 'test_tool_with_progress' },
    { onprogress: ({ progress }) => told.push(progress) },
  );
  expect(told).toEqual([0, 50, 100]);
});
