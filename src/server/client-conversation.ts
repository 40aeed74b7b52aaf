// Which conversation a call comes from, if its client says so in `_meta`. Codex does: its threads
// may share a process, and each has an id that its hooks get, too, and that stays the same after a
// resume. Used over stdio only, where the sender is the process that started this server.

import { isRecord } from '../core/is-record.ts';

const CODEX = 'x-codex-turn-metadata';
const ID = /^[A-Za-z0-9_.-]{1,128}$/;

/** Such as `codex:0198…`; null if the call names none, or an invalid one. */
export function conversationIn(meta: unknown): string | null {
  const turn = isRecord(meta) ? meta[CODEX] : undefined;
  const thread = isRecord(turn) ? turn.thread_id : undefined;
  return typeof thread === 'string' && ID.test(thread) ? `codex:${thread}` : null;
}
