// Gemini CLI (`gemini -p`). A model's name is given, or it asks a model to choose one: in the
// settings for `deepwork run`, which names none.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DrivenClient } from './client.ts';

export const geminiCli: DrivenClient = {
  name: 'Gemini CLI',
  program: '@google/gemini-cli/bundle/gemini.js',
  id: 'gemini',
  needsNode: true,
  configure({ home, serve }) {
    const settings = {
      ...(serve === null ? {} : { mcpServers: { deepwork: server(serve) } }),
      model: { name: 'gemini-2.5-flash' },
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    };
    mkdirSync(path.join(home, '.gemini'));
    writeFileSync(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
  },
  args: (prompt) => ['--yolo', '-m', 'gemini-2.5-flash', '-o', 'stream-json', '-p', prompt],
  env: ({ modelUrl }) => ({
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    // It works only in folders that its user trusts.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
};

function server([command, ...args]: readonly [string, ...string[]]) {
  return { command, args, trust: true };
}
