// What the clients of a storm did and saw: every call with its start, end and answer, by one clock,
// and what was done to the servers meanwhile. Checkers get only this and the streams.

export interface CallRecord {
  readonly number: number;
  /** The client, e.g. `ada-2`; an agent can have several. */
  readonly client: string;
  /** The agent's name, as messages and stacks know it. */
  readonly agent: string;
  /** The server process that got it, e.g. `http#3`. */
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The call before it of this client once more, after its server was killed. */
  readonly again?: boolean;
  /** The agent's calls come one by one, so nothing changes its stack meanwhile. */
  readonly isAlone?: boolean;
  readonly start: number;
  /** Null: there was no answer. */
  end: number | null;
  answer: Answered | null;
}

export interface Answered {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by checkers
  readonly data: any;
}

/**
 * A refusal that says that nothing was recorded, and to make the call again: a server reports, once,
 * that the journal was lost under it, or the database is away.
 */
export function isNotice({ isError, text }: Answered): boolean {
  return isError && (isLoss(text) || text.includes('nothing was accepted'));
}

export const isLoss = (text: string) => /while the server was running/.test(text);

/** A refusal that leaves open what happened: the connection to the database was lost. */
export function isUnknown({ isError, text }: Answered): boolean {
  return isError && text.includes('it cannot be known whether it was accepted');
}

/** Something that was done to the servers or to their files. */
interface Fault {
  readonly at: number;
  readonly what: string;
}

export interface History {
  readonly calls: CallRecord[];
  readonly faults: Fault[];
  /** When each server process was killed: until then it was running. */
  readonly kills: Map<string, number>;
  /** When each server process was seen to be gone: from then on it did nothing more. */
  readonly deaths: Map<string, number>;
}

export type NewCall = Omit<CallRecord, 'number' | 'start' | 'end' | 'answer'>;

export interface Recorder {
  readonly history: History;
  now(): number;
  /** How many calls have been answered. */
  answered(): number;
  begin(call: NewCall): CallRecord;
  end(call: CallRecord, answer: Answered): void;
  fault(what: string): void;
  killed(server: string): void;
  died(server: string): void;
}

export function newRecorder(): Recorder {
  const began = performance.now();
  const history: History = { calls: [], faults: [], kills: new Map(), deaths: new Map() };
  const now = () => performance.now() - began;
  let answered = 0;
  return {
    history,
    now,
    answered: () => answered,
    begin(call) {
      const number = history.calls.length;
      const record: CallRecord = { ...call, number, start: now(), end: null, answer: null };
      history.calls.push(record);
      return record;
    },
    end(call, answer) {
      answered += 1;
      // Whatever was on its way to the database can still arrive.
      if (isUnknown(answer)) return;
      call.end = now();
      call.answer = answer;
    },
    fault: (what) => void history.faults.push({ at: now(), what }),
    killed: (server) => void history.kills.set(server, now()),
    died: (server) => void history.deaths.set(server, now()),
  };
}

/** The time after which the call cannot have had an effect any more; null: there is none. */
export function effectiveEnd(history: History, { end, server }: CallRecord): number | null {
  return end ?? history.deaths.get(server) ?? null;
}

/** One call on one line, for a report. */
export function describeCall(call: CallRecord): string {
  const { number, client, server, tool, args, start, end, answer } = call;
  const time = `${start.toFixed(1)}–${end === null ? 'no answer' : end.toFixed(1)}`;
  const said = answer === null ? '' : ` → ${answer.isError ? 'ERROR ' : ''}${cut(answer.text)}`;
  const again = call.again ? 'again ' : '';
  return `  #${number} ${time} ${client} at ${server}: ${again}${tool} ${cut(JSON.stringify(args))}${said}`;
}

function cut(text: string): string {
  const flat = text.replaceAll('\n', ' / ');
  return flat.length > 250 ? `${flat.slice(0, 250)}…` : flat;
}
