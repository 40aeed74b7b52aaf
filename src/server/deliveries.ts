// Work to do once an answer was written, or could not be: a message counts as read only then.
// There is one of these per connection, keyed by request id. An operation registers work with
// `context.afterAnswer`; `mcp.ts` adds it here; the transport's owner reports the outcome:
//
//   settle(id, true)    the answer's last byte was sent (stdio: the write's callback;
//                       HTTP: 'finish' of the response, or of the event in its stream)
//   settle(id, false)   it was not (a failed write, 'close' before 'finish')
//   close()             the connection is gone: nothing more will be written
//
// A cancelled call is never answered, so its signal settles it here. Only the first report on
// an answer counts, and reports on answers without registered work are ignored, so a
// transport may simply report everything it sends.

import type { DeliveryWork } from '../environment/answer-delivery.ts';

export interface Deliveries {
  /** Resolves when all of `work` is done, after the answer to this request is settled. */
  expect(id: unknown, signal: AbortSignal, work: readonly DeliveryWork[]): Promise<void>;
  settle(id: unknown, delivered: boolean): void;
  close(): void;
}

export function openDeliveries(): Deliveries {
  const expected = new Map<unknown, (delivered: boolean) => void>();
  let closed = false;

  function settle(id: unknown, delivered: boolean): void {
    const settled = expected.get(id);
    expected.delete(id);
    settled?.(delivered);
  }

  return {
    settle,

    async expect(id, signal, work) {
      const giveUp = () => settle(id, false);
      signal.addEventListener('abort', giveUp);
      const delivered = await new Promise<boolean>((resolve) => {
        expected.set(id, resolve);
        if (signal.aborted || closed) giveUp();
      });
      signal.removeEventListener('abort', giveUp);
      for (const each of work) await each(delivered);
    },

    close() {
      closed = true;
      for (const id of [...expected.keys()]) settle(id, false);
    },
  };
}
