// What an agent's machine-readable output says about its turn: what it cost, the client's own name
// for the conversation, until when it is out of quota, and the agent's last words. Lines that are too
// long are skipped; of words and of all other output only the end is kept.

import { jsonObjectIn } from '../core/is-record.ts';

export interface OutputFacts {
  readonly costUsd: number | null;
  readonly conversation: string | null;
  /** As the client prints it; it counts only if the turn failed. */
  readonly limitUntil: string | null;
  /** What the agent, or the client for it, said last. */
  readonly said: string | null;
}

/** Reads one JSON object of the output. */
export type ReadObject = (
  object: Readonly<Record<string, unknown>>,
  facts: OutputFacts,
  now: number,
) => Partial<OutputFacts>;

/** Reads a line that is not a JSON object. */
export type ReadText = (line: string, now: number) => Partial<OutputFacts>;

export interface OutputReader {
  take(chunk: Buffer): void;
  facts(): OutputFacts;
  /** The last lines of what is not machine-readable. */
  tail(): string;
}

const MAX_LINE = 1024 * 1024;
const MAX_TAIL = 2048;

export function readOutput(
  readObject: ReadObject,
  readText: ReadText,
  now: () => number = Date.now,
): OutputReader {
  let facts: OutputFacts = { costUsd: null, conversation: null, limitUntil: null, said: null };
  let line: Buffer[] = [];
  let length = 0;
  let tail = '';

  function endLine(): void {
    const isTooLong = length > MAX_LINE;
    const text = isTooLong ? '' : Buffer.concat(line).toString('utf8').trim();
    line = [];
    length = 0;
    if (text === '') return;
    const object = text.startsWith('{') ? jsonObjectIn(text) : null;
    const said = object === null ? readText(text, now()) : readObject(object, facts, now());
    facts = merged(facts, said);
    if (object === null) tail = `${tail}${text}\n`.slice(-MAX_TAIL);
  }

  return {
    take(chunk) {
      let from = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, from);
        const part = chunk.subarray(from, end === -1 ? undefined : end);
        length += part.length;
        if (length <= MAX_LINE) line.push(part);
        else line = [];
        if (end === -1) return;
        endLine();
        from = end + 1;
      }
    },
    facts() {
      endLine();
      return facts;
    },
    tail: () => tail.trim(),
  };
}

const NEWLINE = 0x0a;

/** It becomes an argument of the next turn, so it must not look like an option. */
const CONVERSATION = /^\w[\w-]{0,127}$/;

/** A lower cost printed later does not make the turn cheaper. */
function merged(facts: OutputFacts, said: Partial<OutputFacts>): OutputFacts {
  const { conversation, costUsd, said: words = '' } = said;
  const isName = typeof conversation === 'string' && CONVERSATION.test(conversation);
  const isAmount = typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    ...facts,
    ...said,
    conversation: isName ? conversation : facts.conversation,
    said: words?.trim() ? words.slice(-MAX_TAIL) : facts.said,
    costUsd: isAmount ? Math.max(costUsd, facts.costUsd ?? 0) : facts.costUsd,
  };
}
