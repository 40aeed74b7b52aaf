// A connection whose requests arrive one by one, each in its turn. Node parses everything that has
// arrived at once, and handles it before it looks at another socket: thousands of small requests in
// one packet, times all sockets, before any of them is refused. Here a connection with a few
// unanswered requests is not read until one is answered, and its client has read that answer.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { nextSlice, sliceIsOver } from '../../async/slices.ts';

/** Clients that send a request before the last one was answered are rare. */
const MAX_UNANSWERED = 4;

/** A body of empty lines would else be kept line by line, each with the overhead of a buffer. */
const MIN_OF_BODY = 1024;

/** For all connections that the server accepts from now on. */
export function paceConnections(server: Server): void {
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const paced = new PacedConnection(socket);
    for (const each of accept) each.call(server, paced);
  });
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    (req.socket as Duplex as PacedConnection).count(req, res);
  });
}

interface Written {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

type Done = (error?: Error | null) => void;

class PacedConnection extends Duplex {
  readonly #socket: Socket;
  /** What was read from the socket and not passed on; meanwhile it is not read. */
  #rest: Buffer = Buffer.alloc(0);
  #isWanted = false;
  #isWaiting = false;
  #last: IncomingMessage | null = null;
  readonly #unanswered = new Set<ServerResponse>();

  constructor(socket: Socket) {
    // Of what is passed on, only one piece is buffered.
    super({ allowHalfOpen: true, readableHighWaterMark: 1, decodeStrings: false });
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#rest = bytes;
      this.#passOn();
      if (this.#rest.length > 0) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
    socket.on('timeout', () => this.emit('timeout'));
  }

  count(req: IncomingMessage, res: ServerResponse): void {
    this.#last = req;
    this.#unanswered.add(res);
    res.once('close', () => {
      this.#unanswered.delete(res);
      this.#passOn();
    });
  }

  override _read(): void {
    this.#isWanted = true;
    this.#passOn();
  }

  async #passOn(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    while (this.#isWanted && this.#rest.length > 0 && this.#mayContinue()) {
      if (sliceIsOver()) await nextSlice();
      if (this.destroyed) return;
      const end = endOfPiece(this.#rest, this.#isInBody() ? MIN_OF_BODY : 0);
      const piece = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      this.#isWanted = false;
      this.push(piece);
    }
    this.#isWaiting = false;
    if (this.#rest.length === 0 && this.#socket.isPaused()) this.#socket.resume();
  }

  /** The body of the last request is always read. */
  #mayContinue(): boolean {
    return this.#unanswered.size < MAX_UNANSWERED || this.#isInBody();
  }

  #isInBody(): boolean {
    return this.#last?.complete === false;
  }

  override _write(chunk: Written['chunk'], encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _writev(all: readonly Written[], done: Done): void {
    this.#socket.cork();
    for (const [index, { chunk, encoding }] of all.entries()) {
      this.#socket.write(chunk, encoding, index === all.length - 1 ? done : undefined);
    }
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    // Node closes only the response that is being sent.
    for (const res of this.#unanswered) if (res.socket === null) res.emit('close');
    done(error);
  }

  /** The rest is what servers do with a socket besides reading and writing. */
  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }
}

const LINE_END = 0x0a;
const RETURN = 0x0d;

/**
 * Where the next piece ends: after the head of a request if another head ends in these bytes, too, so
 * that no piece begins two requests; else all of it.
 */
function endOfPiece(bytes: Buffer, from: number): number {
  const head = afterEmptyLine(bytes, from);
  return head !== null && afterEmptyLine(bytes, head) !== null ? head : bytes.length;
}

function afterEmptyLine(bytes: Buffer, from: number): number | null {
  let at = bytes.indexOf(LINE_END, from);
  while (at !== -1) {
    const next = bytes[at + 1] === RETURN ? at + 2 : at + 1;
    if (bytes[next] === LINE_END) return next + 1;
    at = bytes.indexOf(LINE_END, at + 1);
  }
  return null;
}
