// Whether the answer to a call that changed a session arrived. This process knows it for its
// own answers. For a process that is gone, an answer counts as lost unless the process
// recorded its arrival at its end; a crash records nothing. The record is a cache,
// `.deepwork/tmp/answered.json`; without it an equal call is answered again instead of run.

import path from 'node:path';
import type { Processes } from '../core/session/ownership.ts';
import type { Owner, Session } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { AfterAnswer, Answers } from '../environment/answer-delivery.ts';
import { readSmallText } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'answered.json';
const MAX_BYTES = 1024 * 1024;
const MAX_MARKS = 1000;

/** An event of a session, and the process that wrote it. */
interface Made {
  readonly id: string;
  readonly seq: number;
  readonly process: string;
}

export interface LostAnswers {
  /** Waits if the answer is being written. */
  isLost(made: Made): Promise<boolean>;
  /** The answer in progress reports this event. */
  expect(made: Pick<Made, 'id' | 'seq'>, afterAnswer: AfterAnswer): void;
  /** It may have been recorded, but its call failed. */
  lose(made: Pick<Made, 'id' | 'seq'>): void;
  /** The caller knows the state of this session by other means: none of its answers is lost. */
  makeKnown(session: Session): void;
  /** The same for an answer that reports the end of a session of this owner. */
  expectEnd(owner: Owner, made: Pick<Made, 'id' | 'seq'>, afterAnswer: AfterAnswer): void;
  /** False if the last such answer to this owner, if there was one here, arrived. */
  mayMissEnd(owner: Owner): boolean;
  /** Records what arrived, for later processes. */
  confirm(): Promise<void>;
}

export function openLostAnswers(
  folder: string,
  views: Views,
  answers: Answers,
  processes: Processes,
): LostAnswers {
  const ends = new Map<string, string>();

  function expect(made: Pick<Made, 'id' | 'seq'>, afterAnswer: AfterAnswer): void {
    answers.expect(keyOf(made), afterAnswer);
  }

  return {
    async isLost(made) {
      await answers.writtenOrLost(keyOf(made));
      const fate = answers.fate(keyOf(made));
      if (fate !== null) return fate === 'lost';
      if (made.process === processes.own()) return false;
      if (processes.livenessOf(made.process) !== 'gone') return false;
      return !readMarks(folder, views).includes(keyOf(made));
    },
    expect,
    lose: (made) => answers.lose(keyOf(made)),
    makeKnown({ id, lastAccepted, earlierAccepted, lastMove }) {
      for (const made of [...earlierAccepted, lastAccepted, lastMove]) {
        if (made !== null) answers.makeKnown(keyOf({ id, seq: made.seq }));
      }
    },
    expectEnd({ identity }, made, afterAnswer) {
      expect(made, afterAnswer);
      ends.delete(identity);
      ends.set(identity, keyOf(made));
      const [oldest] = ends.keys();
      if (ends.size > MAX_MARKS && oldest !== undefined) ends.delete(oldest);
    },
    mayMissEnd({ identity }) {
      const fate = answers.fate(ends.get(identity) ?? '');
      return fate === 'pending' || fate === 'lost';
    },
    async confirm() {
      const arrived = answers.delivered().filter((key) => key.startsWith(SESSION_STREAMS));
      if (arrived.length === 0) return;
      const marks = [...new Set([...readMarks(folder, views), ...arrived])].slice(-MAX_MARKS);
      await views.place(FILE, JSON.stringify(marks)).catch(() => {});
    },
  };
}

function keyOf({ id, seq }: Pick<Made, 'id' | 'seq'>): string {
  return `${SESSION_STREAMS}${id}:${seq}`;
}

function readMarks(folder: string, views: Views): readonly unknown[] {
  try {
    views.check();
    const marks: unknown = JSON.parse(readSmallText(path.join(folder, FILE), MAX_BYTES) ?? '[]');
    return Array.isArray(marks) ? marks : [];
  } catch {
    return [];
  }
}
