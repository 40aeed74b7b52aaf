// One event connection per browser, however many tabs are open: browsers allow only six connections
// to a server. The tab that holds a lock reads the events and passes them on to the others; when it
// closes, the next one gets the lock. A browser without locks or channels has one connection per tab.

import { type Connection, followEvents, type Hint } from './follow-events.ts';

export interface Live {
  connection(): Connection;
  /** This tab holds the connection, so it is the one that notifies. */
  isLeader(): boolean;
  stop(): void;
}

export interface LiveListener {
  connection(now: Connection): void;
  hint(hint: Hint): void;
}

type Message =
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'hint'; readonly hint: Hint }
  | { readonly kind: 'who_is_connected' };

const NAME = 'deepwork-events';

export function openLive(on: LiveListener): Live {
  const shared = 'locks' in navigator && typeof BroadcastChannel === 'function';
  const channel = shared ? new BroadcastChannel(NAME) : null;
  const stop = new AbortController();
  let connection: Connection = { state: 'connecting' };
  let leads = false;

  function changed(now: Connection): void {
    connection = now;
    on.connection(now);
  }

  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'who_is_connected') {
      if (leads) channel.postMessage({ kind: 'connection', connection } satisfies Message);
    } else if (!leads) {
      if (data.kind === 'connection') changed(data.connection);
      else on.hint(data.hint);
    }
  });

  function lead(): Promise<void> {
    leads = true;
    const tell = (message: Message) => channel?.postMessage(message);
    return followEvents(
      {
        connection(now) {
          changed(now);
          tell({ kind: 'connection', connection: now });
        },
        hint(hint) {
          on.hint(hint);
          tell({ kind: 'hint', hint });
        },
      },
      stop.signal,
    );
  }

  if (channel === null) {
    void lead();
  } else {
    channel.postMessage({ kind: 'who_is_connected' } satisfies Message);
    navigator.locks.request(NAME, { signal: stop.signal }, lead).catch(() => {});
  }

  return {
    connection: () => connection,
    isLeader: () => leads,
    stop() {
      stop.abort();
      channel?.close();
    },
  };
}
