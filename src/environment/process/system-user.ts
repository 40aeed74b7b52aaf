// The name of the user who runs this process, to record who answered.

import os from 'node:os';

export function systemUser(env: NodeJS.ProcessEnv = process.env): string {
  try {
    return os.userInfo().username || 'user';
  } catch {
    // A user unknown to the system still has a name in the environment.
    return env.USER || env.LOGNAME || 'user';
  }
}
