import type { Decision, Session } from '../core/session/state.ts';
import { type Journal } from '../journal/journal.ts';
import type { EndedIndex } from './ended-index.ts';
import type { Views } from './views.ts';
export interface Committed<Prepared> {
    readonly session: Session;
    readonly prepared: Prepared;
    /** False when the decider found that the same call had been accepted already. */
    readonly changed: boolean;
    readonly warnings: readonly string[];
}
export interface SessionStore {
    /** The session as it is now, or null if there is none with this id. */
    load(id: string): Promise<Session | null>;
    /** Every session that is still active, in no order. */
    active(): Promise<readonly Session[]>;
    /** The sessions that ended last, newest first. */
    lastEnded(count: number): Promise<readonly Session[]>;
    /**
     * Decides and commits. `prepare` gets the state that the commit would lead to and
     * runs before it, so that an answer that cannot be given changes nothing.
     */
    commit<Prepared>(id: string, decide: (session: Session | null) => Decision, prepare: (next: Session) => Promise<Prepared>): Promise<Committed<Prepared>>;
}
export declare function openSessionStore(journal: Journal, views: Views, endedIndex: EndedIndex): SessionStore;
export declare function isSessionId(id: string): boolean;
