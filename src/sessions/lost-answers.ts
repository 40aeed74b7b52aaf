// Whether the answer to a call that changed a session arrived. This process knows it of
// its own answers. Of a process that is gone, what it did not write down when it ended is
// taken for lost: a crash writes nothing. The marks are a cache, `.deepwork/tmp/answered.json`;
// without them an equal call made next is answered once more instead of being done.

import path from 'node:path';
import type { Processes } from '../core/session/ownership.ts';
import type { Owner } from '../core/session/state.ts';
import type { AfterAnswer, Answers } from '../environment/answers.ts';
import { readSmallText } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'answered.json';
const LIMIT = 1024 * 1024;
const KEPT = 1000;

/** An event of a session, and the process that wrote it. */
interface Made {
  readonly id: string;
  readonly seq: number;
  readonly process: string;
}

export interface LostAnswers {
  /** Waits if the answer is just being written. */
  isLost(made: Made): Promise<boolean>;
  /** The answer that is being made tells of this event. */
  expect(made: Pick<Made, 'id' | 'seq'>, afterAnswer: AfterAnswer): void;
  /** The same for an answer that says that a session of this owner is over. */
  expectEnd(owner: Owner, made: Pick<Made, 'id' | 'seq'>, afterAnswer: AfterAnswer): void;
  /** False: the last answer of that kind to this owner, if there was one here, arrived. */
  mayMissEnd(owner: Owner): boolean;
  /** Writes down what arrived, for processes that come later. */
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
      await answers.settled(keyOf(made));
      const fate = answers.fate(keyOf(made));
      if (fate !== null) return fate === 'lost';
      if (made.process === processes.own()) return false;
      if (processes.livenessOf(made.process) !== 'gone') return false;
      return !readMarks(folder, views).includes(keyOf(made));
    },
    expect,
    expectEnd({ identity }, made, afterAnswer) {
      expect(made, afterAnswer);
      ends.delete(identity);
      ends.set(identity, keyOf(made));
      const [oldest] = ends.keys();
      if (ends.size > KEPT && oldest !== undefined) ends.delete(oldest);
    },
    mayMissEnd({ identity }) {
      const fate = answers.fate(ends.get(identity) ?? '');
      return fate === 'pending' || fate === 'lost';
    },
    async confirm() {
      const arrived = answers.delivered().filter((key) => key.startsWith(PREFIX));
      if (arrived.length === 0) return;
      const marks = [...new Set([...readMarks(folder, views), ...arrived])].slice(-KEPT);
      await views.place(FILE, JSON.stringify(marks)).catch(() => {});
    },
  };
}

const PREFIX = 'session/';

function keyOf({ id, seq }: Pick<Made, 'id' | 'seq'>): string {
  return `${PREFIX}${id}:${seq}`;
}

function readMarks(folder: string, views: Views): readonly unknown[] {
  try {
    views.check();
    const marks: unknown = JSON.parse(readSmallText(path.join(folder, FILE), LIMIT) ?? '[]');
    return Array.isArray(marks) ? marks : [];
  } catch {
    return [];
  }
}
