// What a client's hook sends and expects, independent of the client. Each client has its own JSON for
// the same three moments; its adapter in `clients/` translates, and nothing else depends on it.

export const MOMENTS = ['start', 'stop', 'tool'] as const;

/** A conversation starts or restarts; the agent wants to stop; a tool is about to run. */
export type Moment = (typeof MOMENTS)[number];

export interface HookCall {
  /** The client's own id of the conversation. */
  readonly sessionId: string | null;
  /** Where the client works. */
  readonly cwd: string | null;
  /** Files that the tool would write, as the client names them; empty for other tools. */
  readonly writes: readonly string[];
  /** Tasks of this agent still run, or it is scheduled to go on: its client wakes it. */
  readonly isWokenLater: boolean;
}

export type HookAnswer =
  /** Shown to the model when the conversation starts. */
  | { readonly kind: 'context'; readonly text: string }
  /** The agent may not stop yet, and why. */
  | { readonly kind: 'continue'; readonly reason: string }
  /** The tool may not run, and why. */
  | { readonly kind: 'deny'; readonly reason: string };

export interface HookSettings {
  /** Below the project and the user's home. */
  readonly files: readonly string[];
  /** The client's names of the moments. */
  readonly events: Readonly<Record<Moment, string>>;
}

export interface HookClient {
  readonly name: string;
  /** The prefix of its conversations as owners of work; null: they are told apart by process only. */
  readonly identityPrefix: string | null;
  /**
   * The client sends the id of its conversation with each call, so an owner with another id is another
   * conversation. Otherwise it may be the same one: a server keeps the id that it was started with.
   */
  readonly namesEachCall: boolean;
  /** Where hooks take precedence over a plugin's; null if the client has no plugin of ours. */
  readonly settings: HookSettings | null;
  readCall(input: Readonly<Record<string, unknown>>): HookCall;
  /** What the client expects on stdout. */
  writeAnswer(answer: HookAnswer): string;
}

/** A text member of a client's JSON; null if there is none. */
export function textIn(input: unknown, ...path: readonly string[]): string | null {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return typeof value === 'string' && value !== '' ? value : null;
}
