// A network between a client and a server that can fail: what it does with each piece of data is
// decided by the test. It never changes bytes.

import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * `pass`; `cut`: the connection breaks before the data arrives; `pass_and_cut`: the data arrives,
 * then the connection breaks; `swallow`: from here on nothing arrives in this direction, and the
 * connection stays open; a number: it arrives that many milliseconds later.
 */
export type Fate = 'pass' | 'cut' | 'pass_and_cut' | 'swallow' | number;

export interface TcpProxy {
  readonly port: number;
  /** Decide about data on its way to the server, and to the client. */
  toServer: (data: Buffer) => Fate;
  toClient: (data: Buffer) => Fate;
  /** False: new connections are closed at once. */
  open: boolean;
  /** Breaks all connections. */
  cutAll(): void;
}

const pass = () => 'pass' as const;

export async function tcpProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (!proxy.open) return void client.destroy();
    const target = connect(to, '127.0.0.1');
    const both = [client, target];
    const cut = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    carry(client, target, (data) => proxy.toServer(data), cut);
    carry(target, client, (data) => proxy.toClient(data), cut);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const proxy: TcpProxy = {
    port,
    toServer: pass,
    toClient: pass,
    open: true,
    cutAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
  onTestFinished(() => {
    proxy.cutAll();
    server.close();
  });
  return proxy;
}

function carry(from: Socket, to: Socket, decide: (data: Buffer) => Fate, cut: () => void): void {
  let swallows = false;
  let late = Promise.resolve();
  from.on('data', (data: Buffer) => {
    if (swallows) return;
    const fate = decide(data);
    if (fate === 'swallow') swallows = true;
    else if (fate === 'cut') cut();
    else if (fate === 'pass_and_cut') to.write(data, () => setTimeout(cut, ARRIVES_MS));
    else {
      // In order, however long each takes.
      late = late.then(async () => {
        if (typeof fate === 'number') await new Promise((resolve) => setTimeout(resolve, fate));
        if (!to.destroyed) to.write(data);
      });
    }
  });
}

/** For the server to act on what it got before the connection breaks. */
const ARRIVES_MS = 30;
