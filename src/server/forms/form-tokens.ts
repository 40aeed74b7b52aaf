// Tickets: which forms a call has asked for. In the stateless era they travel through the
// client as `requestState`, so they are signed, and bound to the project and the caller:
// nobody can answer with a ticket that was made up, altered or given to somebody else.

import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/team/caller.ts';
import type { FormToken } from '../../engine/forms.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { formsKey } from '../../environment/signing-key.ts';

export interface FormTokens {
  sign(ticket: FormToken, caller: Caller): Promise<string>;
  /** Rejects what is not ours, too old, or somebody else's. */
  verify(state: string, caller: Caller): Promise<FormToken>;
}

/** A question waits for days, and so may the form in front of a person. */
const LASTS_SECONDS = 30 * 24 * 60 * 60;
const LIMIT = 16 * 1024;

interface Signed {
  readonly holder: string;
  readonly ticket: FormToken;
}

const known = new WeakMap<Workspace, FormTokens>();

export function formTokensOf(workspace: Workspace): FormTokens {
  const tickets = known.get(workspace) ?? openTickets(workspace.paths.root);
  known.set(workspace, tickets);
  return tickets;
}

function openTickets(root: string): FormTokens {
  // Made when first needed: a start must not read a key that few will use.
  let made: ReturnType<typeof createRequestStateCodec<Signed>> | null = null;
  const codec = () => {
    made ??= createRequestStateCodec<Signed>({ key: formsKey(), ttlSeconds: LASTS_SECONDS });
    return made;
  };
  const holderOf = ({ name, model, variant }: Caller) =>
    JSON.stringify([root, name, model, variant]);
  return {
    sign: (ticket, caller) => codec().mint({ holder: holderOf(caller), ticket }),
    async verify(state, caller) {
      if (state.length > LIMIT) throw new Error('too long');
      // The codec looks at nothing of the context unless it is told to bind to it.
      const { holder, ticket } = (await codec().verify(state, undefined as never)) as Signed;
      if (holder !== holderOf(caller)) throw new Error('given to somebody else');
      return ticket;
    },
  };
}
