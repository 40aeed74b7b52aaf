// What a wire form does for the server: reads a request of a client into plain entries, and
// puts an answer into the form's own JSON or stream of events.

import type { Text, Tool } from './script.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A tool as it was offered, with what its form needs in order to call it. */
export interface OfferedTool extends Tool {
  /** `freeform` takes a text instead of JSON; `search` loads other tools. */
  readonly kind: 'function' | 'freeform' | 'search';
  readonly namespace?: string;
}

export type Entry =
  | ({ readonly type: 'text' } & Text)
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly args: unknown }
  | { readonly type: 'result'; readonly id: string; readonly text: string };

export interface ModelRequest {
  readonly entries: readonly Entry[];
  readonly tools: readonly OfferedTool[];
  /** Names of tools that exist and have to be loaded before they can be called. */
  readonly deferred: readonly string[];
  readonly stream: boolean;
  /** The JSON Schema that the answer must fit. */
  readonly answerSchema: Json | null;
}

export type Answer =
  | { readonly say: string }
  | {
      readonly call: OfferedTool;
      readonly id: string;
      /** A text for a freeform tool. */
      readonly args: Json | string;
    };

export interface WireForm {
  readonly name: string;
  /** Whether a request to this path asks the model for an answer. */
  asks(path: string): boolean;
  /** What is answered to a request beside that, such as counting tokens. */
  beside(path: string): Json | null;
  read(path: string, body: Json): ModelRequest;
  /** The whole answer as one JSON. */
  whole(answer: Answer, model: string): Json;
  /** The answer as server-sent events; a text is sent as it is. */
  events(answer: Answer, model: string): readonly (Json | string)[];
  error(message: string): Json;
}

/** Bodies are the clients' own and are read without judging them. */
export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a string or of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('\n');
}
