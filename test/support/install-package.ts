// Installs a package of Debian that tests need and the machine does not have, with a message, if this
// user may: as root, or with a sudo that asks for no password. Several test workers may want to at
// once, and apt-get refuses to run beside itself, so they take turns, and those that waited find the
// work done.

import { execFile, spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const LOCK = path.join(os.tmpdir(), 'deepwork-apt-get.lock');
const INSTALL = `dpkg -s "$1" >/dev/null 2>&1 ||
  { apt-get update && apt-get install -y --no-install-recommends "$1"; }`;

export async function installPackage(name: string, purpose: string): Promise<void> {
  const asRoot = asRootHere();
  if (asRoot === null) throw new Error('only root, or sudo without a password, may install it');
  process.stderr.write(`Installing ${name} with apt-get, for ${purpose} …\n`);
  const [program = '', ...words] = [...asRoot, 'flock', LOCK, 'sh', '-c', INSTALL, 'sh', name];
  await run(program, words, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The words before a command that make it root's; null if that is not possible here. */
function asRootHere(): readonly string[] | null {
  if (process.getuid?.() === 0) return [];
  const { status } = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
  return status === 0 ? ['sudo', '-n', '--preserve-env=DEBIAN_FRONTEND'] : null;
}
