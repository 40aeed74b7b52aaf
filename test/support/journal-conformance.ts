// What every journal must do, as a suite that each implementation's test runs:
//
//   describeJournal('in memory', async () => openMemoryJournal());
//
// `open` gives an empty journal each time it is called.

import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Journal,
  type NewEvent,
  type StoredEvent,
  StreamRolledBack,
} from '../../src/journal/journal.ts';
import { NO_HASH } from '../../src/journal/line.ts';
import { verifies } from '../verifies.ts';
import { anyCharacter } from './any-character.ts';

const AT = '2025-01-31T12:00:00.000Z';

export function someEvent(data: Record<string, unknown> = {}, type = 'noted'): NewEvent {
  return { type, at: AT, data };
}

export async function readAll(
  journal: Journal,
  stream: string,
  afterSeq = 0,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of journal.read(stream, afterSeq)) events.push(event);
  return events;
}

/** Appends after the last event; fails if another writer interferes. */
export async function appendNext(
  journal: Journal,
  stream: string,
  data: Record<string, unknown> = {},
): Promise<StoredEvent> {
  const { length } = await readAll(journal, stream);
  const result = await journal.append(stream, length, someEvent(data));
  if (result.kind === 'conflict') throw new Error('unexpected conflict');
  return result.event;
}

async function listAll(journal: Journal, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { stream } of journal.streams(prefix)) names.push(stream);
  expect(await journal.names(prefix)).toEqual(names);
  return names;
}

