// A project with a long history: thousands of ended sessions and messages. Streams are
// written line by line as the journal writes them, without its syncs.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { journalKey } from '../../src/environment/signing-key.ts';
import { checkEvent, NO_HASH, writeLine } from '../../src/journal/line.ts';
import { sealOf } from '../../src/journal/seal.ts';
import type { Project } from './project.ts';

interface PastEvent {
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The bytes of a stream that holds these events, signed by the user of the tests. */
function linesOf(stream: string, events: Iterable<PastEvent>): Buffer {
  const seal = sealOf(journalKey(), stream);
  const lines: Buffer[] = [];
  let prev = NO_HASH;
  for (const event of events) {
    const line = writeLine(checkEvent(event), lines.length + 1, prev, seal);
    lines.push(line.bytes);
    prev = line.hash;
  }
  return Buffer.concat(lines);
}

/** Sessions like one that has ended, under other ids. */
export function repeatSession(project: Project, id: string, count: number): void {
  const folder = project.path('.deepwork/journal/session');
  const text = readFileSync(path.join(folder, `${id}.jsonl`), 'utf8');
  const events = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PastEvent);
  const past = JSON.stringify(events.map(({ type, at, data }) => ({ type, at, data })));
  for (let at = 0; at < count; at++) {
    const other = (0xa0000000 + at).toString(16);
    writeFileSync(
      path.join(folder, `${other}.jsonl`),
      linesOf(`session/${other}`, JSON.parse(past.replaceAll(id, other)) as PastEvent[]),
    );
  }
}

/** Messages to one agent, which has read all but the last `unread`. */
export function* pastMessages(count: number, unread: number, bytes: number): Generator<PastEvent> {
  const at = '2026-01-01T00:00:00.000Z';
  const body = 'x'.repeat(bytes);
  yield { type: 'called', at, data: { by: 'builder' } };
  let seq = 1;
  for (let id = 1; id <= count; id++) {
    const [from, to] = ['coordinator', 'builder'];
    yield { type: 'sent', at, data: { by: from, id, from, to, inbox: to, body } };
    seq += 1;
    if (id % 100 !== 0 || id > count - unread) continue;
    const offer = { by: to, reader: to, through: id, holder: 'past:0:0/1/1', takes: null };
    yield { type: 'offered', at, data: offer };
    yield { type: 'received', at, data: { reader: to, offer: seq + 1 } };
    seq += 2;
  }
}

export function writeMessages(project: Project, events: Iterable<PastEvent>): void {
  const file = project.write('.deepwork/journal/team/log.jsonl', '');
  appendFileSync(file, linesOf('team/log', events));
}
