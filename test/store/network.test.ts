// A network that fails in the middle of a commit: nothing is doubled, and no answer is wrong.

import { expect, onTestFinished, test } from 'vitest';
import { Refused } from '../../src/core/refusal.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { openPostgresStore } from '../../src/journal/postgres/open.ts';
import { readAll, someEvent } from '../support/journal-conformance.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { type Fate, type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

function open(url: string): Journal {
  const store = openPostgresStore({ url, workspace: 'test' });
  onTestFinished(store.close);
  return store.journal;
}

/** A journal behind a network, and one beside it. */
async function opened(): Promise<{ behind: Journal; beside: Journal; proxy: TcpProxy }> {
  const url = await freshDatabase();
  const address = new URL(url);
  const proxy = await tcpProxy(Number(address.port));
  address.port = String(proxy.port);
  const [behind, beside] = [open(address.href), open(url)];
  // Connected, and the statement known: what fails then is the commit.
  await behind.append('team', 0, someEvent({ n: 0 }));
  return { behind, beside, proxy };
}

/** Once, for the data that carries this text. */
function once(marker: string, fate: Fate, then = () => {}): (data: Buffer) => Fate {
  let done = false;
  return (data) => {
    if (done || !data.includes(marker)) return 'pass';
    done = true;
    then();
    return fate;
  };
}

const MARK = 'mark-of-this-event';

const FATES: [of: 'data' | 'answer', fate: Fate][] = [
  ['data', 'cut'],
  ['data', 'pass_and_cut'],
  ['data', 'swallow'],
  ['answer', 'cut'],
  ['answer', 'swallow'],
];

test.each(FATES)('a commit whose %s is met with "%s" is accepted once', async (of, fate) => {
  verifies('STORE-5');
  const { behind, beside, proxy } = await opened();
  let isAnswer = false;
  proxy.toServer = once(MARK, of === 'data' ? fate : 'pass', () => {
    isAnswer = of === 'answer';
  });
  proxy.toClient = () => {
    if (!isAnswer) return 'pass';
    isAnswer = false;
    return fate;
  };
  const result = await behind.append('team', 1, someEvent({ text: MARK }));
  expect(result.kind).toBe('appended');
  const events = await readAll(beside, 'team');
  expect(events.map(({ data }) => data)).toEqual([{ n: 0 }, { text: MARK }]);
  expect(result).toHaveProperty('event', events[1]);
});

test('a commit that is cut off and overtaken by another writer is a conflict', async () => {
  verifies('STORE-5');
  const { behind, beside, proxy } = await opened();
  proxy.toServer = once(MARK, 'cut', () => {
    proxy.open = false;
  });
  const committing = behind.append('team', 1, someEvent({ text: MARK }));
  await beside.append('team', 1, someEvent({ other: true }));
  proxy.open = true;
  expect(await committing).toEqual({ kind: 'conflict' });
  expect((await readAll(beside, 'team')).map(({ data }) => data)).toEqual([
    { n: 0 },
    { other: true },
  ]);
});

test('a commit that no one can be asked about is of unknown outcome after five seconds', async () => {
  verifies('STORE-5');
  const { behind, beside, proxy } = await opened();
  proxy.toServer = once(MARK, 'pass', () => {
    proxy.open = false;
    proxy.toClient = () => 'swallow';
    setTimeout(proxy.cutAll, 200);
  });
  const committing = behind.append('team', 1, someEvent({ text: MARK }));
  const refusal = { code: 'store_outcome_unknown' };
  await expect(committing).rejects.toMatchObject({ refusal });
  proxy.open = true;
  proxy.toClient = () => 'pass';
  // It was, and a writer that read on would find it.
  expect(await readAll(behind, 'team')).toEqual(await readAll(beside, 'team'));
  expect(await readAll(behind, 'team')).toHaveLength(2);
});

test('writers behind a network that fails at random lose nothing and double nothing', async () => {
  verifies('STORE-5');
  const { behind, beside, proxy } = await opened();
  const random = randomFrom(chooseSeed());
  const fate = (): Fate => {
    const drawn = random.part();
    if (drawn < 0.02) return 'cut';
    if (drawn < 0.04) return 'pass_and_cut';
    if (drawn < 0.043) return 'swallow';
    return drawn < 0.2 ? random.below(20) : 'pass';
  };
  proxy.toServer = fate;
  proxy.toClient = fate;
  const sure = new Set<string>();
  const unsure = new Set<string>();
  const write = async (writer: number): Promise<void> => {
    let seq = 0;
    for (let n = 0; n < 12; ) {
      const name = `${writer}.${n}`;
      try {
        const result = await behind.append('team', seq, someEvent({ name }));
        if (result.kind === 'appended') sure.add(name);
        if (result.kind === 'appended') n += 1;
        for await (const event of behind.read('team', seq)) seq = event.seq;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        // Whoever is told that nothing was accepted may try again.
        if (error.refusal.code !== 'store_outcome_unknown') continue;
        if (!sure.has(name)) unsure.add(name);
        n += 1;
      }
    }
  };
  await Promise.all([0, 1, 2, 3].map(write));
  const events = await readAll(beside, 'team');
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const names = events.slice(1).map(({ data }) => String(data.name));
  expect(new Set(names).size).toBe(names.length);
  for (const name of sure) expect(names).toContain(name);
  for (const name of names) expect(sure.has(name) || unsure.has(name), name).toBe(true);
}, 120_000);
