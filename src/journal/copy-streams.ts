// Copies every stream of one journal into another. The two use different keys, so each line is
// sealed again; copied back, it is the same, byte for byte.
//
// First everything is compared: a target with other events than the source is refused before
// anything is written. Since each hash covers all events before it, comparing the last common one
// is enough. Then streams are copied one by one, each from where the target ends, so an interrupted
// copy can simply be repeated. In the end the hashes are compared again.

import { StreamDamaged } from './journal.ts';
import { isIntact, NO_HASH, readEvent, reseal } from './line.ts';
import type { Head, LineStore, StoredLine } from './line-store.ts';
import { type Seal, sealOf } from './seal.ts';

export interface CopiedStream {
  readonly stream: string;
  /** The number in the source. */
  readonly events: number;
  readonly copied: number;
}

export type CopyResult =
  | {
      readonly kind: 'copied';
      readonly streams: readonly CopiedStream[];
      /** Streams of which the target has more than the source; they are left unchanged. */
      readonly ahead: readonly string[];
    }
  /** Streams with different events on both sides; nothing was written. */
  | { readonly kind: 'diverged'; readonly streams: readonly string[] }
  /** Streams whose hash in the target is not that of the copied lines. */
  | { readonly kind: 'different'; readonly streams: readonly string[] };

interface Plan extends Head {
  /** The target's last event; 0 and no hash if it does not have the stream. */
  readonly target: Omit<Head, 'stream'>;
}

export async function copyStreams(
  from: LineStore,
  to: LineStore,
  onStream: (copied: CopiedStream) => void = () => {},
): Promise<CopyResult> {
  const key = await to.key();
  const sourceKey = await from.key();
  const there = new Map((await to.heads()).map((head) => [head.stream, head]));
  const plans: Plan[] = (await from.heads()).map((head) => ({
    ...head,
    target: there.get(head.stream) ?? { seq: 0, hash: NO_HASH },
  }));

  const expected = new Map<string, string>();
  const diverged: string[] = [];
  for (const plan of plans) {
    const hash = await compare(plan, from, to, {
      source: sealOf(sourceKey, plan.stream),
      target: sealOf(key, plan.stream),
    });
    if (hash === null) diverged.push(plan.stream);
    else expected.set(plan.stream, hash);
  }
  if (diverged.length > 0) return { kind: 'diverged', streams: diverged };

  const streams: CopiedStream[] = [];
  for (const { stream, seq, target } of plans) {
    const copied = Math.max(0, seq - target.seq);
    if (copied > 0) {
      const lines = upTo(seq, from.lines(stream, target.seq));
      await to.put(stream, resealed(lines, target.hash, sealOf(key, stream)));
    }
    const done = { stream, events: seq, copied };
    streams.push(done);
    onStream(done);
  }

  const ahead = plans.filter(({ seq, target }) => target.seq > seq).map(({ stream }) => stream);
  const now = new Map((await to.heads()).map(({ stream, hash }) => [stream, hash]));
  const different = plans
    .filter(
      ({ stream, seq, target }) => target.seq <= seq && now.get(stream) !== expected.get(stream),
    )
    .map(({ stream }) => stream);
  if (different.length > 0) return { kind: 'different', streams: different };
  return { kind: 'copied', streams, ahead };
}

/** The hash that the source's last event has in the target; null if the two have diverged. */
async function compare(
  { stream, seq, target }: Plan,
  from: LineStore,
  to: LineStore,
  seals: { readonly source: Seal; readonly target: Seal },
): Promise<string | null> {
  const common = Math.min(seq, target.seq);
  const theirs = target.seq <= seq ? target.hash : await hashAt(to, stream, seq);
  let last = NO_HASH;
  const lines = proved(stream, upTo(seq, from.lines(stream, 0)), seals.source);
  for await (const line of resealed(lines, NO_HASH, seals.target)) {
    last = line.hash;
    if (line.seq === common && line.hash !== theirs) return null;
  }
  return last;
}

async function hashAt(store: LineStore, stream: string, seq: number): Promise<string | null> {
  for await (const line of store.lines(stream, seq - 1)) return line.hash;
  return null;
}

async function* resealed(
  lines: AsyncIterable<StoredLine>,
  prev: string,
  seal: Seal,
): AsyncGenerator<StoredLine> {
  let before = prev;
  for await (const { seq, text } of lines) {
    const sealed = reseal(text, before, seal);
    before = sealed.hash;
    yield { seq, ...sealed };
  }
}

/** Others may write to a database, so its lines are proved here, as those of files are. */
async function* proved(
  stream: string,
  lines: AsyncIterable<StoredLine>,
  { sign }: Seal,
): AsyncGenerator<StoredLine> {
  let last: Pick<StoredLine, 'seq' | 'hash'> = { seq: 0, hash: NO_HASH };
  for await (const line of lines) {
    const bytes = Buffer.from(line.text);
    const event = isIntact(bytes, sign) ? readEvent(bytes) : null;
    const fits = event?.seq === last.seq + 1 && event.prev === last.hash;
    if (event === null || !fits || event.hash !== line.hash) {
      const reason = 'it is not what was written';
      throw new StreamDamaged(stream, line.seq, reason, stream);
    }
    last = event;
    yield line;
  }
}

/** Events added during the copy are left for the next one. */
async function* upTo(seq: number, lines: AsyncIterable<StoredLine>): AsyncGenerator<StoredLine> {
  for await (const line of lines) {
    if (line.seq > seq) return;
    yield line;
  }
}
