// A minimal client: a child process, JSON lines written and read by hand. The SDK's client
// would add its own time to both sides of every ratio.

import { spawn } from 'node:child_process';

const HANDSHAKE_VERSION = '2025-11-25';
const STATELESS_VERSION = '2026-07-28';

const CLIENT_INFO = { name: 'bench', version: '1' };
const PATIENCE_MS = 30_000;
const KEPT_LOG = 4096;

/** Running children; none may outlive the bench. */
const alive = new Set();
process.on('exit', stopServers);

/** Ends running servers: a measure that failed does not end its own. */
export function stopServers() {
  for (const child of alive) child.kill('SIGKILL');
}

/**
 * @typedef {object} Reply
 * @property {any} result
 * @property {number} at     when its last byte came in, by `performance.now()`
 */

/**
 * @typedef {object} Wire
 * @property {number} pid
 * @property {number} spawnedAt
 * @property {(method: string, params?: object) => Promise<Reply>} request
 * @property {(method: string, params?: object) => void} notify
 * @property {() => Promise<Reply>} shakeHands            `initialize`, then `initialized`
 * @property {(tool: string, input?: object) => Promise<number>} timeCall  milliseconds
 * @property {(tool: string, input?: object) => Promise<any>} call         the answer
 * @property {() => Promise<void>} kill
 */

/**
 * @param {readonly string[]} args  of node
 * @param {Record<string, string>} [more]  variables of its environment
 * @returns {Wire}
 */
export function startServer(args, more = {}) {
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: 'pipe',
    env: { ...environment(), ...more },
  });
  alive.add(child);
  const waiting = new Map();
  let nextId = 1;
  let log = '';
  let rest = [];

  child.stderr.on('data', (chunk) => {
    log = (log + chunk).slice(-KEPT_LOG);
  });
  // 'exit' reports a server that is gone; ignore errors of its closed pipe.
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk) => {
    const at = performance.now();
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      receive(Buffer.concat([...rest, chunk.subarray(from, end)]).toString(), at);
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  });
  const ended = new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  }).then(() => {
    alive.delete(child);
    for (const { fail } of waiting.values()) fail(`the server is gone. It said: ${log.trim()}`);
  });

  function receive(line, at) {
    const message = JSON.parse(line);
    const asked = waiting.get(message.id);
    if (asked === undefined || 'method' in message) return;
    if (message.error) asked.fail(JSON.stringify(message.error));
    else asked.settle({ result: message.result, at });
  }

  function send(message) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  function request(method, params = {}) {
    const id = nextId++;
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(id);
      };
      const fail = (why) => {
        end();
        reject(new Error(`${method}: ${why}`));
      };
      const settle = (reply) => {
        end();
        resolve(reply);
      };
      const timer = setTimeout(() => fail(`no answer in ${PATIENCE_MS} ms`), PATIENCE_MS);
      waiting.set(id, { settle, fail });
      send({ id, method, params });
    });
  }

  const notify = (method, params = {}) => send({ method, params });

  async function ask(name, input) {
    const began = performance.now();
    const { result, at } = await request('tools/call', { name, arguments: input });
    if (result.isError) throw new Error(`${name} was refused: ${result.content[0]?.text}`);
    return { answer: result.structuredContent, milliseconds: at - began };
  }

  return {
    pid: Number(child.pid),
    spawnedAt,
    request,
    notify,
    async shakeHands() {
      const reply = await request('initialize', {
        protocolVersion: HANDSHAKE_VERSION,
        capabilities: {},
        clientInfo: CLIENT_INFO,
      });
      notify('notifications/initialized');
      return reply;
    },
    timeCall: async (tool, input = {}) => (await ask(tool, input)).milliseconds,
    call: async (tool, input = {}) => (await ask(tool, input)).answer,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What a client of the stateless era sends with each request. */
export function statelessParams() {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': STATELESS_VERSION,
      'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}

/**
 * The caller's environment, without what would slow Node down or change what we serve.
 *
 * @returns {Record<string, string>}
 */
export function environment() {
  const slowing = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_V8_COVERAGE'];
  return /** @type {Record<string, string>} */ (
    Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) =>
          !slowing.includes(name) &&
          !name.startsWith('DEEPWORK_') &&
          name !== 'CLAUDE_CODE_SESSION_ID',
      ),
    )
  );
}
