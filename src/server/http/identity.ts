// Who speaks in a request: the token if it is an agent's, else the identity header, else
// the coordinator. Over HTTP a stack of jobs belongs to the agent, whatever connection or
// server process its requests come by.

import type { Owner } from '../../core/session/state.ts';
import { type Caller, identityOf, readCaller } from '../../core/team/caller.ts';
import { systemProcesses } from '../../environment/process-identity.ts';
import type { CallerIdentity } from '../caller-identity.ts';
import type { TurnedAway } from './reply.ts';
import type { Bearer } from './tokens.ts';

export const IDENTITY_HEADER = 'x-sgai-agent-identity';

export interface Visitor extends CallerIdentity {
  readonly bearer: Bearer;
}

/** The header's values, as often as it was sent. */
export function visitorOf(bearer: Bearer, identities: readonly string[]): Visitor | TurnedAway {
  if (identities.length > 1) return badIdentity('it was sent more than once');
  const [identity] = identities;
  // Header bytes are taken for UTF-8, as agents' names may be in any script.
  const named = readCaller(
    identity === undefined ? null : Buffer.from(identity, 'latin1').toString('utf8'),
  );
  if (typeof named === 'string') return badIdentity(named);
  if (bearer.kind !== 'agent') return { bearer, caller: named, owner: ownerOf(named) };
  if (identity !== undefined && !agrees(named, bearer.caller)) {
    return {
      status: 403,
      message: `This token belongs to another agent than ${IDENTITY_HEADER} names. Leave the header out, or name the agent that was launched.`,
    };
  }
  return { bearer, caller: bearer.caller, owner: ownerOf(bearer.caller) };
}

function badIdentity(reason: string): TurnedAway {
  return {
    status: 400,
    message: `${IDENTITY_HEADER} cannot be used: ${reason}. Send it once, as name|model|variant.`,
  };
}

/** What the header does not say agrees with anything. */
function agrees(named: Caller, holder: Caller): boolean {
  return (
    named.name === holder.name &&
    (named.model === null || named.model === holder.model) &&
    (named.variant === null || named.variant === holder.variant)
  );
}

function ownerOf(caller: Caller): Owner {
  const agent = identityOf(caller);
  return { identity: `agent:${agent}`, agent, process: systemProcesses.own() };
}
