// A person who trusts a project, with a separate home.

import { deepwork, type Ran } from './run-command.ts';

export function trust(root: string, home: string, ...args: string[]): Promise<Ran> {
  return deepwork(['trust', '--path', root, ...args], { cwd: root, env: { HOME: home } });
}
