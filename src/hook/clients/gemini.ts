// Gemini CLI: `SessionStart`, `AfterAgent` and `BeforeTool` in settings.json.

import { type HookClient, textIn } from '../hook-client.ts';
import { claude } from './claude.ts';

const WRITERS = ['write_file', 'replace'];

export const gemini: HookClient = {
  name: 'gemini',
  // It does not give its servers the id of the conversation.
  identityPrefix: null,
  namesEachCall: false,
  settings: {
    files: ['.gemini/settings.json'],
    events: { start: 'SessionStart', stop: 'AfterAgent', tool: 'BeforeTool' },
  },
  readCall(input) {
    const isWriter = WRITERS.includes(textIn(input, 'tool_name') ?? '');
    const file = isWriter ? textIn(input, 'tool_input', 'file_path') : null;
    return {
      sessionId: textIn(input, 'session_id'),
      cwd: textIn(input, 'cwd'),
      writes: file === null ? [] : [file],
      isWokenLater: false,
    };
  },
  writeAnswer(answer) {
    if (answer.kind === 'context') return claude.writeAnswer(answer);
    return JSON.stringify({ decision: 'deny', reason: answer.reason });
  },
};
