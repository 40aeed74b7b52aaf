// Claude Code (`claude -p`), with deepwork in the project's `.mcp.json`.

import { MACHINE } from '../stage.ts';
import type { DrivenClient } from './client.ts';

export const claudeCode: DrivenClient = {
  name: 'Claude Code',
  program: `@anthropic-ai/claude-code-${MACHINE}/claude`,
  id: 'claude',
  needsNode: false,
  configure({ project, serve }) {
    if (serve === null) return;
    const [command, ...args] = serve;
    const mcpServers = { deepwork: { command, args } };
    project.write('.mcp.json', JSON.stringify({ mcpServers }));
  },
  args: (prompt) => [
    ...['-p', prompt, '--allowedTools', 'mcp__deepwork,Write,Edit,Bash'],
    ...['--output-format', 'stream-json', '--verbose'],
  ],
  env: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // Else the first turn may begin before our server is up, on a busy machine.
    MCP_CONNECTION_NONBLOCKING: '0',
    MCP_CONNECT_TIMEOUT_MS: '60000',
  }),
};
