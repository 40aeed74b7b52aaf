// What a client gets from a tool. Text and structuredContent say the same, word for word.

import { type Refusal, refusalText } from '../core/refusal.ts';
import type { FormsWanted } from '../engine/person/forms.ts';

export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: 'text'; readonly text: string }[];
  /** Left out for prose: clients that get both hide the text from the model. */
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  /** Instead of content: the forms that the client shows before it calls again. */
  readonly forms?: FormsWanted;
  /** Instead of content: a protocol error, because the tool gave no answer. */
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

/** Has `next` as a field, so that programs can use it. */
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
  return refusalText({ message: cutMessage(message), next });
}

const MAX_MESSAGE_BYTES = 4 * 1024;

export function cutMessage(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_MESSAGE_BYTES) return message;
  const head = bytes
    .subarray(0, MAX_MESSAGE_BYTES - 16)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${head} … (cut)`;
}
