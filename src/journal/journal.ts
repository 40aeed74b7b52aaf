// The journal is where state lives: append-only streams of events, one stream per session
// (`session/<id>`). There is no separate lock. A writer appends the event it decided on
// together with the sequence number it decided at; if another writer was first, it gets a
// conflict, reads on, and decides again.
//
//   const last = await journal.append('session/ab12cd34', 4, { type: 'advanced', … })
//   if (last.kind === 'conflict') { /* read the newer events, decide again */ }
//
// A caller that holds a state names it by number and hash (`StreamPosition`): if the stream was cut
// or replaced by an older copy since, the caller gets `StreamRolledBack` instead of building on
// events that no longer exist.
//
// A stream's name consists of segments of `a-z 0-9 _ -` joined by `/`, at most 200 characters,
// and does not begin with `damaged/` or `quarantine/`; any other name is a TypeError. So is
// an invalid sequence number, and an event that is not plain JSON. An event over 16 MiB is a
// RangeError. None of these touches the disk.
//
// Every implementation passes the same suite: `test/support/journal-conformance.ts`.

/** The output of a decider. Changes that belong together are in one event. */
export interface NewEvent {
  readonly type: string;
  /** UTC, ISO 8601. The journal records time, it never reads a clock. */
  readonly at: string;
  /** Plain JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredEvent extends NewEvent {
  /** 1, 2, 3 … without gaps or repeats. */
  readonly seq: number;
  /** HMAC-SHA256 (hex) under the user's key, over this event and, through `prev`, all before. */
  readonly hash: string;
  /** The hash of the previous event; 64 zeros for the first. */
  readonly prev: string;
}

/** A place in a stream: right after this event. */
export interface StreamPosition {
  readonly seq: number;
  readonly hash: string;
}

/** A number alone suffices if the caller holds no state derived from the events. */
export type After = number | StreamPosition;

export interface Appended {
  readonly kind: 'appended';
  /** As stored: a copy, normalized by JSON, that shares nothing with the given event. */
  readonly event: StoredEvent;
  /** The stream's version with this event as its last; null if others have written since. */
  readonly version: string | null;
}

/**
 * Runs when the event has its place in the stream, while the disk is still writing it: for
 * work that need not wait, such as a view. Nothing may be answered before `append` is done.
 */
export type WhileSyncing = (version: string | null, event: StoredEvent) => Promise<void>;

/** Another writer committed first; nothing of ours was recorded. */
export interface Conflict {
  readonly kind: 'conflict';
}

export interface StreamInfo {
  readonly stream: string;
  /** Changes whenever the stream changes; equal versions mean equal content. */
  readonly version: string;
}

export type VersionsByName = Pick<ReadonlyMap<string, string>, 'get'>;

export interface Journal {
  /**
   * Events after that one, oldest first. A stream that does not exist has none. Throws
   * `StreamRolledBack` if a position is given that the stream does not have.
   */
  read(stream: string, after: After): AsyncIterable<StoredEvent>;
  /**
   * Commits one event, durably, if the stream ends at `expected`. If it throws, the stream is
   * unchanged; only if the disk failed while making the event durable, the event may still be
   * there, as after a crash: read to find out.
   */
  append(
    stream: string,
    expected: After,
    event: NewEvent,
    whileSyncing?: WhileSyncing,
  ): Promise<Appended | Conflict>;
  /** Every stream whose name starts with `prefix`, in name order. */
  streams(prefix: string): AsyncIterable<StreamInfo>;
  /** Only their names, which is free while no stream is created or removed. */
  names(prefix: string): Promise<readonly string[]>;
  /**
   * The versions of all streams with that prefix by name, if one query returns them all. Absent or
   * undefined otherwise: use `version` for each.
   */
  versions?(prefix: string): Promise<VersionsByName | undefined>;
  /**
   * Identifies the moment up to which the last result of `names` is complete, so that a reader can
   * query what has changed since. Absent or null if that is not possible.
   */
  mark?(): string | null;
  /** The version of one stream, or null if it does not exist: a cheap "did it change?". */
  version(stream: string): Promise<string | null>;
  /**
   * Calls back with a stream's name after it changed; several changes may be reported once,
   * and one change twice. Watching does not keep the process alive.
   */
  watch(prefix: string, onChange: (stream: string) => void): Unsubscribe;
  /**
   * The files set aside of every stream whose name starts with `prefix`: damaged ones first,
   * then foreign ones, the oldest of a stream first.
   */
  setAside(prefix: string): Promise<SetAsideStream[]>;
  /**
   * For the end of a process: stops all notifications. Resolves when running appends are
   * done; other running calls may continue. May be called twice.
   */
  close(): Promise<void>;
}

/** A file that was set aside, and its stream. */
export interface SetAsideStream {
  readonly stream: string;
  /** `damaged`: altered or incomplete. `foreign`: this user did not write it here. */
  readonly why: 'damaged' | 'foreign';
  /** The name under which its content is kept unchanged, for people. */
  readonly kept: string;
}

export type Unsubscribe = () => void;

/** Thrown when a stream was altered or lost bytes in its middle. */
export class StreamDamaged extends Error {
  override readonly name = 'StreamDamaged';
  readonly stream: string;
  /** The first record that proves it, counted from 1: in a file, its line. */
  readonly line: number;
  readonly reason: string;
  /** The name under which its content is kept unchanged, for people. */
  readonly kept: string;

  constructor(stream: string, line: number, reason: string, kept: string) {
    super(`Journal of '${stream}' is damaged at line ${line}: ${reason}. Kept as ${kept}`);
    this.stream = stream;
    this.line = line;
    this.reason = reason;
    this.kept = kept;
  }
}

/** Thrown if this user did not write a stream here: it is not trusted. */
export class StreamForeign extends Error {
  override readonly name = 'StreamForeign';
  readonly stream: string;
  /** `key`: no line of it is under this user's key. `git`: it came with a repository. */
  readonly reason: 'key' | 'git';
  /** The name under which its content is kept unchanged, for people. */
  readonly kept: string;
  /** It could not be moved away: the stream is unchanged. */
  readonly inPlace: boolean;

  constructor(stream: string, reason: 'key' | 'git', kept: string, inPlace: boolean) {
    const why = reason === 'key' ? "is not under this user's key" : 'is tracked by git';
    super(`Journal of '${stream}' ${why} and is not trusted. Kept as ${kept}`);
    this.stream = stream;
    this.reason = reason;
    this.kept = kept;
    this.inPlace = inPlace;
  }
}

/** Thrown when a stream no longer has an event that a caller has seen. */
export class StreamRolledBack extends Error {
  override readonly name = 'StreamRolledBack';
  readonly stream: string;
  readonly seq: number;

  constructor(stream: string, seq: number) {
    super(`Journal of '${stream}' no longer has the event ${seq} that was read from it`);
    this.stream = stream;
    this.seq = seq;
  }
}
