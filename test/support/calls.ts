// Calling tools through a client of the MCP SDK. Every answer is checked against the schema that its
// tool lists.

import { type CallToolResult, Client, type ClientOptions } from '@modelcontextprotocol/client';
import { expectListedShape } from './output-schemas.ts';

/** `handshake` opens with initialize, `stateless` with server/discover (2026-07-28). */
export type Era = 'handshake' | 'stateless';
export const ERAS: readonly Era[] = ['handshake', 'stateless'];

export interface Answer {
  readonly isError: boolean;
  /** The one text block. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly data: any;
}

export interface Calls {
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  /** Calls and expects success: the structured answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  ok(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** Calls and expects a refusal: its text. */
  refused(tool: string, args?: Record<string, unknown>): Promise<string>;
}

export function callsOf(client: Client): Calls {
  const call: Calls['call'] = async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    const [block] = result.content as { text: string }[];
    return {
      isError: result.isError === true,
      text: block?.text ?? '',
      data: result.structuredContent,
    };
  };
  return {
    call,
    async ok(tool, args) {
      const answer = await call(tool, args);
      if (answer.isError) throw new Error(`${tool} was refused: ${answer.text}`);
      return answer.data;
    },
    async refused(tool, args) {
      const answer = await call(tool, args);
      if (!answer.isError) throw new Error(`${tool} was not refused: ${answer.text}`);
      return answer.text;
    },
  };
}

class CheckedClient extends Client {
  override async callTool(...call: Parameters<Client['callTool']>): Promise<CallToolResult> {
    const result = await super.callTool(...call);
    expectListedShape(call[0].name, result);
    return result;
  }
}

/** With its era pinned. */
export function newClient(era?: Era | undefined, options: ClientOptions = {}): Client {
  return new CheckedClient(
    { name: 'deepwork-tests', version: '1' },
    era === 'stateless'
      ? { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } }
      : options,
  );
}
