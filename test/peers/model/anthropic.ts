// Anthropic's Messages, as Claude Code speaks it.

import { type Answer, type Entry, type Json, list, textOf, type WireForm } from './wire.ts';

const USAGE = { input_tokens: 100, output_tokens: 10 };

export const anthropic: WireForm = {
  name: 'anthropic',
  asks: (path) => path === '/v1/messages',
  beside: (path) => (path === '/v1/messages/count_tokens' ? { input_tokens: 100 } : null),
  read(_path, body) {
    const entries = list(body.messages).flatMap(({ role, content }) => read(role, content));
    const loaded = new Set(list(body.messages).flatMap(({ content }) => loadedBy(content)));
    const format = (body.output_config as Json | undefined)?.format as Json | undefined;
    return {
      entries: [{ type: 'text', role: 'system', text: textOf(body.system) }, ...entries],
      tools: list(body.tools)
        .filter(({ name, defer_loading }) => defer_loading !== true || loaded.has(name))
        .map(({ name, description }) => ({
          kind: 'function',
          name: String(name),
          description: String(description ?? ''),
        })),
      deferred: entries.flatMap((entry) => (entry.type === 'text' ? announced(entry.text) : [])),
      stream: body.stream === true,
      answerSchema: (format?.schema as Json | undefined) ?? null,
    };
  },
  whole: (answer, model) => ({
    ...message(model),
    content: [block(answer)],
    stop_reason: stopReason(answer),
    usage: USAGE,
  }),
  events: (answer, model) => [
    { type: 'message_start', message: { ...message(model), content: [], usage: USAGE } },
    { type: 'content_block_start', index: 0, content_block: empty(block(answer)) },
    { type: 'content_block_delta', index: 0, delta: delta(answer) },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason(answer) }, usage: USAGE },
    { type: 'message_stop' },
  ],
  error: (text) => ({ type: 'error', error: { type: 'invalid_request_error', message: text } }),
};

function read(role: unknown, content: unknown): Entry[] {
  const speaker = role === 'assistant' || role === 'system' ? role : 'user';
  if (typeof content === 'string') return [{ type: 'text', role: speaker, text: content }];
  return list(content).flatMap((part): Entry[] => {
    if (part.type === 'text') return [{ type: 'text', role: speaker, text: String(part.text) }];
    if (part.type === 'tool_use') {
      return [{ type: 'call', id: String(part.id), name: String(part.name), args: part.input }];
    }
    if (part.type !== 'tool_result') return [];
    return [{ type: 'result', id: String(part.tool_use_id), text: textOf(part.content) }];
  });
}

/** The names of deferred tools that a search has found, which may be called from then on. */
function loadedBy(content: unknown): unknown[] {
  return list(content)
    .filter(({ type }) => type === 'tool_result')
    .flatMap((result) => list(result.content))
    .filter(({ type }) => type === 'tool_reference')
    .map((reference) => reference.tool_name);
}

/** Claude Code lists tools that are not loaded one by line, below a sentence on them. */
function announced(text: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /deferred tools are now available/i.test(line));
  if (start === -1) return [];
  const end = lines.indexOf('', start);
  return lines.slice(start + 1, end === -1 ? undefined : end);
}

let messages = 0;

function message(model: string) {
  messages += 1;
  return { id: `msg_${messages}`, type: 'message', role: 'assistant', model, stop_reason: null };
}

function block(answer: Answer): Json {
  if ('say' in answer) return { type: 'text', text: answer.say };
  return { type: 'tool_use', id: answer.id, name: answer.call.name, input: answer.args };
}

const empty = (whole: Json): Json =>
  whole.type === 'text' ? { ...whole, text: '' } : { ...whole, input: {} };

const delta = (answer: Answer): Json =>
  'say' in answer
    ? { type: 'text_delta', text: answer.say }
    : { type: 'input_json_delta', partial_json: JSON.stringify(answer.args) };

const stopReason = (answer: Answer) => ('say' in answer ? 'end_turn' : 'tool_use');
