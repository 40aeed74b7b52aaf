// The signals that a process gets, as a command sees them.

/** `process`, or what stands in for it. */
export interface Signals {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  once(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/** Resolves with the first of these signals. Listens from now on. */
export function firstSignal(
  signals: Signals,
  ...wanted: readonly NodeJS.Signals[]
): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of wanted) signals.once(signal, resolve);
  });
}
