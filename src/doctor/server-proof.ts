// Whether the project's own server answers at its registered address. A server that needs tokens
// tells callers without one nothing, so both sides prove that they know the pass in the user's
// registry. The pass is not sent, and only the registered address is asked: another program there
// took the port of a server that is gone, so it cannot pass the proof on.

import { jsonObjectIn } from '../core/is-record.ts';
import { authorizationOf, isProofOf, newNonce } from '../environment/process/launch-proof.ts';
import type { Registration } from '../launch/registry.ts';
import { getText } from './http-request.ts';

export async function provesItself(
  { url, pass }: Registration,
  signal: AbortSignal,
): Promise<boolean> {
  if (url === '') return false;
  const nonce = newNonce();
  const authorization = authorizationOf(pass, nonce);
  const text = await getText(`${url}/launches`, signal, { authorization });
  return isProofOf('server', pass, nonce, jsonObjectIn(text ?? '')?.proof);
}
