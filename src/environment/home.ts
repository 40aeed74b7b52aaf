// The home folder of the user whose environment this is: that of this process, or of a command that
// was given one of its own.

import os from 'node:os';

/** As `os.homedir()` finds it for the environment of the process. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return (process.platform === 'win32' ? env.USERPROFILE : env.HOME) ?? os.userInfo().homedir;
}
