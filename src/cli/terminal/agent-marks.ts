// Tells an agent from a person at a terminal: by the variables that clients set for the
// commands they run, and by the parent processes. A determined agent can get around both;
// they stop one that does not know better. Editors with built-in agents do not count: their
// terminal belongs to a person.

import path from 'node:path';
import type { RunningProcess } from '../../environment/process/processes.ts';

/** Set by clients for the commands of an agent, and never by people. */
export const MARKS: readonly string[] = [
  // Our own: deepwork launch, deepwork run.
  'SGAI_AGENT_IDENTITY',
  'DEEPWORK_AGENT_TOKEN',
  'DEEPWORK_RUN',
  // Claude Code
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  // Codex
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
  'CODEX_CI',
  // Gemini CLI, Qwen Code
  'GEMINI_CLI',
  'QWEN_CODE',
  // opencode
  'OPENCODE',
  'OPENCODE_CLIENT',
  // Cursor, Antigravity, Augment, Cline, Goose, Amp, Copilot CLI
  'CURSOR_AGENT',
  'ANTIGRAVITY_AGENT',
  'AUGMENT_AGENT',
  'CLINE_ACTIVE',
  'GOOSE_TERMINAL',
  'AMP_CURRENT_THREAD_ID',
  'COPILOT_CLI',
  // Agreed on by several clients
  'AI_AGENT',
];

/** The first mark that is set in an environment, even if it is empty; null if none is. */
export function markIn(env: NodeJS.ProcessEnv): string | null {
  return MARKS.find((name) => env[name] !== undefined) ?? null;
}

/** Command line agents, by the name of their program. */
const AGENTS = [
  'aider',
  'amp',
  'auggie',
  'claude',
  'cline',
  'codex',
  'copilot',
  'crush',
  'cursor-agent',
  'droid',
  'gemini',
  'goose',
  'kiro-cli',
  'opencode',
  'qwen',
];

/** Paths of their packages, for scripts with generic names such as `cli.js`. */
const PACKAGES: readonly (readonly [RegExp, string])[] = [
  [/[\\/](?:@anthropic-ai[\\/]claude-code|claude[\\/]versions)[\\/]/, 'claude'],
  [/[\\/]@openai[\\/]codex[^\\/]*[\\/]/, 'codex'],
  [/[\\/]@google[\\/]gemini-cli[^\\/]*[\\/]/, 'gemini'],
  [/[\\/]opencode-(?:ai|[a-z]+-[a-z0-9]+)[\\/]/, 'opencode'],
  [/[\\/]cursor-agent[\\/]/, 'cursor-agent'],
  [/[\\/]@qwen-code[\\/]/, 'qwen'],
  [/[\\/]@sourcegraph[\\/]amp[\\/]/, 'amp'],
  [/[\\/]@github[\\/]copilot[\\/]/, 'copilot'],
  [/[\\/]@augmentcode[\\/]auggie[\\/]/, 'auggie'],
];

export interface KnownAgent {
  readonly pid: number;
  readonly name: string;
}

/** The nearest process that is an agent, a `deepwork launch` or a `deepwork run`. */
export function agentAmong(processes: readonly RunningProcess[]): KnownAgent | null {
  for (const { pid, words } of processes) {
    const name = agentName(words) ?? starterOf(words);
    if (name !== null) return { pid, name };
  }
  return null;
}

/** The --agent value of the nearest launch, '' if it has none; null if there is no launch. */
export function launchedAs(processes: readonly RunningProcess[]): string | null {
  for (const { words } of processes) {
    const given = launchWords(words);
    if (given === null) continue;
    const options = given.slice(0, given.includes('--') ? given.indexOf('--') : undefined);
    const at = options.findIndex((word) => word === '--agent' || word.startsWith('--agent='));
    if (at === -1) return '';
    const inline = options[at]?.split('=').slice(1).join('=');
    return inline || options[at + 1] || '';
  }
  return null;
}

function agentName(words: readonly string[]): string | null {
  const [program = ''] = words;
  for (const file of [program, scriptOf(words)?.file ?? '']) {
    const name = AGENTS.find((agent) => agent === baseName(file));
    if (name !== undefined) return name;
    const [, packaged] = PACKAGES.find(([place]) => place.test(file)) ?? [];
    if (packaged !== undefined) return packaged;
  }
  return null;
}

/** `deepwork launch` or `deepwork run`; null for any other command line. */
function starterOf(words: readonly string[]): string | null {
  const [command] = ownWords(words) ?? [];
  return command === 'launch' || command === 'run' ? `deepwork ${command}` : null;
}

/** The arguments after `deepwork launch`; null for any other command line. */
function launchWords(words: readonly string[]): readonly string[] | null {
  const [command, ...rest] = ownWords(words) ?? [];
  return command === 'launch' ? rest : null;
}

/** The arguments after `deepwork`; null for any other command line. */
function ownWords(words: readonly string[]): readonly string[] | null {
  const { file, rest } = scriptOf(words) ?? { file: words[0] ?? '', rest: words.slice(1) };
  const isOurs = baseName(file) === 'deepwork' || /[\\/]dist[\\/]main\.cjs$/.test(file);
  return isOurs ? rest : null;
}

const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|python[0-9.]*|uv|ruby|perl|sh|bash|dash|zsh|fish|ksh)$/;
/** Options whose value is the next word. */
const WITH_VALUE = ['-r', '--require', '--import', '--loader', '--experimental-loader', '-W', '-X'];
/** Options followed by program text instead of a file. */
const TEXT = /^(?:-[a-z]*[ce]|-p|--eval|--print)$/;

/** The script that an interpreter runs, and its arguments. */
function scriptOf(words: readonly string[]): { file: string; rest: readonly string[] } | null {
  if (!INTERPRETERS.test(baseName(words[0] ?? ''))) return null;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string;
    if (TEXT.test(word)) return null;
    if (WITH_VALUE.includes(word)) at++;
    else if (!word.startsWith('-')) return { file: word, rest: words.slice(at + 1) };
  }
  return null;
}

/** Login shells are named `-bash`. */
function baseName(file: string): string {
  return path
    .basename(file.replaceAll('\\', '/'))
    .replace(/\.(?:exe|cmd|m?js|py)$/i, '')
    .replace(/^-/, '');
}
