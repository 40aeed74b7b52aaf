// Form tokens: which forms a call has asked for. In the stateless era they travel through the
// client as `requestState`, so they are signed, and bound to the project and the caller: a
// token that was made up, altered or issued to someone else is rejected.

import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/team/caller.ts';
import type { FormToken } from '../../engine/person/forms.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { formsKey, keyFile } from '../../environment/signing-key.ts';

export interface FormTokens {
  sign(token: FormToken, caller: Caller): Promise<string>;
  /** Rejects tokens that are not ours, too old, or someone else's. */
  verify(state: string, caller: Caller): Promise<FormToken>;
}

/** A question, and so its form, may wait for days. */
const TTL_SECONDS = 30 * 24 * 60 * 60;
const MAX_TOKEN_LENGTH = 16 * 1024;

interface Signed {
  readonly holder: string;
  readonly token: FormToken;
}

const known = new WeakMap<Workspace, FormTokens>();

export function formTokensOf(workspace: Workspace): FormTokens {
  const tokens = known.get(workspace) ?? openFormTokens(workspace);
  known.set(workspace, tokens);
  return tokens;
}

type Codec = ReturnType<typeof createRequestStateCodec<Signed>>;

function openFormTokens({ paths, env, database }: Workspace): FormTokens {
  // Created when first needed, so that start-up does not read a key that is rarely used.
  let made: { readonly codec: Codec; readonly project: string } | null = null;
  /** Servers that share a database share the key, so that each accepts the tokens of the others. */
  async function make() {
    const store = await database();
    const key = store === null ? formsKey(keyFile(env)) : (await store.keys()).forms;
    const codec = createRequestStateCodec<Signed>({ key, ttlSeconds: TTL_SECONDS });
    return { codec, project: store?.workspace ?? paths.root };
  }
  const ready = async () => {
    made ??= await make();
    return made;
  };
  const holderOf = (project: string, { name, model, variant }: Caller) =>
    JSON.stringify([project, name, model, variant]);
  return {
    async sign(token, caller) {
      const { codec, project } = await ready();
      return codec.mint({ holder: holderOf(project, caller), token });
    },
    async verify(state, caller) {
      if (state.length > MAX_TOKEN_LENGTH) throw new Error('too long');
      const { codec, project } = await ready();
      // The codec ignores the context unless it is configured to bind to it.
      const { holder, token } = (await codec.verify(state, undefined as never)) as Signed;
      if (holder !== holderOf(project, caller)) throw new Error('issued to someone else');
      return token;
    },
  };
}
