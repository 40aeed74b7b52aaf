// `prompts/list` and `prompts/get`: workflows as slash commands of clients. A prompt is refused as the
// call of `start_workflow` that it asks for would be.

import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { Refused } from '../core/refusal.ts';
import { findPrompt, listStartable, startArguments, startText } from '../engine/prompts.ts';
import { requireInputs } from '../engine/start-inputs.ts';
import type { Workspace } from '../engine/workspace.ts';
import { startWorkflow } from '../operations/jobs/start-workflow.ts';

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
      const found = await findPrompt(workspace, params.name);
      const call = startArguments(found, params.arguments ?? {});
      startWorkflow.parse(call);
      await requireInputs(workspace.paths.root, found.workflow, call.inputs ?? {}, {});
      const { description } = found;
      const content = { type: 'text' as const, text: startText(EXACTLY, JSON.stringify(call)) };
      return { description, messages: [{ role: 'user', content }] };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const said = startWorkflow.presentRefusal(error.refusal).content;
      const text = said.map((block) => block.text).join('\n');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
  });
}

const EXACTLY = 'Call the deepwork tool start_workflow with exactly these arguments:';
