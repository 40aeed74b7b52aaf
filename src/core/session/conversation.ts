// Identities of clients that name their conversation with every call. The identity consists of the
// conversation and the process that serves it, so naming a conversation gives no access to work
// that another process still does. Work of ended processes is taken over by the usual rules
// (`ownership.ts`); if there are several such stacks, the conversation tells which is meant.

/** `conversation`: the client and its id, as in `codex:0198`; it has no slash. */
export function identityIn(conversation: string, process: string): string {
  return `${conversation}/${process}`;
}

/** The conversation that an identity names; null for stacks of any other kind. */
export function conversationOf(identity: string): string | null {
  return NAMED_BY_CALLS.exec(identity)?.[1] ?? null;
}

const NAMED_BY_CALLS = /^(codex:[^/]+)\//;
