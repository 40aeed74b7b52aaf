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
  /** The agent of the team that makes the call. */
  readonly caller: Caller;
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Reports to the client what a long call is doing. */
  readonly progress: (message: string) => void;
  /** Runs `work` once the answer has been written to the client, or certainly will not be. */
  readonly afterAnswer: (work: (delivered: boolean) => Promise<void>) => void;
  /** Called with the session that the call turned out to be about, for the log. */
  readonly about?: (sessionId: string) => void;
  /** Gives the id of a new session, if it was chosen beforehand; random if left out. */
  readonly newSessionId?: () => string;
  /** True for a `deepwork call` at a terminal, where reading never takes work over. */
  readonly fromTerminal?: boolean;
  /** How the person in front of the client can be asked, if the client lets us. */
  readonly forms?: ClientForms | undefined;
}
