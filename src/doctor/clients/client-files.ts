// Which files set up each client for deepwork, and how: the server to start, and the hooks to call.
// These are files of the project, and files of the user, which apply to every project.

import path from 'node:path';
import { simpleCommands } from '../../core/command/shell-words.ts';
import { isRecord } from '../../core/is-record.ts';
import { readLinkedText, readProjectText } from '../../files/read-contained.ts';
import { MOMENTS } from '../../hook/hook-client.ts';
import { pluginOf } from '../../init/find-plugins.ts';
import { readJsonc, readTomlTable } from './client-text.ts';

export interface FoundEntry {
  /** Relative to the project, or with ~. */
  readonly file: string;
  /** The command line; null if it cannot be started as a program. */
  readonly words: readonly string[] | null;
  /** As written in the file. */
  readonly text: string;
  /** The server's address, for an entry without a command. */
  readonly url: string | null;
}

export interface ClientSetup {
  readonly id: string;
  readonly title: string;
  /** Whether deepwork can have hooks in this client. */
  readonly takesHooks: boolean;
  readonly servers: readonly FoundEntry[];
  readonly hooks: readonly FoundEntry[];
  /** A package of the client that brings server and hooks; null if there is none. */
  readonly plugin: string | null;
  /** Files that cannot be read, in words. */
  readonly unreadable: readonly string[];
}

interface FoundInFile {
  readonly servers?: readonly Omit<FoundEntry, 'file'>[];
  readonly hooks?: readonly Omit<FoundEntry, 'file'>[];
  readonly problem?: string;
}

/** By its path below the project or the home; null if there is no such file. */
type TextOf = (name: string) => string | null;
type Read = (text: string, root: string) => FoundInFile;

interface ClientFiles {
  readonly id: string;
  readonly title: string;
  readonly takesHooks: boolean;
  /** Below the project. */
  readonly project: Readonly<Record<string, Read>>;
  /** Below the user's home. */
  readonly home: Readonly<Record<string, Read>>;
}

const NAME = 'deepwork';
const MAX_BYTES = 1024 * 1024;
/** Claude Code keeps the state of all projects in one file. */
const MAX_HOME_BYTES = 32 * 1024 * 1024;

const json =
  (read: (value: unknown, root: string) => FoundInFile): Read =>
  (text, root) => {
    const found = readJsonc(text);
    return found.kind === 'read' ? read(found.value, root) : { problem: found.why };
  };

/** An object of servers by name. */
const serversAt = (key: string) => json((value) => ({ servers: serversIn(at(value, key)) }));

const claudeSettings = json((value) => ({ hooks: hooksIn(at(value, 'hooks')) }));

const geminiSettings = json((value) => ({
  servers: serversIn(at(value, 'mcpServers')),
  hooks: hooksIn(at(value, 'hooks')),
}));

const codexConfig: Read = (text) => {
  const found = readTomlTable(text, `mcp_servers.${NAME}`);
  if (found.kind === 'problem') return { problem: found.why };
  return { servers: serversIn({ [NAME]: found.value }) };
};

const codexHooks = json((value) => ({ hooks: hooksIn(at(value, 'hooks')) }));

/** `deepwork init` writes the command that starts this program as one line of JSON. */
const opencodePlugin: Read = (text) => {
  const [, line = ''] = /^const DEEPWORK = (\[.*\]);$/m.exec(text) ?? [];
  // Wrapped, because readJsonc expects an object.
  const read = readJsonc(`{"words": ${line}}`);
  const words = read.kind === 'read' ? textsIn(at(read.value, 'words')) : [];
  if (words.length === 0) return { problem: 'does not say how deepwork is started' };
  const hooks = MOMENTS.map((moment) => [...words, 'hook', 'opencode', moment]);
  return { hooks: hooks.map((each) => ({ words: each, text: each.join(' '), url: null })) };
};

