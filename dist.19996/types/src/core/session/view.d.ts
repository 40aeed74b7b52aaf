import { type Session } from './state.ts';
export declare function viewOf(session: Session): Record<string, unknown>;
/** Outputs of every completed step; a later step's output wins over an earlier one's. */
export declare function allOutputs(session: Session): Record<string, string | readonly string[]>;
