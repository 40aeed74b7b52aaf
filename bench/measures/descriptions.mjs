// What the tools cost an agent before it has called any: their listing, as a real client
// receives it, in characters / 4, which is about a token. Clients show the model each tool's name,
// description and input schema; the output schema is for programs.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { writeProject } from '../projects.mjs';
import { limited } from '../rows.mjs';
import { environment } from '../wire.mjs';

const CHARACTERS_PER_TOKEN = 4;

/** @type {[string, number | undefined][]} */
const AUDIENCES = [
  ['jobs', 900],
  ['jobs,guides', undefined],
  ['jobs,guides,team', 2000],
];

/** @param {import('../stage.mjs').Stage} stage */
export async function measureDescriptions(stage) {
  const project = writeProject(stage.folder('descriptions'), 1);
  const rows = [];
  for (const [toolsets, bound] of AUDIENCES) {
    const tools = await listed([...stage.ours(project), '--tools', toolsets]);
    const shown = tools.map(
      ({ name, description = '', inputSchema }) => name + description + JSON.stringify(inputSchema),
    );
    const cost = Math.ceil(shown.join('').length / CHARACTERS_PER_TOKEN);
    rows.push(
      limited(`${tools.length} tools (${toolsets}), as shown to a model`, 'tokens', cost, bound),
    );
  }
  return rows;
}

async function listed(args) {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: environment(),
      stderr: 'ignore',
    }),
  );
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}
