// An agent that has looked something up is one that others can write to. But looking up
// works even where the team's state cannot be read, so nothing here fails.

import type { Caller } from '../core/team/caller.ts';
import type { Workspace } from './workspace.ts';

export async function noteFinder({ team }: Workspace, caller: Caller): Promise<void> {
  await team.note(caller).catch(() => {});
}
