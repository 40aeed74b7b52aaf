// OpenAI's chat completions, as opencode speaks it to any compatible provider.

import { type Answer, type Entry, type Json, list, textOf, type WireForm } from './wire.ts';

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

let completions = 0;

export const chat: WireForm = {
  name: 'chat',
  asks: (path) => path === '/v1/chat/completions',
  beside: () => null,
  read: (_path, body) => ({
    entries: list(body.messages).flatMap(read),
    tools: list(body.tools).map((tool) => {
      const { name, description } = tool.function as Json;
      return { kind: 'function', name: String(name), description: String(description ?? '') };
    }),
    deferred: [],
    stream: body.stream === true,
    answerSchema: (((body.response_format as Json | undefined)?.json_schema as Json | undefined)
      ?.schema ?? null) as Json | null,
  }),
  whole: (answer, model) => ({
    ...completion(model, 'chat.completion'),
    choices: [{ index: 0, message: message(answer), finish_reason: finish(answer) }],
    usage: USAGE,
  }),
  events(answer, model) {
    const chunk = completion(model, 'chat.completion.chunk');
    return [
      { ...chunk, choices: [{ index: 0, delta: message(answer), finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish(answer) }] },
      { ...chunk, choices: [], usage: USAGE },
      '[DONE]',
    ];
  },
  error: (text) => ({ error: { type: 'invalid_request_error', code: null, message: text } }),
};

function read(part: Json): Entry[] {
  const text = textOf(part.content);
  if (part.role === 'tool') {
    return [{ type: 'result', id: String(part.tool_call_id), text }];
  }
  const role = part.role === 'assistant' || part.role === 'user' ? part.role : 'system';
  const calls = list(part.tool_calls).map((called): Entry => {
    const { name, arguments: args } = called.function as Json;
    return {
      type: 'call',
      id: String(called.id),
      name: String(name),
      args: JSON.parse(String(args)),
    };
  });
  return text === '' ? calls : [{ type: 'text', role, text }, ...calls];
}

function completion(model: string, object: string) {
  completions += 1;
  return { id: `chatcmpl-${completions}`, object, created: 1_700_000_000, model };
}

function message(answer: Answer): Json {
  if ('say' in answer) return { role: 'assistant', content: answer.say };
  const called = { name: answer.call.name, arguments: JSON.stringify(answer.args) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: answer.id, type: 'function', function: called }],
  };
}

const finish = (answer: Answer) => ('say' in answer ? 'stop' : 'tool_calls');
