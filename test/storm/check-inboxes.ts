// Whether every reader's inbox behaves like a list with a cursor: each check returns everything
// sent to the reader after its cursor, in order of id; messages offered before are marked; and a
// message comes again only if the process that delivered it died before it could record the
// delivery.

import { inboxOf } from '../team/support.ts';
import { newMessages, type StoredMessage, sentId } from './check-messages.ts';
import { type Epoch, foldAll, teamAtStart } from './epochs.ts';
import { type CallRecord, effectiveEnd, type History } from './history.ts';
import { linearize, type Model, type Operation } from './linearize.ts';
import { noOrder, type Recorded, type Violation } from './violation.ts';

type InboxInput =
  | { readonly kind: 'send'; readonly id: number }
  /**
   * `gone`: when the answering process died; null: it did not. `isRead`: an answer unknown here
   * arrived nevertheless. `canBeLate`: the epoch may end before delivered messages count as read.
   */
  | {
      readonly kind: 'check';
      readonly gone: number | null;
      readonly isRead: boolean;
      readonly canBeLate: boolean;
    }
  | { readonly kind: 'final' };

type InboxOutput =
  | 'sent'
  /** Ids, negative if marked as redelivered. */
  | readonly number[]
  /** How many are behind the cursor. */
  | { readonly cursor: number };

type InboxOp = Operation<InboxInput, InboxOutput> & Recorded;

interface Inbox {
  /** How many of the reader's messages exist, were offered, and are behind the cursor. */
  readonly sent: number;
  readonly offered: number;
  readonly cursor: number;
  /** An offer that was never ended, and when its process died. */
  readonly heldUntil: number | null;
  /** An offer that was open when the epoch began, and how many are behind its end. */
  readonly open: number | null;
}

/** After this long, an offer can be made again even if its process lives. */
const HELD_MS = 10_000;

function inboxModel(ids: readonly number[], initial: Inbox): Model<Inbox, InboxOp> {
  return {
    initial: [initial],
    apply(inbox, { input, output, end }) {
      const { sent, offered, cursor, open } = inbox;
      if (input.kind === 'send') {
        return ids[sent] === input.id ? [{ ...inbox, sent: sent + 1 }] : [];
      }
      if (input.kind === 'final') {
        return (output as { cursor: number }).cursor === cursor ? [inbox] : [];
      }
      // Messages offered before the epoch can still count as read.
      const ended = input.isRead && open !== null ? [{ ...inbox, cursor: open, open: null }] : [];
      // The holder of an offer must be gone, or silent for long, before it is taken over.
      const last = end ?? Number.POSITIVE_INFINITY;
      if (inbox.heldUntil !== null && last <= inbox.heldUntil) return [];
      const found = ids.slice(cursor, sent).map((id, at) => (cursor + at < offered ? -id : id));
      const isGiven = output === null || JSON.stringify(output) === JSON.stringify(found);
      if (!isGiven || (output === null && found.length === 0)) return ended;
      if (found.length === 0) return [inbox];
      const given = { sent, offered: sent, cursor: sent, heldUntil: null, open: null };
      const heldUntil = input.gone ?? Number.POSITIVE_INFINITY;
      const held = { sent, offered: sent, cursor, heldUntil, open: null };
      // Without an answer nothing was read; with one, the cursor may have been lost.
      if (output === null) return input.isRead ? [given, held, ...ended] : [held];
      return input.gone === null && !input.canBeLate ? [given] : [given, held];
    },
    key: (inbox) => Object.values(inbox).join(),
  };
}

export function checkInboxes(epoch: Epoch): Violation[] {
  const readers = new Set(epoch.history.calls.map(({ agent }) => agent));
  return [...readers].flatMap((reader) => checkInbox(reader, epoch));
}

