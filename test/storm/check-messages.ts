// Whether message ids behave like a counter that is raised by one send at a time, and whether the
// journal contains what was acknowledged. Every message has a unique body; a body that is sent
// again after a lost answer is still the same message.

import { type Epoch, newTeamEvents, teamAtStart } from './epochs.ts';
import { type CallRecord, effectiveEnd } from './history.ts';
import { linearize, type Model, type Operation } from './linearize.ts';
import { noOrder, type Recorded, type Violation } from './violation.ts';

interface SendInput {
  readonly body: string;
  /** The ids that the journal has for this body. */
  readonly stored: readonly number[];
}

type SendOp = Operation<SendInput, number> & Recorded;

interface Counter {
  readonly last: number;
  /** Ids by body that no answer has named yet: a recognized repeat gets them. */
  readonly open: Readonly<Record<string, readonly number[]>>;
}

function counterModel(last: number, open: Counter['open']): Model<Counter, SendOp> {
  return {
    initial: [{ last, open }],
    apply({ last, open }, { input: { body, stored }, output }) {
      const next = last + 1;
      const { [body]: given = [], ...others } = open;
      // Without an answer: it took the next id if the journal gave that to this body.
      if (output === null) {
        return stored.includes(next)
          ? [{ last: next, open: { ...others, [body]: [...given, next] } }]
          : [];
      }
      return [
        ...(output === next ? [{ last: next, open: others }] : []),
        ...(given.includes(output) ? [{ last, open: others }] : []),
      ];
    },
    key: ({ last, open }) => `${last} ${JSON.stringify(open)}`,
  };
}

export interface StoredMessage {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** Those that were stored during the epoch. */
export function newMessages(epoch: Epoch): StoredMessage[] {
  return newTeamEvents(epoch)
    .filter(({ type }) => type === 'sent')
    .map(({ data }) => data);
}

/** The id in the answer to a send; null where there is none. */
export function sentId({ tool, answer }: CallRecord): number | null {
  if (tool !== 'send_message' || answer === null || answer.isError) return null;
  const [, id] = /\(ID: (\d+)\)/.exec(answer.text) ?? [];
  return id === undefined ? null : Number(id);
}

export function checkMessages(epoch: Epoch): Violation[] {
  const { history } = epoch;
  const violations: Violation[] = [];
  const atStart = teamAtStart(epoch);
  const messages = newMessages(epoch);
  for (const [index, { id, body }] of messages.entries()) {
    const expected = atStart.lastMessageId + index + 1;
    if (id === expected) continue;
    violations.push({ what: `Message ${expected} has the id ${id}`, calls: [], trace: [body] });
    break;
  }

  const stored = new Map<string, StoredMessage[]>();
  for (const message of [...atStart.messages, ...messages]) {
    stored.set(message.body, [...(stored.get(message.body) ?? []), message]);
  }
  const sends = history.calls.filter(({ tool }) => tool === 'send_message');
  const attempts = new Map<string, CallRecord[]>();
  for (const call of sends) {
    const body = call.args.body as string;
    attempts.set(body, [...(attempts.get(body) ?? []), call]);
  }
  for (const [body, calls] of attempts) {
    const found = stored.get(body) ?? [];
    const report = (what: string) =>
      violations.push({ what: `Message '${body}' ${what}`, calls, trace: [body] });
    for (const call of calls) {
      const id = sentId(call);
      const { toAgent } = call.args;
      const isThere = found.some(
        (each) => each.id === id && each.from === call.agent && each.to === toAgent,
      );
      if (id !== null && !isThere) report(`was acknowledged as ${id} and is not in the journal`);
    }
    // Imported messages do not count: the state file does not say whose answer was lost.
    const times = epoch.final.team.filter(
      ({ type, data }) => type === 'sent' && data.body === body,
    ).length;
    const added = found.filter(({ id }) => id > atStart.lastMessageId).length;
    if (added > calls.length) report('is stored more often than it was sent');
    else if (times > 1) report(`is stored ${times} times, having been sent again`);
  }
  for (const { body } of messages) {
    if (attempts.has(body)) continue;
    violations.push({ what: `No call sent '${body}'`, calls: [], trace: [body] });
  }

  const before = Object.fromEntries(
    [...attempts.keys()].flatMap((body) => {
      const ids = (stored.get(body) ?? []).map(({ id }) => id);
      const old = ids.filter((id) => id <= atStart.lastMessageId);
      return old.length > 0 ? [[body, old]] : [];
    }),
  );
  const operations = sends.flatMap((call): SendOp[] => {
    const body = call.args.body as string;
    const ids = messages.filter((message) => message.body === body).map(({ id }) => id);
    const output = sentId(call);
    // Refused, or without answer and without trace: it changed nothing.
    if (output === null && (call.answer !== null || ids.length === 0)) return [];
    const isOnly = attempts.get(body)?.length === 1;
    return [
      {
        name: `${call.client} sends ${body}`,
        start: call.start,
        end: effectiveEnd(history, call),
        input: { body, stored: ids },
        output,
        ...(output === null && isOnly ? { happened: true } : {}),
        call,
      },
    ];
  });
  const impasse = linearize(operations, counterModel(atStart.lastMessageId, before));
  if (impasse !== null) violations.push(noOrder('the ids of messages', impasse));
  return violations;
}
