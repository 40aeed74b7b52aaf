// Checks each client that is set up for deepwork: the server that it starts and, if it supports
// hooks, the hooks that it calls. If no client is set up, one check says so.

import { mapConcurrent } from '../../async/map-concurrent.ts';
import {
  type Checker,
  type DoctorContext,
  ok,
  problem,
  type Result,
  warning,
  worstFirst,
} from '../check.ts';
import { type ClientSetup, type FoundEntry, readClientSetups } from './client-files.ts';
import { tryHook } from './start-hook.ts';
import { tryServer } from './start-server.ts';

/** Long, because a client may have many entries, and only a few are tried at once. */
const TIMEOUT_MS = 60_000;
const MAX_AT_ONCE = 3;

const INIT = 'deepwork init';

export function clientCheckers({ root, home }: Omit<DoctorContext, 'signal'>): readonly Checker[] {
  let setups: readonly ClientSetup[];
  try {
    setups = readClientSetups(root, home);
  } catch (error) {
    return [{ ...NO_CLIENT, run: () => Promise.reject(error) }];
  }
  if (setups.length === 0) return [NO_CLIENT];
  return setups.flatMap((setup) => [
    {
      name: `${setup.id} server`,
      timeoutMs: TIMEOUT_MS,
      run: (context) => checkServers(setup, context),
    },
    ...(setup.takesHooks
      ? [
          {
            name: `${setup.id} hooks`,
            timeoutMs: TIMEOUT_MS,
            run: (context: DoctorContext) => checkHooks(setup, context),
          },
        ]
      : []),
  ]);
}

const NO_CLIENT: Checker = {
  name: 'clients',
  timeoutMs: 1000,
  run: async () =>
    warning(
      'no client here is set up for deepwork',
      `connect yours: ${INIT} --clients claude (or another; see ${INIT} --help)`,
    ),
};

async function checkServers(setup: ClientSetup, context: DoctorContext): Promise<Result> {
  const [unreadable] = setup.unreadable;
  if (unreadable !== undefined) return problem(unreadable, `correct it, then run ${INIT}`);
  const { plugin, servers, title } = setup;
  if (servers.length === 0) {
    if (plugin !== null) return ok(`by the plugin in ${plugin}`);
    return warning(`${title} calls hooks, but starts no server`, `add it: ${INIT}`);
  }
  return summary(await tryAll(servers, (entry) => tryServer(entry, context)));
}

async function checkHooks(setup: ClientSetup, context: DoctorContext): Promise<Result> {
  const { hooks, plugin, title } = setup;
  if (hooks.length === 0) {
    if (plugin !== null) return ok(`by the plugin in ${plugin}`);
    return warning(`none: nothing reminds ${title} of open work`, `add them: ${INIT}`);
  }
  const results = await tryAll(hooks, (entry) => tryHook(entry, context));
  if (results.some(({ state }) => state !== 'ok')) return summary(results);
  const files = [...new Set(hooks.map(({ file }) => file))];
  const twice = plugin === null ? '' : `; those of the plugin in ${plugin} are not used`;
  return ok(`${files.join(', ')}: ${results.map(({ detail }) => detail).join(', ')}${twice}`);
}

function tryAll(
  entries: readonly FoundEntry[],
  attempt: (entry: FoundEntry) => Promise<Result>,
): Promise<Result[]> {
  return mapConcurrent(entries, MAX_AT_ONCE, attempt);
}

/** The worst result, or all of them if all are ok. */
function summary(results: readonly Result[]): Result {
  const [worst] = worstFirst(results);
  if (worst === undefined || worst.state === 'ok') {
    return ok(results.map(({ detail }) => detail).join('; '));
  }
  const others = results.filter((each) => each.state !== 'ok' && each.detail !== worst.detail);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return { ...worst, detail: `${worst.detail}${more}` };
}
