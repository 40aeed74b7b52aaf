// The name of whoever runs this process, for a record of who answered.

import os from 'node:os';

export function systemUser(env: NodeJS.ProcessEnv = process.env): string {
  try {
    return os.userInfo().username || 'user';
  } catch {
    // A user without an entry in the system's list still has a name in its environment.
    return env.USER || env.LOGNAME || 'user';
  }
}
