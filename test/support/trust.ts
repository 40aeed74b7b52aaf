// A person who trusts a project, with a home of their own.

import { deepwork, type Ran } from './run-command.ts';

export function trust(root: string, home: string, ...args: string[]): Promise<Ran> {
  return deepwork(['trust', '--path', root, ...args], { cwd: root, env: { HOME: home } });
}
