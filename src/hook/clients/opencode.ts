// opencode has no hooks that run commands, but plugins: ours (plugins/opencode) calls this in Claude
// Code's format, with opencode's own names for the arguments of a tool.

import { type HookClient, textIn } from '../hook-client.ts';
import { patchTargetsIn } from '../patch-targets.ts';
import { claude } from './claude.ts';

export const opencode: HookClient = {
  ...claude,
  name: 'opencode',
  // It does not give its servers the id of the conversation.
  identityPrefix: null,
  settings: null,
  readCall(input) {
    const file = textIn(input, 'tool_input', 'filePath');
    const writes = file === null ? patchTargetsIn(input.tool_input) : [file];
    return { ...claude.readCall(input), writes };
  },
};