function checkInbox(reader: string, epoch: Epoch): Violation[] {
  const { history } = epoch;
  const atStart = teamAtStart(epoch);
  const old = atStart.inboxes.get(reader) ?? [];
  const sent = newMessages(epoch).filter(({ to }) => to === reader);
  const mine = [...old, ...sent];
  const ids = mine.map(({ id }) => id);
  const passed = (through = 0) => ids.filter((id) => id <= through).length;
  const before = atStart.readers.get(reader);
  const initial: Inbox = {
    sent: old.length,
    offered: passed(before?.offered),
    cursor: passed(before?.cursor),
    heldUntil: null,
    open: before?.open ? passed(before.open.through) : null,
  };
  const checks = history.calls.filter(
    ({ agent, tool, answer }) => agent === reader && tool === 'check_inbox' && !answer?.isError,
  );
  const given = bodiesGiven(reader, epoch.whole);
  const missable = epoch.isLast ? mine.filter(({ body }) => !given.has(body)) : [];
  const violations = checkContents(reader, checks, mine, missable);
  const operations: InboxOp[] = [
    ...sent.map((message) => sendOf(history, message)),
    ...checks.map((call): InboxOp => {
      const isRead = call.answer === null && call.end !== null;
      const end = isRead ? (history.deaths.get(call.server) ?? null) : effectiveEnd(history, call);
      return {
        name: `${call.client} checks its inbox`,
        start: call.start,
        end,
        input: { kind: 'check', gone: goneAt(history, call), isRead, canBeLate: !epoch.isLast },
        output: call.answer === null ? null : idsGiven(call),
        call,
      };
    }),
    {
      name: 'the journal in the end',
      start: Number.MAX_VALUE,
      end: null,
      input: { kind: 'final' },
      output: { cursor: passed(foldAll(epoch.final.team).readers.get(reader)?.cursor) },
      call: null,
    },
  ];
  const impasse = linearize(operations, inboxModel(ids, initial));
  if (impasse !== null) violations.push(noOrder(`the inbox of ${reader}`, impasse));
  return violations;
}

function bodiesGiven(reader: string, { calls }: History): Set<string> {
  const answers = calls.filter(
    ({ agent, tool, answer }) =>
      agent === reader && tool === 'check_inbox' && answer !== null && !answer.isError,
  );
  return new Set(
    answers.flatMap(({ answer }) => inboxOf(answer?.text ?? '')).map(({ body }) => body),
  );
}

function idsGiven({ answer }: CallRecord): number[] {
  return inboxOf(answer?.text ?? '').map(({ id, redelivered }) => (redelivered ? -id : id));
}

function goneAt(history: History, { server, start }: CallRecord): number | null {
  const killed = history.kills.get(server);
  return killed === undefined ? null : Math.min(killed, start + HELD_MS);
}

/** A message was sent at some time in one of the calls that carried its body. */
function sendOf(history: History, { id, body }: StoredMessage): InboxOp {
  const calls = history.calls.filter(
    (call) => call.tool === 'send_message' && call.args.body === body,
  );
  const ends = calls.map((call) => effectiveEnd(history, call) ?? Number.MAX_VALUE);
  const acknowledged = calls.filter((call) => sentId(call) === id);
  return {
    name: `message ${id} is sent`,
    start: Math.min(...calls.map(({ start }) => start)),
    end:
      acknowledged.length > 0
        ? Math.min(...acknowledged.map(({ end }) => end as number))
        : Math.max(...ends),
    input: { kind: 'send', id },
    output: 'sent',
    call: calls[0] ?? null,
  };
}

/** Only what was sent, word for word; unmarked once; and everything in the end. */
function checkContents(
  reader: string,
  checks: readonly CallRecord[],
  mine: readonly StoredMessage[],
  missable: readonly StoredMessage[],
): Violation[] {
  const violations: Violation[] = [];
  const seen = new Map<number, CallRecord[]>();
  const bodies = new Map(mine.map(({ id, body }) => [id, body]));
  for (const call of checks) {
    if (call.answer === null) continue;
    for (const { id, body, redelivered } of inboxOf(call.answer.text)) {
      const before = seen.get(id) ?? [];
      const what =
        bodies.get(id) !== body
          ? 'which is not what was sent to it'
          : before.length > 0 && !redelivered
            ? 'once more, unmarked'
            : null;
      seen.set(id, [...before, call]);
      if (what === null) continue;
      const said = `${reader} was given message ${id}, ${what}: ${body}`;
      violations.push({ what: said, calls: [...before, call], trace: [body] });
    }
  }
  const missed = missable.filter(({ id }) => !seen.has(id));
  if (missed.length > 0) {
    const list = missed.map(({ id }) => id).join(', ');
    const trace = missed.slice(0, 3).map(({ body }) => body);
    violations.push({ what: `${reader} never got message ${list}`, calls: [], trace });
  }
  return violations;
}
