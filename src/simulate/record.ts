// What happened while a workflow was played: which steps agents reached, what they tried, what was
// stopped, and a transcript that is the same for the same seed.

import type { Step } from '../core/workflow.ts';
import type { AgentName } from './agents.ts';

/** Something that an agent tried and that should be stopped. */
export interface Attempt {
  readonly agent: AgentName;
  readonly step: string;
  /** `hands in nothing`, `lies in report.md`. */
  readonly by: string;
  readonly isStopped: boolean;
  /** With its gate; absent if the attempt was not made at a step. */
  readonly model?: Step;
}

/** Ends what an agent tried by giving a reason to skip the review. */
export const SKIPS_REVIEW = ' and skips the review';

export interface PlayRecord {
  readonly run: number;
  readonly agent: AgentName;
  /** Null: it was completed. */
  readonly stuck: {
    readonly at: string;
    readonly why: string;
    /** A person rejected the same files again. */
    readonly isRejected?: boolean;
    /** `at` is the workflow, which could not be started. */
    readonly isNotStarted?: boolean;
  } | null;
  readonly attempts: readonly Attempt[];
  /** Steps that were done. */
  readonly reached: readonly string[];
  /** The branches that were taken: `fix runs`, `go_ahead rejected`. */
  readonly branches: readonly string[];
  readonly lines: readonly string[];
}

export interface Recording {
  say(line: string): void;
  attempt(attempt: Omit<Attempt, 'agent'>): void;
  reach(step: string): void;
  branch(way: string): void;
  end(stuck: PlayRecord['stuck']): PlayRecord;
}

export function openRecording(run: number, agent: AgentName): Recording {
  const attempts: Attempt[] = [];
  const reached = new Set<string>();
  const branches = new Set<string>();
  const lines: string[] = [];
  return {
    say: (line) => void lines.push(`run ${run}, ${agent}: ${line}`),
    attempt(attempt) {
      attempts.push({ agent, ...attempt });
      const outcome = attempt.isStopped ? 'stopped' : 'GOT PAST';
      lines.push(`run ${run}, ${agent}: ${attempt.step}: ${attempt.by}: ${outcome}`);
    },
    reach: (step) => void reached.add(step),
    branch: (way) => void branches.add(way),
    end: (stuck) => ({
      run,
      agent,
      stuck,
      attempts,
      lines,
      reached: [...reached],
      branches: [...branches],
    }),
  };
}
