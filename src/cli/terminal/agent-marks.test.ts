import { describe, expect, test } from 'vitest';
import { agentAmong, launchedAs, markIn } from './agent-marks.ts';

const only = (...words: string[]) => [{ pid: 7, words }];
const nameOf = (...words: string[]) => agentAmong(only(...words))?.name ?? null;

describe('a process is a known agent', () => {
  test.each([
    ['claude', ['claude', '--continue']],
    ['claude', ['/home/ada/.local/bin/claude']],
    ['claude', ['/home/ada/.local/share/claude/versions/2.1.0', '-p', 'x']],
    ['claude', ['node', '/usr/local/bin/claude', '-p']],
    ['claude', ['node', '--no-warnings', '/opt/node_modules/@anthropic-ai/claude-code/cli.js']],
    ['claude', ['/bin/sh', '/usr/local/bin/claude']],
    ['claude', ['C:\\Users\\ada\\claude.exe']],
    ['codex', ['/opt/node_modules/@openai/codex/vendor/x/codex', 'exec']],
    ['codex', ['node', '-r', './hook.js', '/usr/bin/codex']],
    ['gemini', ['node', '--import', 'x', '/opt/node_modules/@google/gemini-cli/dist/index.js']],
    ['opencode', ['opencode', 'run']],
    ['cursor-agent', ['/home/ada/.local/bin/cursor-agent']],
    ['aider', ['/usr/bin/python3.12', '/usr/local/bin/aider']],
    ['deepwork launch', ['node', '/usr/local/bin/deepwork', 'launch', '--', 'my-agent']],
    ['deepwork launch', ['/usr/bin/node', '/opt/deepwork/dist/main.cjs', 'launch']],
    ['deepwork launch', ['deepwork', 'launch']],
  ])('%s: %j', (name, words) => {
    expect(nameOf(...words)).toBe(name);
  });
});

describe('a process is not an agent', () => {
  test.each([
    [['-bash']],
    [['/Applications/Cursor.app/Contents/MacOS/Cursor']],
    [['/usr/share/cursor/cursor', '--type=ptyHost']],
    [['code', 'claude']],
    [['vim', 'claude']],
    [['bash', '-c', 'claude']],
    [['bash', '-lc', 'claude']],
    [['node', '-e', 'claude']],
    [['node', 'server.js', 'claude']],
    [['tmux', 'new-session', '-s', 'claude']],
    [['node', '/opt/deepwork/dist/main.cjs', 'serve']],
    [['node', '/opt/deepwork/dist/main.cjs', 'trust', 'launch']],
    [['node', '/opt/other/main.cjs', 'launch']],
    [[]],
  ])('%j', (words) => {
    expect(nameOf(...words)).toBeNull();
  });
});

test('the nearest agent is named', () => {
  const processes = [
    { pid: 3, words: ['-zsh'] },
    { pid: 2, words: ['codex'] },
    { pid: 1, words: ['claude'] },
  ];
  expect(agentAmong(processes)).toEqual({ pid: 2, name: 'codex' });
});

test('a launch names the agent it started', () => {
  const as = (...words: string[]) => launchedAs(only('deepwork', 'launch', ...words));
  expect(as('--agent', 'writer|opus', '--', 'claude')).toBe('writer|opus');
  expect(as('--path', '/p', '--agent=writer')).toBe('writer');
  expect(as('--', 'claude', '--agent', 'writer')).toBe('');
  expect(launchedAs(only('claude'))).toBeNull();
  expect(
    launchedAs([...only('deepwork', 'launch', '--agent', 'inner'), ...only('deepwork', 'launch')]),
  ).toBe('inner');
});

test('a mark counts even if it is empty, and settings of a client do not count', () => {
  expect(markIn({ CLAUDECODE: '' })).toBe('CLAUDECODE');
  const settings = { CLAUDE_CODE_USE_BEDROCK: '1', CODEX_HOME: '/x', GEMINI_API_KEY: 'k' };
  expect(markIn({ ...settings, TERM_PROGRAM: 'vscode', CURSOR_TRACE_ID: 'x' })).toBeNull();
});
