import type { Job, Step } from '../core/workflow.ts';
import type { TrustedCommand } from '../workspace/trust.ts';
import type { Workspace } from './workspace.ts';
export declare function checkList(workspace: Pick<Workspace, 'library'>, running?: Job): Promise<TrustedCommand[]>;
export declare function requireTrust(workspace: Workspace, job: Job, step: Step): Promise<void>;
