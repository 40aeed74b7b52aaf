// The journal is where state lives: append-only streams of events, one stream per
// session (`session/<id>`). There is no lock beside it. A writer appends the event it
// decided on together with the sequence number it decided at; if somebody else came
// first it is told so, reads on, and decides again.
//
//   const last = await journal.append('session/ab12cd34', 4, { type: 'advanced', … })
//   if (last.kind === 'conflict') { /* read the newer events, decide again */ }
//
// A caller that holds a state names it by number and hash (`Position`): should the stream
// have been cut or replaced by an older one since, it learns so (`StreamWentBack`) instead
// of building on what is no longer there.
//
// A stream's name is segments of `a-z 0-9 _ -` joined by `/`, 200 characters at most,
// and does not begin with `damaged/` or `quarantine/`; any other name is a TypeError. So is
// a sequence number that is none, and an event that is not plain JSON. An event over
// 16 MiB is a RangeError. None of these touches the disk.
//
// Every implementation passes the same suite: `conformance.ts`.

/** What a decider produced. Whatever belongs together is in one event. */
export interface NewEvent {
  readonly type: string;
  /** UTC, ISO 8601. The journal records time, it never reads a clock. */
  readonly at: string;
  /** Plain JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredEvent extends NewEvent {
  /** 1, 2, 3 … without gap or repeat. */
  readonly seq: number;
  /** HMAC-SHA256 (hex) under the user's key, over this event and, by `prev`, all before. */
  readonly hash: string;
  /** The hash of the event before; 64 zeros for the first. */
  readonly prev: string;
}

/** A place in a stream: just behind this event. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
}

/** A number alone where the caller holds nothing that depends on what the events say. */
export type After = number | Position;

export interface Appended {
  readonly kind: 'appended';
  /** As it was stored: a copy, cleaned by JSON, that shares nothing with what was given. */
  readonly event: StoredEvent;
  /** Of the stream with this event as its last; null if others wrote on meanwhile. */
  readonly version: string | null;
}

/**
 * Runs when the event has its place in the stream, while the disk is still writing it:
 * for work that need not wait, such as a view. Nobody may be told before `append` is done.
 */
export type WhileSyncing = (version: string | null, event: StoredEvent) => Promise<void>;

/** Somebody else committed first; nothing of ours was recorded. */
export interface Conflict {
  readonly kind: 'conflict';
}

export interface StreamInfo {
  readonly stream: string;
  /** Changes whenever the stream changes; equal versions mean equal content. */
  readonly version: string;
}

export interface Journal {
  /**
   * Events after that one, oldest first. A stream that does not exist has none. Throws
   * `StreamWentBack` if a position is given that the stream does not have.
   */
  read(stream: string, after: After): AsyncIterable<StoredEvent>;
  /**
   * Commits one event, durably, if `expected` is where the stream ends.
   * If it throws, the stream is as it was; only when the disk failed while making the
   * event durable may the event be there all the same, as after a crash: read to know.
   */
  append(
    stream: string,
    expected: After,
    event: NewEvent,
    whileSyncing?: WhileSyncing,
  ): Promise<Appended | Conflict>;
  /** Every stream whose name starts with `prefix`, in name order. */
  streams(prefix: string): AsyncIterable<StreamInfo>;
  /** Their names alone, which costs nothing while no stream comes or goes. */
  names(prefix: string): Promise<readonly string[]>;
  /** The version of one stream, or null if it does not exist: a cheap "did it change?". */
  version(stream: string): Promise<string | null>;
  /**
   * Calls back with a stream's name after it changed, several changes at once being
   * told once. A change may be told twice. Watching does not keep the process alive.
   */
  watch(prefix: string, onChange: (stream: string) => void): Unsubscribe;
  /**
   * What is not believed of every stream whose name starts with `prefix`: first what is
   * damaged, then what is foreign, the oldest of a stream first.
   */
  setAside(prefix: string): Promise<SetAsideStream[]>;
  /**
   * For the end of a process: nobody is told of changes any more. Resolves when appends that
   * are under way are done; a call that is still running may go on. Twice is once.
   */
  close(): Promise<void>;
}

/** What was moved out of the way, and of which stream. */
export interface SetAsideStream {
  readonly stream: string;
  /** `damaged`: altered or incomplete. `foreign`: this user did not write it here. */
  readonly why: 'damaged' | 'foreign';
  /** The name, for people, under which its content is kept untouched. */
  readonly kept: string;
}

export type Unsubscribe = () => void;

/** Thrown when a stream was altered or lost bytes in its middle. */
export class StreamDamaged extends Error {
  override readonly name = 'StreamDamaged';
  readonly stream: string;
  /** The first record that proves it, counted from 1: of a file, its line. */
  readonly line: number;
  readonly reason: string;
  /** The name, for people, under which its content is kept untouched. */
  readonly kept: string;

  constructor(stream: string, line: number, reason: string, kept: string) {
    super(`Journal of '${stream}' is damaged at line ${line}: ${reason}. Kept as ${kept}`);
    this.stream = stream;
    this.line = line;
    this.reason = reason;
    this.kept = kept;
  }
}

/** Thrown when this user did not write a stream here: it is not believed. */
export class StreamForeign extends Error {
  override readonly name = 'StreamForeign';
  readonly stream: string;
  /** `key`: no line of it is under this user's key. `git`: it came with a repository. */
  readonly reason: 'key' | 'git';
  /** The name, for people, under which its content is kept untouched. */
  readonly kept: string;
  /** It could not be moved out of the way: the stream still is what it was. */
  readonly inPlace: boolean;

  constructor(stream: string, reason: 'key' | 'git', kept: string, inPlace: boolean) {
    const why = reason === 'key' ? "is not under this user's key" : 'is tracked by git';
    super(`Journal of '${stream}' ${why} and is not believed. Kept as ${kept}`);
    this.stream = stream;
    this.reason = reason;
    this.kept = kept;
    this.inPlace = inPlace;
  }
}

/** Thrown when a stream no longer has an event that a caller has seen. */
export class StreamWentBack extends Error {
  override readonly name = 'StreamWentBack';
  readonly stream: string;
  readonly seq: number;

  constructor(stream: string, seq: number) {
    super(`Journal of '${stream}' no longer has the event ${seq} that was read from it`);
    this.stream = stream;
    this.seq = seq;
  }
}
