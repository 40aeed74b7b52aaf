// Installs a package of Debian that tests need and the machine does not have, with a message.
// Several test workers may want to at once, and apt-get refuses to run beside itself, so they
// take turns, and those that waited find the work done.

import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const LOCK = path.join(os.tmpdir(), 'deepwork-apt-get.lock');
const INSTALL = `dpkg -s "$1" >/dev/null 2>&1 ||
  { apt-get update && apt-get install -y --no-install-recommends "$1"; }`;

export async function installPackage(name: string, purpose: string): Promise<void> {
  process.stderr.write(`Installing ${name} with apt-get, for ${purpose} …\n`);
  await run('flock', [LOCK, 'sh', '-c', INSTALL, 'sh', name], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}
