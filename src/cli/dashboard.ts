// deepwork dashboard: serves the page for a person, by the server that runs already or by one
// that is started for it. Its connection to that server is its share in the server's life.

import { openInBrowser } from '../launch/open-browser.ts';
import { portOf, type Reached, reachServer } from '../launch/reach-server.ts';
import { projectAt, readOptions, requireProject, UsageError } from './command-line.ts';
import { DASHBOARD_HELP } from './help.ts';
import { AGENTS_CANNOT, refusesAgent } from './terminal/only-people.ts';
import { printable } from './terminal/printable.ts';

const NO_SERVER = 1;
const MAX_RESTARTS = 5;

export async function dashboard(argv: readonly string[]): Promise<number> {
  const { values } = readOptions('dashboard', {
    args: [...argv],
    options: {
      path: { type: 'string' },
      open: { type: 'boolean' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(DASHBOARD_HELP);
    return 0;
  }
  if (refusesAgent('open the dashboard')) return AGENTS_CANNOT;
  const projectRoot = projectAt(values.path);
  requireProject(projectRoot, values.path);
  const port = values.port === undefined ? null : readPort(values.port);
  const ended = signalled();
  let wanted = port;
  for (let restarts = 0; ; restarts++) {
    const reach = { projectRoot, port: wanted, identity: 'coordinator', isDashboard: true };
    const reached = await reachServer(reach).catch((error: Error) => {
      process.stderr.write(`deepwork: ${printable(error.message)}\n`);
    });
    if (reached === undefined) return NO_SERVER;
    const { url, lease } = reached;
    const isElsewhere = wanted !== null && wanted !== 0 && portOf(reached) !== wanted;
    if (isElsewhere) process.stderr.write('deepwork: the server that runs already is used\n');
    const address = lease.code === null ? `${url}/` : `${url}/sign-in?code=${lease.code}`;
    process.stdout.write(greeting(projectRoot, address, reached));
    if (values.open && restarts === 0 && !openInBrowser(address, projectRoot)) {
      process.stderr.write('deepwork: no browser can be started here; open the address yourself\n');
    }
    const why = await Promise.race([ended, lease.over.then(() => 'over' as const)]);
    lease.end();
    if (why === 'signalled') return 0;
    // A server that a person started is not replaced: only they know its options.
    if (!reached.launched || restarts === MAX_RESTARTS) {
      process.stderr.write('deepwork: the server has ended. Run deepwork dashboard again.\n');
      return NO_SERVER;
    }
    process.stderr.write('deepwork: the server has ended. Starting it again.\n');
    // Browsers that are open look for it at the same address.
    wanted = portOf(reached);
  }
}

function greeting(projectRoot: string, address: string, { lease, started }: Reached): string {
  const once = lease.code === null ? '' : '  (for one browser, once, within five minutes)\n';
  // Agents that were launched share a server: it ends with the last one that uses it.
  const end = started
    ? 'Ctrl-C ends it.'
    : 'Ctrl-C ends this command; the server was running already, and goes on.';
  return `deepwork shows ${printable(projectRoot)} at\n  ${address}\n${once}${end}\n`;
}

/** From now on a signal ends the command in order. */
function signalled(): Promise<'signalled'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => resolve('signalled'));
    }
  });
}

function readPort(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new UsageError(`--port ${given} is not a whole number from 0 to 65535`);
  }
  return port;
}
