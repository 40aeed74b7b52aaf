import { type Library } from '../definitions/library.ts';
import type { Journal } from '../journal/journal.ts';
import { type Stacks } from '../sessions/stacks.ts';
import { type SessionStore } from '../sessions/store.ts';
import { type Views } from '../sessions/views.ts';
import { type Clock } from '../workspace/clock.ts';
import { type Paths } from '../workspace/paths.ts';
import { type Overrides, type Settings } from '../workspace/settings.ts';
import { type Trust } from '../workspace/trust.ts';
import type { FinishedStepAnswer } from './finished-step-answer.ts';
import { type RunningWork } from './running-work.ts';
export interface Workspace {
    readonly paths: Paths;
    readonly library: Library;
    readonly journal: Journal;
    readonly store: SessionStore;
    readonly stacks: Stacks;
    readonly views: Views;
    readonly clock: Clock;
    readonly trust: Trust;
    /** Submissions that are being judged. */
    readonly running: RunningWork<FinishedStepAnswer>;
    /** What flags and `.deepwork/config.yml` say at this moment. */
    settings(): Promise<Settings>;
}
export interface WorkspaceOptions {
    readonly projectRoot: string;
    readonly overrides?: Overrides;
    readonly standardJobsDir?: string | null;
    /** True: somebody who may has trusted the commands of this workspace, for this run. */
    readonly trusted?: boolean;
    readonly env?: NodeJS.ProcessEnv;
}
export declare function openWorkspace(options: WorkspaceOptions): Workspace;
