// Who calls from a terminal, by `deepwork call`: a person, an agent under its name, or an agent that
// gives none. Each has a stack that lasts from one command to the next.

import type { Owner } from './state.ts';

export const TERMINAL_IDENTITY = 'terminal';

/** As others read of it who may take over its work. */
export const UNNAMED_AGENT = 'an agent without a name';

export function isAtTerminal({ identity }: Pick<Owner, 'identity'>): boolean {
  return identity === TERMINAL_IDENTITY || identity.startsWith(`${TERMINAL_IDENTITY}/`);
}
