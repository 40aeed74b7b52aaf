import type { Context } from '../core/session/state.ts';
import type { GateMember } from './request.ts';
import type { CriterionResult } from './verdict.ts';
/** Every rule that a file of this member breaks; empty when all hold. */
export declare function judgeRules(root: string, member: GateMember, context: Context): Promise<CriterionResult[]>;
