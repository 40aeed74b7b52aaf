// The clients that init knows: how each is found, and what it needs in a project so that it
// starts the server and calls the hooks. docs/clients.md says the same for people.

import type { JsonEntry } from './json-entries.ts';
import { shellCommand } from './own-program.ts';
import type { Wanted } from './wanted.ts';

export const CLIENT_IDS = ['claude', 'codex', 'gemini', 'opencode', 'cursor', 'vscode'] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

export interface ClientRequest {
  /** How this program is started. */
  readonly words: readonly [string, ...string[]];
  readonly hooks: boolean;
  /** Whether a path of the project exists. */
  readonly exists: (path: string) => boolean;
  /** The text of the shipped opencode plugin. */
  readonly opencodePlugin: string;
}

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** The names of its program. */
  readonly programs: readonly string[];
  /** Paths whose existence shows that the project uses it. */
  readonly traces: readonly string[];
  /** What a person does in it once, besides restarting it. */
  readonly next: string | null;
  /** The one that names the server comes first. */
  files(request: ClientRequest): readonly Wanted[];
}

type Words = ClientRequest['words'];

const SERVER = 'deepwork';
const HOOK_SECONDS = 15;

/** `project` is how the client names the project's folder. */
function serveArgs([, ...rest]: Words, project: string): string[] {
  return [...rest, 'serve', '--path', project];
}

function server(words: Words, project: string) {
  return { command: words[0], args: serveArgs(words, project) };
}

interface HookFormat {
  /** The client's names of the tools that write files, as a pattern. */
  readonly writers: string;
  /** The client's names of the events. */
  readonly stop?: string;
  readonly tool?: string;
  /** In the client's unit. */
  readonly timeout?: number;
}

/** The hooks in Claude Code's format, which other clients have adopted. */
function hookEntries(words: Words, client: ClientId, format: HookFormat): JsonEntry[] {
  const { writers, stop = 'Stop', tool = 'PreToolUse', timeout = HOOK_SECONDS } = format;
  const hook = (event: string, moment: string, matcher?: string): JsonEntry => {
    const call = ['hook', client, moment];
    const command = shellCommand([...words, ...call]);
    return {
      path: ['hooks', event],
      value: {
        ...(matcher === undefined ? {} : { matcher }),
        hooks: [{ type: 'command', command, timeout }],
      },
      mark: call.join(' '),
    };
  };
  return [hook('SessionStart', 'start'), hook(stop, 'stop'), hook(tool, 'tool', writers)];
}

const claude: Client = {
  id: 'claude',
  title: 'Claude Code',
  programs: ['claude'],
  traces: ['.mcp.json', '.claude', 'CLAUDE.md'],
  next: 'allow the server `deepwork` when it asks',
  files({ words, hooks }) {
    const group = this.title;
    const servers = [{ path: ['mcpServers', SERVER], value: server(words, '.') }];
    const serverFile: Wanted = { kind: 'json', path: '.mcp.json', group, entries: servers };
    if (!hooks) return [serverFile];
    const entries = hookEntries(words, 'claude', { writers: 'Write|Edit|MultiEdit|NotebookEdit' });
    return [serverFile, { kind: 'json', path: '.claude/settings.json', group, entries }];
  },
};

const codex: Client = {
  id: 'codex',
  title: 'Codex',
  programs: ['codex'],
  traces: ['.codex'],
  next: 'trust the project when it asks, and its hooks with /hooks',
  files({ words, hooks }) {
    const group = this.title;
    const table = { path: ['mcp_servers', SERVER], value: server(words, '.') };
    const serverFile: Wanted = { kind: 'toml', path: '.codex/config.toml', group, table };
    if (!hooks) return [serverFile];
    const entries = hookEntries(words, 'codex', { writers: 'apply_patch|Edit|Write' });
    return [serverFile, { kind: 'json', path: '.codex/hooks.json', group, entries }];
  },
};

const gemini: Client = {
  id: 'gemini',
  title: 'Gemini CLI',
  programs: ['gemini'],
  traces: ['.gemini', 'GEMINI.md'],
  next: 'trust the folder when it asks',
  files({ words, hooks }) {
    const entries: JsonEntry[] = [{ path: ['mcpServers', SERVER], value: server(words, '.') }];
    if (hooks) {
      const format = { writers: 'write_file|replace', stop: 'AfterAgent', tool: 'BeforeTool' };
      // Gemini CLI counts in milliseconds.
      entries.push(...hookEntries(words, 'gemini', { ...format, timeout: HOOK_SECONDS * 1000 }));
    }
    return [{ kind: 'json', path: '.gemini/settings.json', group: this.title, entries }];
  },
};

/** The line of opencode's plugin that says how this program is started. */
const PLUGIN_PROGRAM = /^const DEEPWORK = .*$/m;

const opencode: Client = {
  id: 'opencode',
  title: 'opencode',
  programs: ['opencode'],
  traces: ['opencode.json', 'opencode.jsonc', '.opencode'],
  next: null,
  files({ words, hooks, exists, opencodePlugin }) {
    const isCommented = !exists('opencode.json') && exists('opencode.jsonc');
    const value = { type: 'local', command: [words[0], ...serveArgs(words, '.')], enabled: true };
    return [
      {
        kind: 'json',
        path: isCommented ? 'opencode.jsonc' : 'opencode.json',
        group: this.title,
        entries: [{ path: ['mcp', SERVER], value }],
        whenNew: [{ path: ['$schema'], value: 'https://opencode.ai/config.json' }],
      },
      ...(hooks
        ? [
            {
              kind: 'whole' as const,
              path: '.opencode/plugins/deepwork.js',
              group: this.title,
              text: opencodePlugin.replace(
                PLUGIN_PROGRAM,
                `const DEEPWORK = ${JSON.stringify(words)};`,
              ),
            },
          ]
        : []),
    ];
  },
};

const WORKSPACE_FOLDER = '${' + 'workspaceFolder}';

const cursor: Client = {
  id: 'cursor',
  title: 'Cursor',
  programs: ['cursor', 'cursor-agent'],
  traces: ['.cursor', '.cursorrules'],
  next: 'switch the server `deepwork` on under Settings, MCP',
  files({ words }) {
    const entries = [{ path: ['mcpServers', SERVER], value: server(words, WORKSPACE_FOLDER) }];
    return [{ kind: 'json', path: '.cursor/mcp.json', group: this.title, entries }];
  },
};

const vscode: Client = {
  id: 'vscode',
  title: 'VS Code',
  programs: ['code', 'code-insiders'],
  traces: ['.vscode/mcp.json'],
  next: 'start the server `deepwork` when .vscode/mcp.json offers it, and trust it',
  files({ words }) {
    const value = { type: 'stdio', ...server(words, WORKSPACE_FOLDER) };
    const entries = [{ path: ['servers', SERVER], value }];
    return [{ kind: 'json', path: '.vscode/mcp.json', group: this.title, entries }];
  },
};

export const CLIENTS: readonly Client[] = [claude, codex, gemini, opencode, cursor, vscode];
