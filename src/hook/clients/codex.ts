// Codex: `SessionStart`, `Stop` and `PreToolUse` in hooks.json, in Claude Code's format. Files are
// written by patches, whose text names them. `session_id` is always the id of the thread that a
// person talks to, even in hooks of its subagents; a subagent's own tool calls name another thread.

import { type HookClient, textIn } from '../hook-client.ts';
import { patchTargetsIn } from '../patch-targets.ts';
import { claude } from './claude.ts';

export const codex: HookClient = {
  ...claude,
  name: 'codex',
  identityPrefix: 'codex',
  namesEachCall: true,
  settings: null,
  readCall(input) {
    const call = claude.readCall(input);
    if (textIn(input, 'tool_name') !== 'apply_patch') return call;
    return { ...call, writes: patchTargetsIn(input.tool_input) };
  },
};
