// What a test has the model do. A script is a function from the conversation so far to the
// next move; it does not know which client it talks to, nor in which wire form.

export interface Tool {
  /** As the client calls it, e.g. `mcp__deepwork__finished_step`. */
  readonly name: string;
  readonly description: string;
}

export interface Call {
  /** Our tools by their plain name (`finished_step`), others by the client's. */
  readonly name: string;
  readonly args: unknown;
  /** As our server gave it, without the client's wrapping; null until it has come. */
  readonly result: string | null;
}

export interface Text {
  /** Hooks and clients add texts as `user` or `system`; `assistant` is what the script said. */
  readonly role: 'user' | 'system' | 'assistant';
  readonly text: string;
}

export interface Conversation {
  /** The tools that came with their schemas. */
  readonly tools: readonly Tool[];
  readonly calls: readonly Call[];
  readonly texts: readonly Text[];
}

export type Move =
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly use: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly write: string; readonly text: string }
  | { readonly say: string };

export type Script = (conversation: Conversation) => Move;

/** Calls one of our tools, by its plain name. */
export function call(name: string, args: Readonly<Record<string, unknown>> = {}): Move {
  return { call: name, args };
}

/** Calls one of the client's own tools, by the client's name for it. */
export function use(name: string, args: Readonly<Record<string, unknown>>): Move {
  return { use: name, args };
}

/** Writes a file, by its absolute path, with the client's own tool for that. */
export function write(file: string, text: string): Move {
  return { write: file, text };
}

/** Says a text and ends the turn. */
export function say(text: string): Move {
  return { say: text };
}

/** One move after the other; being asked for one more is a failure. */
export function inOrder(...moves: readonly (Move | Script)[]): Script {
  let next = 0;
  return (conversation) => {
    const move = moves[next];
    if (move === undefined) {
      const last = conversation.texts.findLast(({ role }) => role !== 'assistant')?.text;
      throw new Error(
        `The script has ${moves.length} moves, and was asked for one more. The last text sent was: ${last?.slice(0, 500)}`,
      );
    }
    next += 1;
    return typeof move === 'function' ? move(conversation) : move;
  };
}
