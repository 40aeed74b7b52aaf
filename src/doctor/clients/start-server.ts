// Whether a client's command starts a server: it is really started, initialized and asked for its
// tools, as a client does first.

import { runCommand } from '../../gate/command.ts';
import { openRegistry } from '../../launch/registry.ts';
import { VERSION } from '../../version.ts';
import { type DoctorContext, ok, problem, type Result, warning } from '../check.ts';
import { getText } from '../http-request.ts';
import { readHealth } from '../server.ts';
import { provesItself } from '../server-proof.ts';
import type { FoundEntry } from './client-files.ts';
import { judgeCommand, withoutTrust } from './own-command.ts';
import { readServeWords } from './serve-words.ts';

const START_MS = 20_000;
const MAX_OUTPUT = 4 * 1024 * 1024;
const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/;

const request = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const CONVERSATION = [
  request({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'deepwork-doctor', version: VERSION },
    },
  }),
  request({ method: 'notifications/initialized' }),
  request({ id: 2, method: 'tools/list' }),
].join('');

export async function tryServer(
  { file, words, url, text }: FoundEntry,
  context: DoctorContext,
): Promise<Result> {
  const { root, env, signal } = context;
  if (words === null) return tryUrl(file, url ?? text, context);
  const expanded = words.map((word) => word.replace(/^\$\{workspaceFolder\}/, root));
  const judged = judgeCommand(expanded, context);
  const fix = `correct the command in ${file}, or remove the entry and run deepwork init`;
  if (judged.kind === 'missing') {
    return problem(`${file} names ${judged.program}, which ${judged.why}`, fix);
  }
  if (judged.kind === 'other') {
    return warning(`${file}: ${text} ${judged.why}, so it was not started`, fix);
  }
  const serve = readServeWords(judged.rest, root);
  if (serve.kind === 'refused') {
    return warning(`${file}: ${text} ${serve.why}, so it was not started`, fix);
  }
  const ran = await runCommand({
    argv: [...judged.program, ...serve.args],
    root,
    env: withoutTrust(env),
    input: CONVERSATION,
    timeoutMs: START_MS,
    signal,
    output: { keep: 'all', limit: MAX_OUTPUT },
  });
  const shown = `${file}: ${text}`;
  if (ran.kind === 'timed_out')
    return problem(`${shown} timed out after ${START_MS / 1000} s`, fix);
  if (ran.kind !== 'exited') return problem(`${shown} cannot be started (${ran.kind})`, fix);
  const answer = readAnswers(ran.stdout);
  if (answer === null) {
    const said = ran.stderr.trim().split('\n').at(-1) ?? '';
    return problem(`${shown} did not answer (exit code ${ran.code}) ${said}`.trimEnd(), fix);
  }
  const { version, tools } = answer;
  if (version !== VERSION) {
    return warning(
      `${file} starts deepwork ${version}; this is ${VERSION}`,
      'install the same version for both, or correct the command',
    );
  }
  return ok(`${file}: answers in ${Math.round(ran.milliseconds)} ms with ${tools} tools`);
}

/** Null if it did not answer both requests. */
function readAnswers(stdout: string): { readonly version: string; readonly tools: number } | null {
  try {
    const messages = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id?: unknown; result?: Record<string, unknown> });
    const resultOf = (id: number) => messages.find((message) => message.id === id)?.result;
    const { serverInfo } = resultOf(1) as { serverInfo: { version: string } };
    const { tools } = resultOf(2) as { tools: readonly unknown[] };
    return { version: serverInfo.version, tools: tools.length };
  } catch {
    return null;
  }
}

/** A server that the client only connects to; one on another machine is not called. */
async function tryUrl(
  file: string,
  url: string,
  { root, home, signal }: DoctorContext,
): Promise<Result> {
  if (!LOOPBACK.test(url) || !URL.canParse(url)) return ok(`${file}: ${url}, which was not called`);
  const { origin } = new URL(url);
  const text = await getText(`${origin}/healthz`, signal);
  if (text !== null && readHealth(text) !== null) return ok(`${file}: ${url} answers`);
  const registered = openRegistry(root, home).current();
  if (registered?.url === origin && (await provesItself(registered, signal))) {
    return ok(`${file}: ${url} answers; it needs a token`);
  }
  return problem(
    `${file}: no deepwork answers at ${url}`,
    'start it: deepwork serve --transport http',
  );
}