const CLIENTS: readonly ClientFiles[] = [
  {
    id: 'claude',
    title: 'Claude Code',
    takesHooks: true,
    project: {
      '.mcp.json': serversAt('mcpServers'),
      '.claude/settings.json': claudeSettings,
      '.claude/settings.local.json': claudeSettings,
    },
    home: {
      '.claude.json': json((value, root) => ({
        servers: [
          ...serversIn(at(value, 'mcpServers')),
          ...serversIn(at(at(at(value, 'projects'), root), 'mcpServers')),
        ],
      })),
      '.claude/settings.json': claudeSettings,
    },
  },
  {
    id: 'codex',
    title: 'Codex',
    takesHooks: true,
    project: { '.codex/config.toml': codexConfig, '.codex/hooks.json': codexHooks },
    home: { '.codex/config.toml': codexConfig, '.codex/hooks.json': codexHooks },
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    takesHooks: true,
    project: { '.gemini/settings.json': geminiSettings },
    home: { '.gemini/settings.json': geminiSettings },
  },
  {
    id: 'opencode',
    title: 'opencode',
    takesHooks: true,
    project: {
      'opencode.json': serversAt('mcp'),
      'opencode.jsonc': serversAt('mcp'),
      '.opencode/plugins/deepwork.js': opencodePlugin,
    },
    home: {
      '.config/opencode/opencode.json': serversAt('mcp'),
      '.config/opencode/opencode.jsonc': serversAt('mcp'),
      '.config/opencode/plugins/deepwork.js': opencodePlugin,
    },
  },
  {
    id: 'cursor',
    title: 'Cursor',
    takesHooks: false,
    project: { '.cursor/mcp.json': serversAt('mcpServers') },
    home: { '.cursor/mcp.json': serversAt('mcpServers') },
  },
  {
    id: 'vscode',
    title: 'VS Code',
    takesHooks: false,
    project: { '.vscode/mcp.json': serversAt('servers') },
    home: {},
  },
];

/** The clients that are set up for deepwork, or have a file that cannot be read. */
export function readClientSetups(root: string, home: string): readonly ClientSetup[] {
  return CLIENTS.map((client) => readClient(client, root, home)).filter(
    ({ servers, hooks, plugin, unreadable }) =>
      servers.length + hooks.length + unreadable.length > 0 || plugin !== null,
  );
}

function readClient(client: ClientFiles, root: string, home: string): ClientSetup {
  const { id, title, takesHooks } = client;
  const read = (files: Readonly<Record<string, Read>>, prefix: string, textOf: TextOf) =>
    Object.entries(files).flatMap(([name, readText]) => {
      const text = textOf(name);
      return text === null ? [] : [{ file: `${prefix}${name}`, found: readText(text, root) }];
    });
  const all = [
    ...read(client.project, '', (name) => readProjectText(root, path.join(root, name), MAX_BYTES)),
    // A project in the home directory has these files already.
    ...(root === home
      ? []
      : read(client.home, '~/', (name) => readLinkedText(path.join(home, name), MAX_HOME_BYTES))),
  ];
  const entries = (kind: 'servers' | 'hooks') =>
    all.flatMap(({ file, found }) => (found[kind] ?? []).map((entry) => ({ ...entry, file })));
  return {
    id,
    title,
    takesHooks,
    servers: entries('servers'),
    hooks: entries('hooks'),
    plugin: pluginOf(id, root, home),
    unreadable: all.flatMap(({ file, found }) =>
      found.problem === undefined ? [] : [`${file} ${found.problem}`],
    ),
  };
}

function serversIn(value: unknown): Omit<FoundEntry, 'file'>[] {
  return Object.entries(asMap(value)).flatMap(([name, entry]) => {
    const { command, args, url, httpUrl, serverUrl } = asMap(entry);
    const words = [
      ...(typeof command === 'string' ? [command] : textsIn(command)),
      ...textsIn(args),
    ];
    const isOurs = name === NAME || path.basename(words[0] ?? '') === NAME;
    const address = [url, httpUrl, serverUrl].find((each) => typeof each === 'string');
    if (!isOurs || (words.length === 0 && address === undefined)) return [];
    return [
      {
        words: words.length === 0 ? null : words,
        text: words.length === 0 ? String(address) : words.join(' '),
        url: words.length === 0 ? String(address) : null,
      },
    ];
  });
}

/** Hooks in Claude Code's format, which other clients have adopted: event, then command groups. */
function hooksIn(value: unknown): Omit<FoundEntry, 'file'>[] {
  return Object.values(asMap(value))
    .flatMap((groups) => (Array.isArray(groups) ? groups : []))
    .flatMap((group) => {
      const { hooks } = asMap(group);
      return Array.isArray(hooks) ? hooks : [];
    })
    .map((hook) => at(hook, 'command'))
    .filter((command) => typeof command === 'string')
    .filter((command) => /\bhook \w+ (?:start|stop|tool)\b/.test(command))
    .filter((command) => /deepwork|main\.cjs/.test(command))
    .map((text) => ({ words: plainWords(text), text, url: null }));
}

/** Null if a shell would do more than split it into words. */
function plainWords(command: string): readonly string[] | null {
  if (/[$`;&|<>()*?~\n\\]/.test(command)) return null;
  const [only, ...more] = simpleCommands(command);
  return only === undefined || more.length > 0 ? null : only.words;
}

function at(value: unknown, key: string): unknown {
  return Object.hasOwn(asMap(value), key) ? asMap(value)[key] : undefined;
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
