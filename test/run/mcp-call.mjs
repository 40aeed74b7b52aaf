// One tool call of a scripted agent over streamable HTTP, with the token of its turn.

const { SGAI_MCP_URL, DEEPWORK_AGENT_TOKEN } = process.env;

export async function call(name, args, target = {}) {
  const { url = SGAI_MCP_URL, token = DEEPWORK_AGENT_TOKEN } = target;
  const post = (message, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const started = await post({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'scripted', version: '1' },
    },
  });
  const session = { 'mcp-session-id': started.headers.get('mcp-session-id') };
  const first = await read(started);
  if (first.status !== undefined) return first;
  const answer = await read(
    await post({ id: 2, method: 'tools/call', params: { name, arguments: args } }, session),
  );
  return answer.result ?? answer;
}

async function read(response) {
  const text = await response.text();
  if (!response.ok) return { status: response.status, text };
  const data = text.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse(data === undefined ? text : data.slice('data: '.length));
}

export async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
