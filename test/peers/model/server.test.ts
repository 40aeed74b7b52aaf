// The scripted model without a client: the forms that no client above uses, and how a script
// that is asked too much fails.

import { expect, onTestFinished, test } from 'vitest';
import { post } from '../../support/http.ts';
import { call, inOrder, type Move, say } from './script.ts';
import { startModel } from './server.ts';

async function scripted(...moves: Move[]) {
  const model = await startModel(inOrder(...moves));
  onTestFinished(() => model.close());
  return model;
}

const PARAMETERS = { type: 'object', properties: {} };

/** A question with one tool of ours, in each form that answers in one piece. */
const WHOLE = {
  anthropic: {
    path: '/v1/messages?beta=true',
    body: {
      messages: [{ role: 'user', content: 'Go on' }],
      tools: [{ name: 'mcp__deepwork__finished_step', input_schema: PARAMETERS }],
    },
    called: { content: [{ type: 'tool_use', name: 'mcp__deepwork__finished_step', input: {} }] },
  },
  responses: {
    path: '/v1/responses',
    body: {
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on' }] }],
      tools: [
        {
          type: 'namespace',
          name: 'mcp__deepwork',
          tools: [{ type: 'function', name: 'finished_step' }],
        },
      ],
    },
    called: {
      output: [{ type: 'function_call', namespace: 'mcp__deepwork', name: 'finished_step' }],
    },
  },
  gemini: {
    path: '/v1beta/models/any:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Go on' }] }],
      tools: [{ functionDeclarations: [{ name: 'mcp_deepwork_finished_step' }] }],
    },
    called: {
      candidates: [
        { content: { parts: [{ functionCall: { name: 'mcp_deepwork_finished_step' } }] } },
      ],
    },
  },
  chat: {
    path: '/v1/chat/completions',
    body: {
      messages: [{ role: 'user', content: 'Go on' }],
      tools: [{ type: 'function', function: { name: 'deepwork_finished_step' } }],
    },
    called: {
      choices: [{ message: { tool_calls: [{ function: { name: 'deepwork_finished_step' } }] } }],
    },
  },
};

test.for(Object.entries(WHOLE))(
  'answers in one piece: %s',
  async ([form, { path, body, called }]) => {
    const model = await scripted(call('finished_step'));
    const { status, body: answer } = await post(`${model.url}${path}`, body);
    expect(status).toBe(200);
    expect(answer).toMatchObject(called);
    expect(model.requests).toMatchObject([{ form, conversation: { calls: [] } }]);
    expect(model.requests[0]?.conversation.texts).toContainEqual({ role: 'user', text: 'Go on' });
  },
);

test('a script that is asked for more than it has fails, and stays failed', async () => {
  const model = await scripted(say('Once'));
  const { path, body } = WHOLE.anthropic;
  expect(await post(`${model.url}${path}`, body)).toMatchObject({ status: 200 });
  for (const _ of [1, 2]) {
    const refused = await post(`${model.url}${path}`, body);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error' } },
    });
  }
  expect(model.failures).toEqual([
    'The script has 1 moves, and was asked for one more. The last text sent was: Go on',
  ]);
});

test('a tool that is not offered fails the script by name', async () => {
  const model = await scripted(call('go_to_step'));
  const { path, body } = WHOLE.chat;
  expect(await post(`${model.url}${path}`, body)).toMatchObject({ status: 400 });
  expect(model.failures).toEqual([
    'The client offers no tool for go_to_step, but only: deepwork_finished_step',
  ]);
});

test('requests without tools are answered without the script, in the shape they ask for', async () => {
  const model = await scripted();
  const schema = { type: 'OBJECT', properties: { score: { type: 'INTEGER' } } };
  const side = await post(`${model.url}/v1beta/models/any:generateContent`, {
    contents: [{ role: 'user', parts: [{ text: 'How hard is it?' }] }],
    generationConfig: { responseJsonSchema: schema },
  });
  expect(JSON.parse(side.body.candidates[0].content.parts[0].text)).toEqual({ score: 1 });
  expect(model.requests).toEqual([]);
  expect(model.sideRequests).toHaveLength(1);

  const counted = await post(`${model.url}/v1/messages/count_tokens`, {});
  expect(counted.body).toEqual({ input_tokens: 100 });
  expect(model.failures).toEqual([]);
});

test('what no form knows is a failure', async () => {
  const model = await scripted();
  expect(await post(`${model.url}/v2/other`, {})).toMatchObject({ status: 404 });
  expect(model.failures).toEqual(['No wire form knows POST /v2/other']);
});
