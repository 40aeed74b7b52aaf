// What the tools cost an agent before it has called any: their listing, as a real client
// receives it, in characters / 4, which is about a token. Most clients show the model each
// tool's name, description and input schema; some show all of the listing.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { writeProject } from '../projects.mjs';
import { limited } from '../rows.mjs';
import { environment } from '../wire.mjs';

const CHARACTERS_PER_TOKEN = 4;

const EVERYTHING = 'jobs,guides,team';

/**
 * The job tools have a bound; what the others add is only reported.
 *
 * @type {[string, number | undefined][]}
 */
const AUDIENCES = [
  ['jobs', 900],
  ['jobs,guides', undefined],
  [EVERYTHING, undefined],
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
    if (toolsets !== EVERYTHING) continue;
    const whole = Math.ceil(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN);
    rows.push(limited(`${tools.length} tools, as listed`, 'tokens', whole, 2800));
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
