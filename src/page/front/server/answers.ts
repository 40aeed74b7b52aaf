// The answers of the API beyond the read model (`src/board/run.ts`), and their paths.

import type { ListedVariable, OpenQuestion, RunDetail, TeamOverview } from '../../../board/run.ts';
import type { TeamMessage } from '../../../board/team-messages.ts';
import type { TimelineItem } from '../../../board/timeline.ts';

export type { TeamMessage };

export const PATHS = {
  /** Active runs and the last ten that ended. */
  board: '/api/board',
  wholeBoard: '/api/board?all=1',
  questions: '/api/questions',
  definitions: '/api/definitions',
  run: (id: string) => `/api/runs/${encodeURIComponent(id)}`,
  runAt: (id: string, seq: number) => `/api/runs/${encodeURIComponent(id)}/at/${seq}`,
  team: (before: number | null, limit: number) =>
    `/api/team?limit=${limit}${before === null ? '' : `&before=${before}`}`,
} as const;

export interface DrawnRun extends RunDetail {
  /** What happened to questions, between the events. */
  readonly beside: readonly TimelineItem[];
  /** What to type to continue it, if it is unattended. */
  readonly resume: string;
  readonly drawing_svg: string;
}

/** A question with the files that an approval or an override is about. */
export interface ShownQuestion extends OpenQuestion {
  readonly multi_select?: boolean;
  readonly show?: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly text: string;
  }[];
}

export interface TeamPage {
  readonly team: TeamOverview | null;
  readonly messages: readonly TeamMessage[];
}

export interface DefinitionProblem {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export interface DefinedWorkflow {
  readonly name: string;
  readonly summary: string;
  readonly drawing_svg: string;
  /** A command or a prompt that starts it. */
  readonly start: string;
  readonly inputs: readonly ListedVariable[];
}

export interface Definitions {
  readonly jobs: readonly {
    readonly name: string;
    readonly summary: string;
    readonly workflows: readonly DefinedWorkflow[];
    readonly problems: readonly DefinitionProblem[];
  }[];
  readonly guides: readonly {
    readonly id: string;
    readonly title: string;
    readonly drawing_svg: string;
    readonly problems: readonly DefinitionProblem[];
  }[];
  /** Runs can be started from here. */
  readonly can_start: boolean;
}