export function describeJournal(name: string, open: () => Promise<Journal>): void {
  describe(`a journal ${name}`, () => {
    describe('reading and appending', () => {
      it('has no events in a stream that does not exist', async () => {
        const journal = await open();
        expect(await readAll(journal, 'session/none')).toEqual([]);
        expect(await readAll(journal, 'session/none', 7)).toEqual([]);
        expect(await journal.version('session/none')).toBeNull();
        expect(await journal.setAside('')).toEqual([]);
        expect(await listAll(journal, '')).toEqual([]);
      });

      it('numbers events from 1 and returns them as they were stored', async () => {
        verifies('STORE-1');
        const journal = await open();
        const first = await journal.append('team', 0, someEvent({ a: 1 }, 'started'));
        const second = await journal.append('team', 1, someEvent({ b: [null, 'x'] }));
        expect(first).toMatchObject({ kind: 'appended', event: { seq: 1, type: 'started' } });
        expect(second).toMatchObject({ kind: 'appended', event: { seq: 2, at: AT } });
        const events = await readAll(journal, 'team');
        expect([first, second]).toMatchObject(events.map((event) => ({ kind: 'appended', event })));
        expect(second).toHaveProperty('version', await journal.version('team'));
      });

      it('reads only what comes after a sequence number', async () => {
        const journal = await open();
        for (let n = 1; n <= 5; n += 1) await appendNext(journal, 'team', { n });
        for (let after = 0; after <= 6; after += 1) {
          const seqs = (await readAll(journal, 'team', after)).map((event) => event.seq);
          expect(seqs).toEqual([1, 2, 3, 4, 5].filter((seq) => seq > after));
        }
      });

      it('chains each event to the one before it', async () => {
        const journal = await open();
        for (let n = 1; n <= 4; n += 1) await appendNext(journal, 'team', { n });
        const events = await readAll(journal, 'team');
        expect(events.map((event) => event.prev)).toEqual([
          NO_HASH,
          ...events.slice(0, -1).map((event) => event.hash),
        ]);
        for (const event of events) expect(event.hash).toMatch(/^[0-9a-f]{64}$/);
      });
    });

    describe('conflicts', () => {
      it('refuses an event decided on an older or a newer state', async () => {
        const journal = await open();
        expect(await journal.append('team', 1, someEvent())).toEqual({ kind: 'conflict' });
        expect(await journal.version('team')).toBeNull();
        await appendNext(journal, 'team', { n: 1 });
        await appendNext(journal, 'team', { n: 2 });
        for (const expected of [0, 1, 3, 100]) {
          const result = await journal.append('team', expected, someEvent({ n: 'late' }));
          expect(result).toEqual({ kind: 'conflict' });
        }
        expect((await readAll(journal, 'team')).map((event) => event.data)).toEqual([
          { n: 1 },
          { n: 2 },
        ]);
      });

      it('lets exactly one of many equal appends through', async () => {
        verifies('STORE-1');
        const journal = await open();
        for (let seq = 0; seq < 5; seq += 1) {
          const results = await Promise.all(
            Array.from({ length: 10 }, () => journal.append('team', seq, someEvent({ seq }))),
          );
          expect(results.filter((result) => result.kind === 'appended')).toHaveLength(1);
        }
        expect((await readAll(journal, 'team')).map((event) => event.data)).toEqual(
          [0, 1, 2, 3, 4].map((seq) => ({ seq })),
        );
      });

      it('loses nothing when several writers retry until they succeed', async () => {
        const journal = await open();
        const write = async (writer: number): Promise<void> => {
          let seq = 0;
          for (let n = 0; n < 8; ) {
            const result = await journal.append('team', seq, someEvent({ writer, n }));
            if (result.kind === 'appended') n += 1;
            for await (const event of journal.read('team', seq)) seq = event.seq;
          }
        };
        await Promise.all([0, 1, 2, 3].map(write));
        const events = await readAll(journal, 'team');
        expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
        const texts = events.map((event) => JSON.stringify(event.data));
        expect(new Set(texts).size).toBe(32);
        expect(texts).toHaveLength(32);
      });
    });

    describe('a position', () => {
      it('is where reading and appending continue if the stream has it', async () => {
        const journal = await open();
        const { seq, hash } = await appendNext(journal, 'team', { n: 1 });
        const start = { seq: 0, hash: '' };
        for await (const event of journal.read('team', start)) expect(event.seq).toBe(1);
        await appendNext(journal, 'team', { n: 2 });
        const events: StoredEvent[] = [];
        for await (const event of journal.read('team', { seq, hash })) events.push(event);
        expect(events.map((event) => event.data)).toEqual([{ n: 2 }]);
        const last = events[0] as StoredEvent;
        expect(await journal.append('team', last, someEvent({ n: 3 }))).toMatchObject({
          kind: 'appended',
        });
      });

      it('that the stream does not have is refused by reading and appending', async () => {
        const journal = await open();
        await appendNext(journal, 'team', { n: 1 });
        const { seq, hash } = await appendNext(journal, 'team', { n: 2 });
        const other = hash.replace(/./g, 'f');
        for (const after of [
          { seq, hash: other },
          { seq: 1, hash },
          { seq: 3, hash },
        ]) {
          const reading = async () => {
            for await (const event of journal.read('team', after)) expect(event).toBeNull();
          };
          await expect(reading()).rejects.toThrow(StreamRolledBack);
          expect(await journal.append('team', after, someEvent())).toEqual({ kind: 'conflict' });
        }
        const nowhere = journal.read('none', { seq, hash })[Symbol.asyncIterator]();
        await expect(nowhere.next()).rejects.toThrow(StreamRolledBack);
      });
    });

    describe('content', () => {
      it('keeps every JSON value as it is', async () => {
        verifies('STORE-1');
        const journal = await open();
        let seq = 0;
        const json = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue());
        await fc.assert(
          fc.asyncProperty(json, fc.string({ minLength: 1, maxLength: 20 }), async (data, type) => {
            const sent = JSON.parse(JSON.stringify(data));
            const result = await journal.append('team', seq, someEvent(data, type));
            seq += 1;
            expect(result).toMatchObject({ kind: 'appended', event: { type } });
            const [event] = await readAll(journal, 'team', seq - 1);
            expect(event?.data).toEqual(sent);
            expect(event?.type).toBe(type);
          }),
          { numRuns: 40 },
        );
      });

      it('is not affected by later changes to objects that were given or read', async () => {
        const journal = await open();
        const data = { list: [1] };
        const result = await journal.append('team', 0, someEvent(data));
        data.list.push(2);
        if (result.kind === 'appended') Object.assign(result.event.data, { list: 'gone' });
        for (const event of await readAll(journal, 'team')) {
          Object.assign(event.data, { list: 'gone' });
        }
        expect((await readAll(journal, 'team'))[0]?.data).toEqual({ list: [1] });
      });

      it('takes an event of several megabytes, and refuses one that is too large', async () => {
        const journal = await open();
        const text = 'ä\n\t"'.repeat(600_000);
        await journal.append('team', 0, someEvent({ text }));
        const huge = someEvent({ text: 'x'.repeat(16 * 1024 * 1024) });
        await expect(journal.append('team', 1, huge)).rejects.toThrow(RangeError);
        await appendNext(journal, 'team');
        const events = await readAll(journal, 'team');
        expect(events).toHaveLength(2);
        expect(events[0]?.data).toEqual({ text });
      });
    });

    describe('refusing', () => {
      const names = ['', '/', 'a/', '/a', 'a//b', '../a', 'a/../b', '.', 'A', 'a b', 'a.b', 'ä'];
      const hostile = [...names, 'a\n', 'a\0', 'damaged/a', 'a'.repeat(201), 7, null, undefined];

      it.each(hostile)('the stream name %j', async (hostileName) => {
        const journal = await open();
        const stream = hostileName as string;
        await expect(journal.append(stream, 0, someEvent())).rejects.toThrow(TypeError);
        await expect(async () => readAll(journal, stream)).rejects.toThrow(TypeError);
        await expect(journal.version(stream)).rejects.toThrow(TypeError);
      });

      it.each([-1, 0.5, Number.NaN, 2 ** 53, '1', null])(
        'the sequence number %j',
        async (value) => {
          const journal = await open();
          const seq = value as number;
          await expect(journal.append('team', seq, someEvent())).rejects.toThrow(TypeError);
          await expect(async () => readAll(journal, 'team', seq)).rejects.toThrow(TypeError);
        },
      );

      it('an event that is not plain JSON with a type and a UTC time', async () => {
        const journal = await open();
        const cycle: Record<string, unknown> = {};
        cycle.self = cycle;
        const wrong: unknown[] = [
          { ...someEvent(), type: '' },
          { ...someEvent(), type: 'x'.repeat(201) },
          { ...someEvent(), type: 3 },
          { ...someEvent(), at: 'yesterday' },
          { ...someEvent(), at: '2025-01-31T12:00:00+01:00' },
          { ...someEvent(), data: undefined },
          { ...someEvent(), data: null },
          { ...someEvent(), data: [1] },
          { ...someEvent(), data: 'text' },
          someEvent({ big: 1n }),
          someEvent(cycle),
        ];
        for (const event of wrong) {
          await expect(journal.append('team', 0, event as NewEvent)).rejects.toThrow(TypeError);
        }
        expect(await journal.version('team')).toBeNull();
      });
    });

    describe('finding out', () => {
      it('lists streams by prefix in the order of their names', async () => {
        const journal = await open();
        for (const stream of ['team', 'session/b', 'session/a', 'session-old/a', 'session/a/x']) {
          await appendNext(journal, stream);
        }
        expect(await listAll(journal, 'session/')).toEqual([
          'session/a',
          'session/a/x',
          'session/b',
        ]);
        expect(await listAll(journal, 'session/a')).toEqual(['session/a', 'session/a/x']);
        expect(await listAll(journal, 't')).toEqual(['team']);
        expect(await listAll(journal, '../')).toEqual([]);
        expect(await listAll(journal, '')).toEqual(
          ['team', 'session/b', 'session/a', 'session-old/a', 'session/a/x'].sort(),
        );
      });

      it('gives a stream another version with each event, and only then', async () => {
        const journal = await open();
        const seen = new Set<string | null>([null]);
        for (let n = 1; n <= 3; n += 1) {
          await appendNext(journal, 'team', { n });
          const version = await journal.version('team');
          expect(seen.has(version)).toBe(false);
          seen.add(version);
          await appendNext(journal, 'session/other', { n });
          await readAll(journal, 'team');
          expect(await journal.version('team')).toBe(version);
          for await (const info of journal.streams('team')) expect(info.version).toBe(version);
        }
      });

      it('notifies watchers of their prefix until they unsubscribe', async () => {
        verifies('STORE-1');
        const journal = await open();
        const session = vi.fn();
        const everything = vi.fn();
        const stopSession = journal.watch('session/', session);
        onTestFinished(journal.watch('', everything));
        await appendNext(journal, 'team');
        await appendNext(journal, 'session/a');
        await vi.waitFor(() => {
          expect(session).toHaveBeenCalledWith('session/a');
          expect(everything).toHaveBeenCalledWith('team');
          expect(everything).toHaveBeenCalledWith('session/a');
        }, 5000);
        expect(session).not.toHaveBeenCalledWith('team');
        stopSession();
        stopSession();
        session.mockClear();
        await appendNext(journal, 'session/b');
        await vi.waitFor(() => expect(everything).toHaveBeenCalledWith('session/b'), 5000);
        expect(session).not.toHaveBeenCalled();
      });
    });

    describe('closing', () => {
      it('notifies no one of changes any more, neither earlier nor later watchers', async () => {
        const journal = await open();
        const other = await open();
        const notified = vi.fn();
        const witness = vi.fn();
        const stop = journal.watch('', notified);
        onTestFinished(other.watch('', witness));
        await journal.close();
        await journal.close();
        const stopLate = journal.watch('', notified);
        await appendNext(journal, 'team');
        await appendNext(other, 'team');
        // Watching the other journal is no faster, so by now a late notification would be here.
        await vi.waitFor(() => expect(witness).toHaveBeenCalledWith('team'), 5000);
        expect(notified).not.toHaveBeenCalled();
        stop();
        stopLate();
      });

      it('waits for appends that are under way', async () => {
        const journal = await open();
        let done = 0;
        const appends = ['a', 'b', 'c'].map(async (stream) => {
          const result = await journal.append(stream, 0, someEvent());
          expect(result.kind).toBe('appended');
          done += 1;
        });
        await journal.close();
        expect(await listAll(journal, '')).toEqual(['a', 'b', 'c']);
        await Promise.all(appends);
        expect(done).toBe(3);
        for (const stream of ['a', 'b', 'c'])
          expect(await readAll(journal, stream)).toHaveLength(1);
      });
    });
  });
}
