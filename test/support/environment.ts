// Prepares the environment that the tests and everything they start inherit. Imported by vitest's
// configuration, so that it happens once, before there are workers.

import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeTempFolder, TEMPORARY } from './make-temp-folder.ts';

/** Where the certificates are kept for npm, the only program in the tests that may need them. */
const KEPT = 'DEEPWORK_TEST_CERTIFICATES';

const RUN_FOLDER = 'DEEPWORK_TEST_RUN_FOLDER';
let known = process.env[RUN_FOLDER];

/** A folder for what the workers of one run share, removed at its end. */
export function runFolder(): string {
  known ??= newRunFolder();
  return known;
}

function newRunFolder(): string {
  const folder = makeTempFolder('run');
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function prepareEnvironment(): void {
  process.env.TMPDIR = TEMPORARY;
  process.env[RUN_FOLDER] = runFolder();
  // Programs keep their compiled code there: the first of a run for all others, whatever their home is.
  process.env.XDG_CACHE_HOME = path.join(runFolder(), 'cache');
  // Tests under nohup start programs that are not.
  delete process.env._;
  // Tests inside Claude Code must not act in its session.
  delete process.env.CLAUDE_CODE_SESSION_ID;
  // Node reads these certificates at every start, which takes twice as long as the rest of it.
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  if (certificates === undefined) return;
  process.env[KEPT] = certificates;
  delete process.env.NODE_EXTRA_CA_CERTS;
}

/** The environment for an npm that downloads something. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const { [KEPT]: certificates, ...env } = process.env;
  return certificates === undefined ? env : { ...env, NODE_EXTRA_CA_CERTS: certificates };
}
