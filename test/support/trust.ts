// A person who trusts a project, with a separate home.

import { command } from './command.ts';
import type { Ran } from './run-command.ts';

export function trust(root: string, home: string, ...args: string[]): Promise<Ran> {
  return command(['trust', '--path', root, ...args], { cwd: root, env: { HOME: home } });
}
