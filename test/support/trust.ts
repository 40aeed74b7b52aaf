// A person who trusts a project, with a separate home.

import { deepworkInProcess } from './in-process-command.ts';
import type { Ran } from './run-command.ts';

export function trust(root: string, home: string, ...args: string[]): Promise<Ran> {
  return deepworkInProcess(['trust', '--path', root, ...args], { cwd: root, env: { HOME: home } });
}
