// Runs `deepwork doctor --json` as a person, and gives what it found by the name of each check.

import { expect } from 'vitest';
import type { DoctorCheck } from '../../src/doctor/check.ts';
import { compileSchema } from '../schemas/compiled-schema.ts';
import { command } from './command.ts';
import { BINARY } from './connect.ts';
import { cleanEnv } from './http.ts';
import type { Project } from './project.ts';

const schema = compileSchema('doctor');

export interface Examined {
  readonly code: number | null;
  readonly checks: readonly DoctorCheck[];
  check(name: string): DoctorCheck;
}

export async function examine(
  root: string,
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  const options = { cwd: root, env: { ...cleanEnv(home), ...env } };
  const { code, stdout, stderr } = await command(['doctor', '--json'], options);
  expect(stderr).toBe('');
  const answer = JSON.parse(stdout);
  expect(schema.complaintsAbout(answer)).toEqual([]);
  const { checks } = answer as { checks: readonly DoctorCheck[] };
  expect(code).toBe(checks.some(({ state }) => state === 'problem') ? 1 : 0);
  return {
    code,
    checks,
    check(name) {
      const found = checks.find((each) => each.name === name);
      if (found === undefined) throw new Error(`There is no check '${name}':\n${stdout}`);
      return found;
    },
  };
}

/** Claude Code as `deepwork init` sets it up, with this program by its path. */
export function setUpClaude(project: Project, program = BINARY): void {
  const server = { command: program, args: ['serve', '--path', '.'] };
  project.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: server } }));
  const hook = (moment: string) => [
    { hooks: [{ type: 'command', command: `${program} hook claude ${moment}` }] },
  ];
  const hooks = { SessionStart: hook('start'), Stop: hook('stop'), PreToolUse: hook('tool') };
  project.write('.claude/settings.json', JSON.stringify({ hooks }));
}
