// OpenAI's Responses, as Codex speaks it. Depending on the model, Codex offers MCP tools at
// once in a namespace, lets the model search for them, or (code mode) offers one freeform
// tool `exec` whose JavaScript calls all others.

import {
  type Answer,
  type Entry,
  type Json,
  list,
  type OfferedTool,
  textOf,
  type WireForm,
} from './wire.ts';

const USAGE = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };

let responses = 0;

export const responsesForm: WireForm = {
  name: 'responses',
  asks: (path) => path === '/v1/responses',
  beside: (path) => (path === '/v1/models' ? { object: 'list', data: [] } : null),
  read(_path, body) {
    const input = list(body.input);
    // Tools stand in front, and among the input those that were searched for or added.
    const offered = [
      ...list(body.tools),
      ...input.flatMap((item) => (item.tools === undefined ? [] : list(item.tools))),
    ];
    const instructions: Entry = { type: 'text', role: 'system', text: textOf(body.instructions) };
    return {
      entries: [instructions, ...input.flatMap(read)],
      tools: offered.flatMap((tool) => flatten(tool)),
      deferred: [],
      stream: body.stream === true,
      answerSchema: (((body.text as Json | undefined)?.format as Json | undefined)?.schema ??
        null) as Json | null,
    };
  },
  whole: (answer) => ({ ...response(), status: 'completed', output: [item(answer)], usage: USAGE }),
  events(answer) {
    const started = response();
    return [
      { type: 'response.created', response: started },
      { type: 'response.output_item.done', output_index: 0, item: item(answer) },
      { type: 'response.completed', response: { ...started, status: 'completed', usage: USAGE } },
    ];
  },
  error: (message) => ({ error: { type: 'invalid_request_error', code: null, message } }),
};

function flatten(tool: Json, namespace?: string): OfferedTool[] {
  if (tool.type === 'namespace') {
    return list(tool.tools).flatMap((inner) => flatten(inner, String(tool.name)));
  }
  const kind = KINDS[String(tool.type)];
  if (kind === undefined) return [];
  const name = kind === 'search' ? 'tool_search' : String(tool.name);
  const offered = { kind, name, description: String(tool.description ?? '') };
  return [namespace === undefined ? offered : { ...offered, namespace }];
}

const KINDS: Readonly<Record<string, OfferedTool['kind']>> = {
  function: 'function',
  custom: 'freeform',
  tool_search: 'search',
};

function read(part: Json): Entry[] {
  const id = String(part.call_id);
  switch (part.type) {
    case 'message': {
      const role = part.role === 'assistant' || part.role === 'user' ? part.role : 'system';
      return [{ type: 'text', role, text: textOf(part.content) }];
    }
    case 'function_call':
      return [{ type: 'call', id, name: String(part.name), args: parsed(part.arguments) }];
    case 'custom_tool_call':
      return [{ type: 'call', id, name: String(part.name), args: part.input }];
    case 'tool_search_call':
      return [{ type: 'call', id, name: 'tool_search', args: part.arguments }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ type: 'result', id, text: textOf(part.output).replace(WRAPPING, '') }];
    case 'tool_search_output':
      return [{ type: 'result', id, text: JSON.stringify(part.tools) }];
    default:
      return [];
  }
}

/** What Codex puts before the output of a tool. */
const WRAPPING = /^(?:Script completed\n)?Wall time:? [\d.]+ seconds\nOutput:\n+/;

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : text;
}

function response() {
  responses += 1;
  return { id: `resp_${responses}`, object: 'response', status: 'in_progress', output: [] };
}

function item(answer: Answer): Json {
  if ('say' in answer) {
    const content = [{ type: 'output_text', text: answer.say, annotations: [] }];
    return { type: 'message', id: `msg_${responses}`, role: 'assistant', content };
  }
  const { name, kind, namespace } = answer.call;
  const called = { id: `item_${responses}`, call_id: answer.id, status: 'completed' };
  const named = { ...called, name, ...(namespace === undefined ? {} : { namespace }) };
  if (kind === 'freeform') return { type: 'custom_tool_call', ...named, input: answer.args };
  if (kind === 'search') {
    return { type: 'tool_search_call', ...called, execution: 'client', arguments: answer.args };
  }
  return { type: 'function_call', ...named, arguments: JSON.stringify(answer.args) };
}
