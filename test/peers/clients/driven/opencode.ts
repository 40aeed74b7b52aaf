// opencode (`opencode run`), with a provider that speaks OpenAI's chat completions.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MACHINE } from '../stage.ts';
import type { DrivenClient } from './client.ts';

export const opencode: DrivenClient = {
  name: 'opencode',
  program: `opencode-${MACHINE}/bin/opencode`,
  id: 'opencode',
  needsNode: false,
  configure({ home, modelUrl, serve }) {
    const limit = { context: 200_000, output: 8_000 };
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'scripted',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' },
      models: { scripted: { name: 'scripted', tool_call: true, limit } },
    };
    const settings = {
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      provider: { scripted: provider },
      model: MODEL,
      small_model: MODEL,
      ...(serve === null ? {} : { mcp: { deepwork: { type: 'local', command: serve } } }),
    };
    mkdirSync(path.join(home, '.config/opencode'), { recursive: true });
    const file = path.join(home, '.config/opencode/opencode.json');
    writeFileSync(file, JSON.stringify(settings));
    // It fetches a package for plugins at every start, and waits for it where there are any.
    writeFileSync(path.join(home, '.npmrc'), 'fetch-retries=0\n');
  },
  args: (prompt) => ['run', '--format', 'json', prompt],
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
};

const MODEL = 'scripted/scripted';
