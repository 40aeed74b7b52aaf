// Adds the caller to the known agents of the team, so that others can write to it. Tools that
// only look something up must work even if the team's state cannot be read, so this never fails.

import type { Caller } from '../core/team/caller.ts';
import type { Workspace } from './workspace.ts';

export async function noteCaller({ team }: Workspace, caller: Caller): Promise<void> {
  await team.note(caller).catch(() => {});
}
