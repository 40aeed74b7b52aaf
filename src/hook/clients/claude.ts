// Claude Code: `SessionStart`, `Stop` and `PreToolUse` in .claude/settings.json or a plugin.

import { type HookClient, textIn } from '../hook-client.ts';

/** The tools that write files, and the member that names the file. */
const WRITERS: ReadonlyMap<string, string> = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);

/** Lists of what is running or scheduled at a stop. */
const WAKERS = ['background_tasks', 'session_crons'];

export const claude: HookClient = {
  name: 'claude',
  identityPrefix: 'claude-code',
  namesEachCall: false,
  settings: {
    files: ['.claude/settings.json', '.claude/settings.local.json'],
    events: { start: 'SessionStart', stop: 'Stop', tool: 'PreToolUse' },
  },
  readCall(input) {
    const member = WRITERS.get(textIn(input, 'tool_name') ?? '');
    const file = member === undefined ? null : textIn(input, 'tool_input', member);
    return {
      sessionId: textIn(input, 'session_id'),
      cwd: textIn(input, 'cwd'),
      writes: file === null ? [] : [file],
      isWokenLater: WAKERS.some((list) => Array.isArray(input[list]) && input[list].length > 0),
    };
  },
  writeAnswer(answer) {
    switch (answer.kind) {
      case 'context':
        return JSON.stringify({
          hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: answer.text },
        });
      case 'continue':
        return JSON.stringify({ decision: 'block', reason: answer.reason });
      case 'deny':
        return JSON.stringify({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: answer.reason,
          },
        });
    }
  },
};
