// Stands in for a client on PATH: takes the server and the prompt where that client takes them,
// hands in the step that the prompt asks for, and prints what that client prints. What it was
// given is noted in the folder named by AGENT_NOTES. (The clients themselves are run in
// test/peers/clients.)

const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { call, readInput } = require('./mcp-call.cjs');

const [client, ...args] = process.argv.slice(2);
const { AGENT_NOTES, DEEPWORK_AGENT_TOKEN: token } = process.env;
const prompt = readInput();
mkdirSync(AGENT_NOTES, { recursive: true });
const turn = readdirSync(AGENT_NOTES).length + 1;
/** What of its user a client was left, where that is asked about. */
let own = null;
const { url, authorization } = SERVERS()[client]();
writeFileSync(
  path.join(AGENT_NOTES, `turn-${turn}.json`),
  JSON.stringify({ args, prompt, url, authorization, own, hasToken: token !== undefined }),
);
const [, json] = /finished_step (\{.*\})/.exec(prompt);
const given = JSON.parse(json);
for (const name of Object.keys(given.outputs)) {
  writeFileSync(name, '# Done\n');
  given.outputs[name] = name;
}
call('finished_step', given, { url, token: authorization }).then(() => {
  for (const line of PRINTED()[client]) process.stdout.write(`${JSON.stringify(line)}\n`);
});

function SERVERS() {
  return {
    claude() {
      const { url, headers } = JSON.parse(after('--mcp-config')).mcpServers.deepwork;
      return { url, authorization: bearer(headers.Authorization, /\$\{(\w+)\}/) };
    },
    codex() {
      const settings = args.filter((arg) => arg.startsWith('mcp_servers.deepwork_run.')).join();
      const [, url] = /url="([^"]*)"/.exec(settings);
      const [, variable] = /bearer_token_env_var="(\w+)"/.exec(settings);
      return { url, authorization: process.env[variable] };
    },
    gemini() {
      const home = path.join(process.env.GEMINI_CLI_HOME, '.gemini');
      const settings = JSON.parse(readFileSync(path.join(home, 'settings.json'), 'utf8'));
      const { httpUrl, headers } = settings.mcpServers['deepwork-run'];
      own = { settings, entries: readdirSync(home).sort() };
      // As the client does when its sign-in is renewed, and for each conversation.
      if (own.entries.includes('oauth_creds.json')) {
        writeFileSync(path.join(home, 'oauth_creds.json'), 'renewed');
      }
      writeFileSync(path.join(home, 'tmp', 'chat.json'), '{}');
      return { url: httpUrl, authorization: bearer(headers.Authorization, /\$(\w+)/) };
    },
    opencode() {
      const { url, headers } = JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).mcp.deepwork;
      return { url, authorization: bearer(headers.Authorization, /\{env:(\w+)\}/) };
    },
  };
}

function PRINTED() {
  return {
    claude: [
      { type: 'system', session_id: 'c-1' },
      { type: 'result', session_id: 'c-1', total_cost_usd: 0.5 },
    ],
    codex: [{ type: 'thread.started', thread_id: 'c-1' }],
    gemini: [{ type: 'init', session_id: 'c-1' }],
    opencode: [{ type: 'step_finish', sessionID: 'c-1', part: { cost: 0.5 } }],
  };
}

function after(option) {
  return args[args.indexOf(option) + 1];
}

function bearer(header, variable) {
  const [, name] = variable.exec(header);
  return process.env[name];
}
