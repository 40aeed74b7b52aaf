// What has to happen once an answer was written, or could not be: a message counts as
// read only then. One of these belongs to one connection, and works by the id of the
// request. An operation asks for it with `context.afterAnswer`; `mcp.ts` puts what it
// asked for here; whoever owns the transport says what became of the answer:
//
//   settle(id, true)    the answer's last byte went out (stdio: the write's callback;
//                       HTTP: 'finish' of the response, or of the event in its stream)
//   settle(id, false)   it did not (a failed write, 'close' before 'finish')
//   close()             the connection is gone: nothing more will be written
//
// A call that was cancelled is never answered, so it is settled here by its signal. Only
// the first word about an answer counts, and a word about an answer that nobody waits for
// is ignored, so a transport may simply report everything it sends.

export type AfterAnswer = (delivered: boolean) => Promise<void>;

export interface Deliveries {
  /** Resolves when all of `work` is done, after the answer to this request was settled. */
  expect(id: unknown, signal: AbortSignal, work: readonly AfterAnswer[]): Promise<void>;
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
