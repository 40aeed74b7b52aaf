// What every tool knows about the call that it answers: the project, who calls, and how to
// reach the client while it runs.

import type { Owner } from '../core/session/state.ts';
import type { Caller } from '../core/team/caller.ts';
import type { ClientForms } from './person/forms.ts';
import type { Workspace } from './workspace.ts';

export interface CallContext {
  readonly workspace: Workspace;
  /** Whose stack the call works on. */
  readonly owner: Owner;
  /** Which agent of the team is speaking. */
  readonly caller: Caller;
  /** Aborted when the client gives the call up. */
  readonly signal: AbortSignal;
  /** Tells the client what goes on during a long call. */
  readonly progress: (message: string) => void;
  /** Runs `work` once the answer was written to the client, or it is clear that it cannot be. */
  readonly afterAnswer: (work: (delivered: boolean) => Promise<void>) => void;
  /** Told which session the call turned out to be about, for the log. */
  readonly about?: (sessionId: string) => void;
  /** The id of a session that is started, where it was chosen beforehand; else at random. */
  readonly newSessionId?: () => string;
  /** A `deepwork call` at a terminal, where reading never takes work over. */
  readonly fromTerminal?: boolean;
  /** How the person in front of the client can be asked, if the client lets us. */
  readonly forms?: ClientForms | undefined;
}
