// How to run each client without a person: with the run's MCP server and nothing else of ours, with
// machine-readable output, and resumed if the conversation is to be continued. The client's own
// settings decide what an agent may do in the project; each preset adds only what is needed to edit
// files and to call our tools.
//
// The token is never an argument, because other users of the machine could see it: clients read it
// from the environment.

import path from 'node:path';
import { homeOf } from '../environment/home.ts';
import { readSmallText } from '../files/read-contained.ts';
import type { ReadObject, ReadText } from './agent-output.ts';
import {
  readClaude,
  readCodex,
  readGemini,
  readGeminiText,
  readNoText,
  readOpencode,
} from './client-output.ts';
import { fillGeminiHome } from './gemini-home.ts';

/** How one turn of a client is started. */
export interface TurnRequest {
  /** The address of the run's MCP endpoint. */
  readonly url: string;
  /** Where the agent works. */
  readonly cwd: string;
  /** The conversation to go on with; null: a new one. */
  readonly conversation: string | null;
  /** A private folder that is removed after the turn. */
  folder(): string;
}

export interface Preset {
  readonly name: string;
  readonly program: string;
  /** Whether its output says what a turn cost. */
  readonly reportsCost: boolean;
  readonly readObject: ReadObject;
  readonly readText: ReadText;
  /** The prompt comes on stdin. `env`: what the agent inherits. */
  start(
    turn: TurnRequest,
    env: NodeJS.ProcessEnv,
  ): {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

const TOKEN_VARIABLE = 'DEEPWORK_AGENT_TOKEN';

const claude: Preset = {
  name: 'claude',
  program: 'claude',
  reportsCost: true,
  readObject: readClaude,
  readText: readNoText,
  start: ({ url, conversation }) => ({
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...['--mcp-config', JSON.stringify({ mcpServers: { deepwork: claudeServer(url) } })],
      // The project's own entry would be a second server, without tokens.
      '--strict-mcp-config',
      ...['--permission-mode', 'acceptEdits', '--allowedTools', 'mcp__deepwork'],
      ...(conversation === null ? [] : ['--resume', conversation]),
    ],
    env: {},
  }),
};

function claudeServer(url: string) {
  return {
    type: 'http',
    url,
    headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` },
  };
}

const codex: Preset = {
  name: 'codex',
  program: 'codex',
  reportsCost: false,
  readObject: readCodex,
  readText: readNoText,
  start: ({ url, cwd, conversation }, env) => ({
    args: [
      'exec',
      ...(conversation === null ? [] : ['resume']),
      ...['--json', '--skip-git-repo-check'],
      ...['-c', 'sandbox_mode="workspace-write"', '-c', 'approval_policy="never"'],
      ...codexServer(url),
      ...withoutOwnEntry(cwd, env),
      ...(conversation === null ? [] : [conversation]),
      '-',
    ],
    env: {},
  }),
};

/** Entries of the same name would be merged into one, so ours has a name of its own. */
function codexServer(url: string): string[] {
  const entry = 'mcp_servers.deepwork_run';
  return [
    `${entry}.url=${JSON.stringify(url)}`,
    `${entry}.bearer_token_env_var="${TOKEN_VARIABLE}"`,
    `${entry}.required=true`,
    `${entry}.default_tools_approval_mode="approve"`,
  ].flatMap((setting) => ['-c', setting]);
}

/**
 * Turns off the entry that `deepwork init` or the person configured: it would be a second server,
 * without tokens. Codex reads a project's file only if it trusts it, so these options have to be
 * valid with that entry and without it.
 */
function withoutOwnEntry(cwd: string, env: NodeJS.ProcessEnv): string[] {
  const home = env.CODEX_HOME ?? path.join(homeOf(env), '.codex');
  const texts = [path.join(cwd, '.codex'), home].map(
    (folder) => readSmallText(path.join(folder, 'config.toml'), MAX_CONFIG_BYTES) ?? '',
  );
  const found = texts.find((text) => OWN_ENTRY.test(text));
  if (found === undefined) return [];
  const [, section = ''] = OWN_ENTRY.exec(found) ?? [];
  const kind = /^[ \t]*url[ \t]*=/m.test(section)
    ? 'url="http://127.0.0.1:9"'
    : 'command="deepwork"';
  const entry = 'mcp_servers.deepwork';
  return ['-c', `${entry}.enabled=false`, '-c', `${entry}.${kind}`];
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const OWN_ENTRY = /^[ \t]*\[mcp_servers\.deepwork\]([\s\S]*?)(?=^[ \t]*\[|(?![\s\S]))/m;

const gemini: Preset = {
  name: 'gemini',
  program: 'gemini',
  reportsCost: false,
  readObject: readGemini,
  readText: readGeminiText,
  start: ({ url, conversation, folder }, env) => {
    const headers = { Authorization: `Bearer $${TOKEN_VARIABLE}` };
    const home = folder();
    // Of two entries with the same name Gemini CLI would use the project's, which is a command.
    const name = 'deepwork-run';
    fillGeminiHome(home, env, name, { httpUrl: url, headers, trust: true });
    return {
      args: [
        ...['--output-format', 'stream-json', '--approval-mode', 'auto_edit'],
        ...['--allowed-mcp-server-names', name],
        ...(conversation === null ? [] : ['--resume', conversation]),
      ],
      env: { GEMINI_CLI_HOME: home },
    };
  },
};

const opencode: Preset = {
  name: 'opencode',
  program: 'opencode',
  reportsCost: true,
  readObject: readOpencode,
  readText: readNoText,
  start: ({ url, conversation }) => {
    const headers = { Authorization: `Bearer {env:${TOKEN_VARIABLE}}` };
    const server = { type: 'remote', url, headers, oauth: false, enabled: true };
    return {
      args: [
        ...['run', '--format', 'json'],
        ...(conversation === null ? [] : ['--session', conversation]),
      ],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: { deepwork: server } }) },
    };
  },
};

export const PRESETS: readonly Preset[] = [claude, codex, gemini, opencode];

export function presetNamed(name: string): Preset | null {
  return PRESETS.find((preset) => preset.name === name) ?? null;
}
