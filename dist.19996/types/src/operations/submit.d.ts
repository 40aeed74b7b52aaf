import { type Call, type Hearing } from '../core/session/decide.ts';
import { type Session } from '../core/session/state.ts';
import type { Edition } from './edition.ts';
import { type FinishedStepAnswer } from './finished-step-answer.ts';
import type { CallContext } from './operation.ts';
export interface Submission {
    readonly session: Session;
    readonly edition: Edition;
    readonly call: Call;
    readonly heard: Extract<Hearing, {
        kind: 'run';
    }>;
    readonly overrideReason: string | null;
    readonly context: Readonly<Record<string, unknown>>;
}
export declare function submit(context: CallContext, submission: Submission): Promise<FinishedStepAnswer>;
