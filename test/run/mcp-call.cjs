// One tool call of a scripted agent over streamable HTTP, with the token of its turn. Every turn is a
// process: so not with `fetch`, whose first use compiles a WebAssembly parser, and CommonJS, which
// loads what is used when it is used: a turn without a call takes a third less.

const fs = require('node:fs');

const { SGAI_MCP_URL, DEEPWORK_AGENT_TOKEN } = process.env;

async function call(name, args, target = {}) {
  const { url = SGAI_MCP_URL, token = DEEPWORK_AGENT_TOKEN } = target;
  const post = (message, headers = {}) =>
    send(
      url,
      {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      JSON.stringify({ jsonrpc: '2.0', ...message }),
    );
  const started = await post({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'scripted', version: '1' },
    },
  });
  if (!isOk(started)) return { status: started.status, text: started.text };
  const session = { 'mcp-session-id': started.headers['mcp-session-id'] };
  const called = await post(
    { id: 2, method: 'tools/call', params: { name, arguments: args } },
    session,
  );
  if (!isOk(called)) return { status: called.status, text: called.text };
  const answer = read(called.text);
  return answer.result ?? answer;
}

function send(url, headers, body) {
  const { request } = require('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text }),
      );
    });
    sent.end(body);
  });
}

function isOk({ status }) {
  return status >= 200 && status < 300;
}

function read(text) {
  const data = text.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse(data === undefined ? text : data.slice('data: '.length));
}

/** Synchronously: there is nothing else to do meanwhile. */
function readInput() {
  return fs.readFileSync(0, 'utf8');
}

module.exports = { call, readInput };
