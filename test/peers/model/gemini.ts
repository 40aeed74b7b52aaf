// Gemini's generateContent, as Gemini CLI speaks it.

import { type Answer, type Entry, type Json, list, textOf, type WireForm } from './wire.ts';

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };

export const gemini: WireForm = {
  name: 'gemini',
  asks: (path) => /:(?:stream)?[gG]enerateContent$/.test(path),
  beside: (path) => (path.endsWith(':countTokens') ? { totalTokens: 100 } : null),
  read(path, body) {
    const system = textOf((body.systemInstruction as Json | undefined)?.parts);
    const config = (body.generationConfig ?? {}) as Json;
    return {
      entries: [
        { type: 'text', role: 'system', text: system },
        ...list(body.contents).flatMap(({ role, parts }) =>
          list(parts).flatMap((part) => read(role, part)),
        ),
      ],
      tools: list(body.tools)
        .flatMap((tool) => list(tool.functionDeclarations))
        .map(({ name, description }) => ({
          kind: 'function',
          name: String(name),
          description: String(description ?? ''),
        })),
      deferred: [],
      stream: path.endsWith(':streamGenerateContent'),
      answerSchema: (config.responseJsonSchema ?? config.responseSchema ?? null) as Json | null,
    };
  },
  whole,
  events: (answer) => [whole(answer)],
  error: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
};

function read(role: unknown, part: Json): Entry[] {
  const speaker = role === 'model' ? 'assistant' : 'user';
  if (typeof part.text === 'string') return [{ type: 'text', role: speaker, text: part.text }];
  if (part.functionCall !== undefined) {
    const { id, name, args } = part.functionCall as Json;
    return [{ type: 'call', id: String(id), name: String(name), args }];
  }
  if (part.functionResponse === undefined) return [];
  const { id, response } = part.functionResponse as Json;
  const { output } = (response ?? {}) as Json;
  const text = typeof output === 'string' ? output : JSON.stringify(response);
  return [{ type: 'result', id: String(id), text: text.replace(WRAPPING, '$1') }];
}

/** What Gemini CLI puts around the results of MCP tools. */
const WRAPPING = /^<untrusted_context>\n(.*)\n<\/untrusted_context>$/s;

function whole(answer: Answer): Json {
  const part =
    'say' in answer
      ? { text: answer.say }
      : { functionCall: { id: answer.id, name: answer.call.name, args: answer.args } };
  return {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: USAGE,
  };
}
