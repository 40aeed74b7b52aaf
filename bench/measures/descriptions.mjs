// What the tools cost an agent before it has called any: their listing, as a real client
// receives it, in characters / 4, which is about a token. A client shows the model each
// tool's name, description and input schema; the rest stays with the client.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { writeProject } from '../projects.mjs';
import { limited } from '../rows.mjs';
import { environment } from '../wire.mjs';

const CHARACTERS_PER_TOKEN = 4;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureDescriptions(stage) {
  const project = writeProject(stage.folder('descriptions'), 1);
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: stage.ours(project),
      env: environment(),
      stderr: 'ignore',
    }),
  );
  try {
    const { tools } = await client.listTools();
    const shown = tools.map(
      ({ name, description = '', inputSchema }) => name + description + JSON.stringify(inputSchema),
    );
    const cost = (texts) => Math.ceil(texts.join('').length / CHARACTERS_PER_TOKEN);
    return [
      limited(`${tools.length} tools, as shown to a model`, 'tokens', cost(shown), 900),
      limited('  the whole listing', 'tokens', cost([JSON.stringify(tools)])),
    ];
  } finally {
    await client.close();
  }
}
