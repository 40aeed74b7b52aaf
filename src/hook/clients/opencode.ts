// opencode has no hooks that run commands, but plugins: ours (plugins/opencode) calls this in Claude
// Code's format, with opencode's own names for the arguments of a tool.

import { type HookClient, textIn } from '../hook-client.ts';
import { patchTargets } from '../patch-targets.ts';
import { claude } from './claude.ts';

export const opencode: HookClient = {
  ...claude,
  name: 'opencode',
  // It does not give its servers the id of the conversation.
  identityPrefix: null,
  settings: [],
  readCall(input) {
    const file = textIn(input, 'tool_input', 'filePath');
    const patch = textIn(input, 'tool_input', 'patchText') ?? '';
    const writes = [...(file === null ? [] : [file]), ...patchTargets(patch)];
    return { ...claude.readCall(input), writes };
  },
};
