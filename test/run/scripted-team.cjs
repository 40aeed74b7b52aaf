// An agent of a scripted team. AGENT_SCRIPT, as JSON, says what each agent calls in each of its
// turns: `{"coordinator": [[["send_message", {…}], …], …]}`; after its last turn it does nothing.
// `write_file` is none of the server's: it writes `text` into `file`.
// Each turn is noted in the folder named by AGENT_NOTES.

const { mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { call, readInput } = require('./mcp-call.cjs');

const { SGAI_AGENT_IDENTITY, AGENT_NOTES, AGENT_SCRIPT } = process.env;

takeTurn();

async function takeTurn() {
  const prompt = readInput();
  mkdirSync(AGENT_NOTES, { recursive: true });
  const [agent] = SGAI_AGENT_IDENTITY.split('|');
  const before = readdirSync(AGENT_NOTES);
  const own = before.filter((name) => name.endsWith(`-${agent}.json`)).length;
  const turn = before.length + 1;
  const calls = JSON.parse(AGENT_SCRIPT)[agent]?.[own] ?? [];
  const answers = [];
  for (const [tool, args] of calls) {
    if (tool === 'write_file') {
      writeFileSync(args.file, args.text);
      continue;
    }
    const { content } = await call(tool, args);
    answers.push(content?.[0]?.text ?? null);
  }
  writeFileSync(
    path.join(AGENT_NOTES, `turn-${turn}-${agent}.json`),
    JSON.stringify({ agent, identity: SGAI_AGENT_IDENTITY, prompt, answers }),
  );
  process.stdout.write(`${JSON.stringify({ type: 'result', total_cost_usd: 0.1 })}\n`);
}
