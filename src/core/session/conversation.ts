// A client's conversation, where the client names it with every call. Its stack is named by the
// conversation and by the process that serves it: naming a conversation gives no right to work that
// another process still does, and work that was left is taken over by the rules for everyone
// (`ownership.ts`). Among several stacks that were left, the conversation tells which is meant.

/** `conversation`: the client and its id, as in `codex:0198`; it has no slash. */
export function identityIn(conversation: string, process: string): string {
  return `${conversation}/${process}`;
}

/** The conversation that an identity names; null for stacks of any other kind. */
export function conversationOf(identity: string): string | null {
  return NAMED_BY_CALLS.exec(identity)?.[1] ?? null;
}

const NAMED_BY_CALLS = /^(codex:[^/]+)\//;
