// A real connection to a real server process, as an agent's client makes it. Every answer is
// checked against what all answers promise: the text says the same as the structured content,
// and the structured content matches the schema that the tool declares.

import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const SERVER = fileURLToPath(new URL('../../../dist/main.cjs', import.meta.url));
const LOG_KEPT = 4000;

/** Starts a server on the workspace, with more options or variables if given; does the handshake. */
export async function connect(workspace, { args = [], env = {} } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVER, 'serve', '--path', workspace, ...args],
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-LOG_KEPT);
  });
  const client = new Client({ name: 'quickstart-demo', version: '1.0.0' });
  const closed = new Promise((resolve) => {
    client.onclose = resolve;
  });
  const explain = (error) => {
    throw new Error(`${error.message}\n\nThe server's last words:\n${log || '(none)'}`);
  };
  await client.connect(transport, { timeout: 20_000 }).catch(explain);
  // The client validates answers only against schemas it has seen.
  await client.listTools().catch(explain);

  return {
    pid: transport.pid,

    async call(name, input) {
      const result = await client
        .callTool({ name, arguments: input }, { timeout: 20_000 })
        .catch(explain);
      const text = result.content[0]?.text ?? '';
      const data = result.structuredContent ?? {};
      if (!result.isError && !isDeepStrictEqual(JSON.parse(text), data)) {
        throw new Error(`${name}: the text differs from the structured content:\n${text}`);
      }
      return { refused: result.isError === true, text, data };
    },

    /** As in a crash, a closed laptop or an impatient Ctrl-C. */
    async kill() {
      process.kill(transport.pid, 'SIGKILL');
      await closed;
    },

    close: () => client.close(),
  };
}
