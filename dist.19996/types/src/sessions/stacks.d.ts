import { type Owner, type Session } from '../core/session/state.ts';
import type { Clock } from '../workspace/clock.ts';
import type { SessionStore } from './store.ts';
export interface StackItem {
    readonly workflow: string;
    readonly step: string;
}
export interface Orphan extends StackItem {
    readonly session_id: string;
}
export interface Stacks {
    of(owner: Pick<Owner, 'identity'>): Promise<readonly Session[]>;
    /** The session a call is about, adopting it first if its owner is gone. */
    claim(owner: Owner, sessionId: string | null): Promise<Session>;
    /** The same without changing anything. Null: nothing is active for this caller. */
    peek(owner: Owner, sessionId: string | null): Promise<Session | null>;
    /** The tops of stacks that nobody works on. */
    orphans(owner: Owner): Promise<readonly Orphan[]>;
}
export declare function openStacks(store: SessionStore, clock: Clock): Stacks;
export declare function stackItems(stack: readonly Session[]): StackItem[];
/** Nothing to work on; what was left behind is named, so that it can be asked for. */
export declare function nothingActive(orphans: readonly (readonly Session[])[]): import("../core/refusal.ts").Refusal;
