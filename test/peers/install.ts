// Peers are installed when a test first needs them, each set into its own folder with its own lock
// file, so that the project itself depends on none of them. The installation runs none of their
// scripts.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { npmEnvironment } from '../support/environment.ts';

const execute = promisify(execFile);

/** The minimum for the clients; with an older Node they get their own beside them. */
const NEEDED_NODE = 22;

const INSTALL_MS = 10 * 60_000;

export interface Peers {
  /** The file of a package. */
  file(name: string): string;
  /** A Node that is new enough for them. */
  readonly node: string;
}

export type PeerSet = 'conformance' | 'clients' | 'publishing';

const installed = new Map<PeerSet, Promise<Peers | string>>();

/** A string instead of peers is the reason why there are none. */
export function installPeers(set: PeerSet): Promise<Peers | string> {
  const known = installed.get(set) ?? install(set);
  installed.set(set, known);
  return known;
}

async function install(set: PeerSet): Promise<Peers | string> {
  const folder = fileURLToPath(new URL(`packages/${set}`, import.meta.url));
  const ownNode = Number.parseInt(process.versions.node, 10) >= NEEDED_NODE;
  const stamp = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  const stampFile = path.join(folder, 'node_modules/.stamp');
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    process.stderr.write(`Installing the peers in ${folder}, once …\n`);
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    const args = ['ci', '--ignore-scripts', '--fetch-retries=1', ...quiet];
    try {
      await execute('npm', args, { cwd: folder, env: npmEnvironment(), timeout: INSTALL_MS });
    } catch (error) {
      const said = (error as { stderr?: string }).stderr || (error as Error).message;
      const reason = `The peers cannot be installed in ${folder}; run the tests once with a network. ${said.slice(0, 1000)}`;
      process.stderr.write(`${reason}\n`);
      return reason;
    }
    writeFileSync(stampFile, stamp);
  }
  const file = (name: string) => path.join(folder, 'node_modules', name);
  const anyNode = ownNode || set !== 'clients';
  return { file, node: anyNode ? process.execPath : packagedNode(file) };
}

function packagedNode(file: Peers['file']): string {
  const { platform, arch } = process;
  const found = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]
    .map((name) => file(`${name}/bin/node`))
    .find((binary) => existsSync(binary));
  if (found === undefined) {
    throw new Error(
      `The peers need Node ${NEEDED_NODE}, and none is packaged for ${platform} ${arch}. Run the tests with a newer Node.`,
    );
  }
  return found;
}
