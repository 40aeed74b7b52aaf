// What a client gets from a tool. Text and structuredContent say the same, word for word.

import type { Refusal } from '../core/refusal.ts';
import type { FormsWanted } from '../engine/person/forms.ts';

export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: 'text'; readonly text: string }[];
  /** Prose has none: clients that get both hide the text from the model. */
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  /** Instead of content: what the client is to show before it calls again. */
  readonly forms?: FormsWanted;
  /** Instead of content: an error of the protocol, since it is no answer of the tool. */
  readonly protocolError?: { readonly code: number; readonly message: string };
}

export function structured(answer: object): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: { ...answer },
  };
}

export function prose(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}

/** With `next`, so that a program can go on, too. */
export function refusalResult(refusal: Refusal): ToolResult {
  const { code, message, next } = refusal;
  return {
    ...prose(inWords(refusal)),
    structuredContent: { error: { code, message: cutMessage(message), next } },
    isError: true,
  };
}

export function refusalInProse(refusal: Refusal): ToolResult {
  return { ...prose(`Error: ${inWords(refusal)}`), isError: true };
}

export function inWords({ message, next }: Refusal): string {
  return withNext(cutMessage(message), next);
}

function withNext(message: string, next: string | null): string {
  return next === null ? message : `${message}\nNext: ${next}`;
}

const MESSAGE_LIMIT = 4 * 1024;

export function cutMessage(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MESSAGE_LIMIT) return message;
  const head = bytes
    .subarray(0, MESSAGE_LIMIT - 16)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${head} … (cut)`;
}
