// What was seen while a workflow was played: where agents came, what they tried, what stopped
// them, and a transcript that is the same whenever the seed is.

import type { AgentName } from './agents.ts';

/** Something that an agent tried and that ought to be stopped. */
export interface Attempt {
  readonly agent: AgentName;
  readonly step: string;
  /** `hands in nothing`, `lies in report.md`. */
  readonly by: string;
  readonly isStopped: boolean;
}

export interface RunRecord {
  readonly run: number;
  readonly agent: AgentName;
  /** Null: it got to the end. */
  readonly stuck: { readonly at: string; readonly why: string } | null;
  readonly attempts: readonly Attempt[];
  /** Steps that were done. */
  readonly reached: readonly string[];
  /** Ways that were taken where there is more than one: `fix runs`, `go_ahead rejected`. */
  readonly branches: readonly string[];
  readonly lines: readonly string[];
}

export interface Recording {
  say(line: string): void;
  attempt(attempt: Omit<Attempt, 'agent'>): void;
  reach(step: string): void;
  branch(way: string): void;
  end(stuck: RunRecord['stuck']): RunRecord;
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
      const came = attempt.isStopped ? 'stopped' : 'GOT PAST';
      lines.push(`run ${run}, ${agent}: ${attempt.step}: ${attempt.by}: ${came}`);
    },
    reach: (step) => void reached.add(step),
    branch: (way) => void branches.add(way),
    end: (stuck) => ({
      ...{ run, agent, stuck, attempts, lines },
      reached: [...reached],
      branches: [...branches],
    }),
  };
}
