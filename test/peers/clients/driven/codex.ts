// Codex (`codex exec`). What it offers its model depends on the model's name, in three ways.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DrivenClient } from './client.ts';

/** A model that Codex does not know, one that has to search for tools, one in code mode. */
export type CodexModel = 'scripted' | 'gpt-5.5' | 'gpt-6.1-sol';

export function codex(model: CodexModel): DrivenClient {
  return {
    name: `Codex with ${model}`,
    program: '@openai/codex/bin/codex.js',
    id: 'codex',
    needsNode: true,
    configure({ project, home, modelUrl, serve }) {
      const text = `
model = "${model}"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
${serve === null ? trusted(project.root) : server(serve)}`;
      mkdirSync(path.join(home, '.codex'));
      writeFileSync(path.join(home, '.codex/config.toml'), text);
    },
    args: (prompt) => [
      ...['exec', '--json', '--skip-git-repo-check'],
      // Else the first turn may begin before our server is up, on a busy machine.
      ...['-c', 'mcp_servers.deepwork.required=true'],
      ...['--dangerously-bypass-approvals-and-sandbox', prompt],
    ],
    env: () => ({}),
  };
}

function server([command, ...args]: readonly [string, ...string[]]): string {
  return `
[mcp_servers.deepwork]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
`;
}

/** Only then are the project's own settings read. */
function trusted(root: string): string {
  return `
[projects.${JSON.stringify(root)}]
trust_level = "trusted"
`;
}
