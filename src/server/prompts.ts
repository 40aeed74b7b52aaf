// `prompts/list` and `prompts/get`: workflows as slash commands of clients.

import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { Refused, refusalText } from '../core/refusal.ts';
import { listStartable, promptText } from '../engine/prompts.ts';
import type { Workspace } from '../engine/workspace.ts';

export function offerPrompts(server: Server, workspace: Workspace): void {
  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await listStartable(workspace)).map(
      ({ start: _, inputs: _declared, arguments: expected, ...prompt }) => ({
        ...prompt,
        arguments: [...expected],
      }),
    ),
  }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    try {
      const { description, text } = await promptText(
        workspace,
        params.name,
        params.arguments ?? {},
      );
      return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusalText(error.refusal));
    }
  });
}
