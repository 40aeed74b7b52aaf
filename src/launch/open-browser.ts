// Opens an address in the person's browser, with the system's own program. Never with one inside the
// project, which may be named `xdg-open`.

import { spawn } from 'node:child_process';
import { findProgram, withoutProjectPath } from '../environment/process/program.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False if there is no such program. True does not mean that a browser has opened. */
export function openInBrowser(
  address: string,
  projectRoot: string,
  env: NodeJS.ProcessEnv,
): boolean {
  const [name, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const program = findProgram(name, projectRoot, env);
  if (program === null) return false;
  const child = spawn(program, [...args, address], {
    detached: true,
    stdio: 'ignore',
    env: withoutProjectPath(programEnvironment(env), projectRoot),
  });
  child.on('error', () => {});
  child.unref();
  return true;
}
