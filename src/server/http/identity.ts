// Who makes a request: the agent of the token if it is an agent's, else the identity header,
// else the coordinator. Over HTTP a stack of jobs belongs to the agent, whatever connection or
// server process its requests use.

import type { Owner } from '../../core/session/state.ts';
import { type Caller, identityOf, readCaller } from '../../core/team/caller.ts';
import { systemProcesses } from '../../environment/process/process-identity.ts';
import type { CallerIdentity } from '../caller-identity.ts';
import type { RequestRefusal } from './reply.ts';
import type { Bearer } from './tokens.ts';

export const IDENTITY_HEADER = 'x-sgai-agent-identity';

export interface HttpCaller extends CallerIdentity {
  readonly bearer: Bearer;
}

/** `identities`: the header's values, one for each time it was sent. */
export function httpCallerOf(
  bearer: Bearer,
  identities: readonly string[],
): HttpCaller | RequestRefusal {
  if (identities.length > 1) return badIdentity('it was sent more than once');
  const [identity] = identities;
  // Header bytes are read as UTF-8, as agents' names may be in any script.
  const named = readCaller(
    identity === undefined ? null : Buffer.from(identity, 'latin1').toString('utf8'),
  );
  if (typeof named === 'string') return badIdentity(named);
  if (bearer.kind !== 'agent') return { bearer, caller: named, owner: ownerOf(named) };
  if (identity !== undefined && !matches(named, bearer.caller)) {
    return {
      status: 403,
      message: `This token belongs to another agent than ${IDENTITY_HEADER} names. Omit the header, or name the agent that was launched.`,
    };
  }
  return { bearer, caller: bearer.caller, owner: ownerOf(bearer.caller, bearer.stack) };
}

function badIdentity(reason: string): RequestRefusal {
  return {
    status: 400,
    message: `${IDENTITY_HEADER} cannot be used: ${reason}. Send it once, as name|model|variant.`,
  };
}

/** Parts that the header omits match anything. */
function matches(named: Caller, holder: Caller): boolean {
  return (
    named.name === holder.name &&
    (named.model === null || named.model === holder.model) &&
    (named.variant === null || named.variant === holder.variant)
  );
}

function ownerOf(caller: Caller, stack: string | null = null): Owner {
  return {
    identity: stack ?? `agent:${caller.name}`,
    agent: identityOf(caller),
    process: systemProcesses.own(),
  };
}
