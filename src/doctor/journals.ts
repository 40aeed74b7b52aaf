// Whether the journal is intact: every stream is verified as a reader would read it, and stays where
// it is even if it is damaged. Streams that were set aside before are counted.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { counted } from '../core/wording.ts';
import { openContainment } from '../environment/containment.ts';
import { pathsOf } from '../environment/paths.ts';
import { knownJournalKey } from '../environment/signing-key.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { type FileLayer, realFileLayer } from '../journal/file-layer.ts';
import { listStreams } from '../journal/list-streams.ts';
import { DAMAGED, QUARANTINE } from '../journal/stream-name.ts';
import { verifyStream } from '../journal/verify.ts';
import { type Checker, ok, problem, type Result, warning } from './check.ts';

/** Streams that are not verified by then are reported as such. */
const VERIFY_MS = 20_000;

export const journals: Checker = {
  name: 'journals',
  timeoutMs: VERIFY_MS + 10_000,
  async run({ root, home }) {
    const { journal } = pathsOf(root);
    if (lstatSync(journal, { throwIfNoEntry: false }) === undefined) return ok('none yet');
    const layer = checkedLayer(realFileLayer, openContainment(root, () => {}).require);
    const streams: string[] = [];
    for await (const { stream } of listStreams(journal, layer, '')) streams.push(stream);
    const key = knownJournalKey(path.join(home, '.deepwork', 'signing.key'));
    if (key === null) return withoutKey(streams.length);
    return judge(await verifyAll(journal, streams, key, layer), await countAside(journal, layer));
  },
};

function withoutKey(streams: number): Result {
  if (streams === 0) return ok('empty');
  return problem(
    `${counted(streams, 'stream')}, and no key in ~/.deepwork that could have signed them`,
    'put ~/.deepwork/signing.key back, or take the journal over: deepwork repair --journal',
  );
}

interface Verdict {
  readonly streams: number;
  readonly verified: number;
  readonly events: number;
  /** One description for each damaged stream. */
  readonly damaged: readonly string[];
  readonly foreign: readonly string[];
}

async function verifyAll(
  folder: string,
  streams: readonly string[],
  key: Buffer,
  layer: FileLayer,
): Promise<Verdict> {
  const deadline = Date.now() + VERIFY_MS;
  const damaged: string[] = [];
  const foreign: string[] = [];
  let events = 0;
  let verified = 0;
  for (const stream of streams) {
    if (Date.now() > deadline) break;
    const found = await verifyStream(folder, stream, key, layer);
    verified++;
    events += found?.events ?? 0;
    if (found?.foreign) foreign.push(stream);
    else if (found?.damage) {
      damaged.push(`${stream}, line ${found.damage.line}: ${found.damage.reason}`);
    }
  }
  return { streams: streams.length, verified, events, damaged, foreign };
}

interface Aside {
  readonly damaged: number;
  readonly quarantined: number;
}

async function countAside(folder: string, layer: FileLayer): Promise<Aside> {
  const count = async (name: string) =>
    (await layer.list(path.join(folder, name))).filter(({ kind }) => kind === 'file').length;
  return { damaged: await count(DAMAGED), quarantined: await count(QUARANTINE) };
}

function judge(found: Verdict, aside: Aside): Result {
  const { streams, verified, events, damaged, foreign } = found;
  if (damaged.length > 0) {
    const more = damaged.length === 1 ? '' : ` (and ${damaged.length - 1} more)`;
    return problem(`damaged: ${damaged[0]}${more}`, 'set it aside and go on: deepwork repair');
  }
  if (foreign.length > 0) {
    return problem(
      `${counted(foreign.length, 'stream')} not written by you here: ${foreign[0]}`,
      'if it is yours, take it over: deepwork repair --journal',
    );
  }
  if (verified < streams) {
    return warning(
      `${verified} of ${counted(streams, 'stream')} verified in ${VERIFY_MS / 1000} s, all intact`,
      'run it again when the machine is less busy',
    );
  }
  const whole = `${counted(streams, 'stream')}, ${counted(events, 'event')}, all verified`;
  if (aside.damaged + aside.quarantined === 0) return ok(whole);
  const parts = [
    ...(aside.damaged > 0 ? [`${aside.damaged} damaged`] : []),
    ...(aside.quarantined > 0 ? [`${aside.quarantined} quarantined`] : []),
  ];
  return warning(
    `${whole}; set aside: ${parts.join(', ')}`,
    aside.quarantined > 0
      ? 'see what it is: deepwork repair --journal'
      : 'delete .deepwork/journal/damaged when you no longer need it',
  );
}
