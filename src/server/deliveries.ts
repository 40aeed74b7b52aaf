// Work that waits until an answer has been written, or has failed to be: a message, for example,
// counts as read only once the answer that contains it was written. There is one of these per
// connection, keyed by request id. An operation registers work with `context.afterAnswer`; `mcp.ts`
// adds it here; the transport's owner reports the outcome:
//
//   const reportOutcome = take(id)   before the answer is sent: its client may reuse the id at once
//   reportOutcome(true)              the answer's last byte was sent (the write's callback)
//   reportOutcome(false)             it was not
//   close()                          the connection is gone: nothing more will be written
//
// A cancelled call is never answered, so its abort signal reports it here. Only the first report on
// an answer counts, and reports on answers without registered work are ignored, so a
// transport may simply report everything it sends. Over HTTP, a response reports for itself
// (`request-context.ts`).

import type { DeliveryWork } from '../environment/answer-delivery.ts';

export interface Deliveries {
  /** Resolves when all of `work` is done, after the answer to this request was written or lost. */
  expect(id: unknown, signal: AbortSignal, work: readonly DeliveryWork[]): Promise<void>;
  take(id: unknown): (delivered: boolean) => void;
  close(): void;
}

export function openDeliveries(): Deliveries {
  const expected = new Map<unknown, (delivered: boolean) => void>();
  let closed = false;

  const sending = new Set<(delivered: boolean) => void>();

  return {
    take(id) {
      const reportOutcome = expected.get(id);
      expected.delete(id);
      if (reportOutcome === undefined) return () => {};
      sending.add(reportOutcome);
      return (delivered) => {
        sending.delete(reportOutcome);
        reportOutcome(delivered);
      };
    },

    async expect(id, signal, work) {
      let giveUp = () => {};
      const delivered = await new Promise<boolean>((resolve) => {
        giveUp = () => {
          if (expected.get(id) === resolve) expected.delete(id);
          resolve(false);
        };
        expected.set(id, resolve);
        signal.addEventListener('abort', giveUp);
        if (signal.aborted || closed) giveUp();
      });
      signal.removeEventListener('abort', giveUp);
      for (const each of work) await each(delivered);
    },

    close() {
      closed = true;
      for (const reportOutcome of [...expected.values(), ...sending]) reportOutcome(false);
      expected.clear();
    },
  };
}
