import type { Session } from '../core/session/state.ts';
export interface Views {
    /** Replaces the session's view. Throws if it cannot be written. */
    write(session: Session): Promise<void>;
    /** Writes the view only if what is there does not show this revision. */
    refresh(session: Session): Promise<void>;
    /** Puts a file beside the views and answers with its path. */
    place(name: string, text: string): Promise<string>;
}
export declare function openViews(folder: string): Views;
