// Asks the person in front of a client, in either era of the protocol, if the client declared
// that it shows forms. With a handshake, the server sends its own request while the call is
// running; without one, the call's result asks for input, and the client calls again.

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../core/team/caller.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import {
  type ClientForms,
  type FormMemory,
  type FormsWanted,
  type FormToken,
  newFormMemory,
} from '../../engine/person/forms.ts';
import { formOf, replyOf } from './form.ts';
import type { FormTokens } from './form-tokens.ts';

/** The maximum timeout of a timer; a form waits for a person. */
const MAX_MS = 2 ** 31 - 1;

/** What a client of the stateless era sends about itself with each request. */
interface Envelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: { readonly elicitation?: unknown };
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
}

/** Create one per connection. */
export function openClientForms(
  server: Server,
): (context: ServerContext) => ClientForms | undefined {
  const memory = newFormMemory();
  return (context) => {
    const envelope = context.mcpReq.envelope as Envelope | undefined;
    if (envelope === undefined) {
      if (!showsForms(server.getClientCapabilities())) return undefined;
      return live(context, formOfClient(server.getClientVersion()?.name), memory);
    }
    if (!showsForms(envelope[CLIENT_CAPABILITIES_META_KEY])) return undefined;
    const by = formOfClient(envelope[CLIENT_INFO_META_KEY]?.name);
    const token = context.mcpReq.requestState<FormToken>();
    // Without a token, replies cannot be matched to questions.
    if (token === undefined) return { kind: 'between', by, returned: null };
    const given = Object.entries(context.mcpReq.inputResponses ?? {});
    const replies = new Map(given.map(([id, reply]) => [id, replyOf(reply)]));
    return { kind: 'between', by, returned: { token, replies } };
  };
}

/** The name is the client's own choice, so it never stands alone, as a person's would. */
function formOfClient(name: string | undefined): string {
  return `form of ${nameOf(name) ?? 'a client'}`;
}

function live(context: ServerContext, by: string, memory: FormMemory): ClientForms {
  return {
    kind: 'live',
    by,
    memory,
    async show(question, problem, signal) {
      try {
        const request = { method: 'elicitation/create', params: formOf(question, problem) };
        return replyOf(await context.mcpReq.send(request as never, { signal, timeout: MAX_MS }));
      } catch {
        // Withdrawn, not supported by the client after all, or the client is gone.
        return { action: 'cancel' };
      }
    },
  };
}

/** A client that names no mode means forms; earlier, there were no others. */
function showsForms(capabilities: { readonly elicitation?: unknown } | undefined): boolean {
  const declared = capabilities?.elicitation;
  if (typeof declared !== 'object' || declared === null) return false;
  return 'form' in declared || !('url' in declared);
}

export async function askForInput(
  { token, forms }: FormsWanted,
  tokens: FormTokens,
  caller: Caller,
): Promise<InputRequiredResult> {
  const inputRequests = Object.fromEntries(
    forms.map(({ question, problem }) => [
      question.id,
      {
        method: 'elicitation/create',
        params: formOf(question, problem),
      } as unknown as InputRequest,
    ]),
  );
  return inputRequired({ inputRequests, requestState: await tokens.sign(token, caller) });
}
