// deepwork dashboard: serves the page for a person, from the server that is already running or from
// one that it starts. A server that was started this way ends when nothing is connected any more.

import { firstSignal } from '../environment/process/signals.ts';
import { openInBrowser } from '../launch/open-browser.ts';
import { portOf, type Reached, reachServer } from '../launch/reach-server.ts';
import { MAX_PORT, readOptions, readWholeNumber } from './command-line.ts';
import { DASHBOARD_HELP } from './help.ts';
import type { Io } from './io.ts';
import { requireProject } from './project.ts';
import { AGENTS_CANNOT, refusesAgent } from './terminal/only-people.ts';
import { printable } from './terminal/printable.ts';

const NO_SERVER = 1;
const MAX_RESTARTS = 5;

export async function dashboard(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'dashboard', argv, DASHBOARD_HELP);
  if (values === null) return 0;
  if (refusesAgent(io, 'open the dashboard')) return AGENTS_CANNOT;
  const projectRoot = requireProject(io, values.path);
  const port =
    values.port === undefined ? null : readWholeNumber('--port', values.port, 0, MAX_PORT);
  const ended = firstSignal(io.signals, 'SIGINT', 'SIGTERM').then(() => 'signalled' as const);
  let wanted = port;
  for (let restarts = 0; ; restarts++) {
    const reach = {
      projectRoot,
      env: io.env,
      port: wanted,
      identity: 'coordinator',
      isDashboard: true,
    };
    const reached = await reachServer(reach).catch((error: Error) => {
      io.stderr.write(`deepwork: ${printable(error.message)}\n`);
    });
    if (reached === undefined) return NO_SERVER;
    const { url, lease } = reached;
    const isElsewhere = wanted !== null && wanted !== 0 && portOf(reached) !== wanted;
    if (isElsewhere) io.stderr.write('deepwork: using the server that is already running\n');
    const address = lease.code === null ? `${url}/` : `${url}/sign-in?code=${lease.code}`;
    io.stdout.write(greeting(projectRoot, address, reached));
    if (values.open && restarts === 0 && !openInBrowser(address, projectRoot, io.env)) {
      io.stderr.write('deepwork: no browser can be started here; open the address yourself\n');
    }
    const why = await Promise.race([ended, lease.over.then(() => 'over' as const)]);
    lease.end();
    if (why === 'signalled') return 0;
    // Only the person who started a server knows its options, so it is not started again.
    if (!reached.launched || restarts === MAX_RESTARTS) {
      io.stderr.write('deepwork: the server has ended. Run deepwork dashboard again.\n');
      return NO_SERVER;
    }
    io.stderr.write('deepwork: the server has ended. Starting it again.\n');
    // Open browsers reconnect to the same address.
    wanted = portOf(reached);
  }
}

function greeting(projectRoot: string, address: string, { lease, started }: Reached): string {
  const once = lease.code === null ? '' : '  (for one browser, once, within five minutes)\n';
  // Launched agents share a server, which ends with the last one that uses it.
  const end = started
    ? 'Ctrl-C ends it.'
    : 'Ctrl-C ends this command; the server was already running and keeps running.';
  return `deepwork shows ${printable(projectRoot)} at\n  ${address}\n${once}${end}\n`;
}
