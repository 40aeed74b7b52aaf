// The floor: the least that can answer an MCP client over stdio, without any library. It
// validates nothing and survives nothing; it only shows what Node itself costs.

let rest = '';

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'floor', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [{ name: 'nothing', description: 'Does nothing', inputSchema: { type: 'object' } }],
  }),
  'tools/call': () => ({ content: [{ type: 'text', text: '{}' }], structuredContent: {} }),
};

process.stdin.on('data', (chunk) => {
  rest += chunk;
  const lines = rest.split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) answer(JSON.parse(line));
});

function answer({ id, method, params }) {
  if (id === undefined) return;
  const respond = ANSWERS[method];
  const outcome =
    respond === undefined
      ? { error: { code: -32601, message: 'Method not found' } }
      : { result: respond(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
