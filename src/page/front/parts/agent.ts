// The agent of a run as a person knows it. The owner of an unattended run has a name that only
// programs need.

import type { Run } from '../../../board/run.ts';

export function agentOf({ agent, unattended }: Pick<Run, 'agent' | 'unattended'>): string | null {
  return unattended?.agent ?? agent;
}
