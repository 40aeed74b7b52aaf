// How a test with the scripted model fails: a script that is asked too much, and what it cannot do.

import { expect, onTestFinished, test } from 'vitest';
import { post } from '../../support/http.ts';
import { call, inOrder, type Move, say } from './script.ts';
import { startModel } from './server.ts';

async function scripted(...moves: Move[]) {
  const model = await startModel(inOrder(...moves));
  onTestFinished(() => model.close());
  return model;
}

const PATH = '/v1/chat/completions';
const QUESTION = {
  messages: [{ role: 'user', content: 'Go on' }],
  tools: [{ type: 'function', function: { name: 'deepwork_finished_step' } }],
};

test('a script that is asked for more than it has fails, and stays failed', async () => {
  const model = await scripted(say('Once'));
  expect(await post(`${model.url}${PATH}`, QUESTION)).toMatchObject({ status: 200 });
  for (const _ of [1, 2]) {
    const refused = await post(`${model.url}${PATH}`, QUESTION);
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
  expect(await post(`${model.url}${PATH}`, QUESTION)).toMatchObject({ status: 400 });
  expect(model.failures).toEqual([
    'The client offers no tool for go_to_step, but only: deepwork_finished_step',
  ]);
});

test('what no form knows is a failure', async () => {
  const model = await scripted();
  expect(await post(`${model.url}/v2/other`, {})).toMatchObject({ status: 404 });
  expect(model.failures).toEqual(['No wire form knows POST /v2/other']);
});
