// How long calls took, by tool.

export interface Latencies {
  time<T>(tool: string, call: () => Promise<T>): Promise<T>;
  count(): number;
  /** A line for each tool. */
  table(): string;
}

export function openLatencies(): Latencies {
  const taken = new Map<string, number[]>();
  const at = (sorted: readonly number[], share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return {
    async time(tool, call) {
      const began = performance.now();
      const result = await call();
      const times = taken.get(tool) ?? [];
      times.push(performance.now() - began);
      taken.set(tool, times);
      return result;
    },
    count: () => [...taken.values()].reduce((sum, { length }) => sum + length, 0),
    table: () =>
      [...taken]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([tool, times]) => {
          const sorted = times.sort((a, b) => a - b);
          const name = tool.padEnd(24);
          return `${name} ${String(sorted.length).padStart(7)} calls  p50 ${at(sorted, 0.5).padStart(8)} ms  p99 ${at(sorted, 0.99).padStart(8)} ms  max ${at(sorted, 1).padStart(8)} ms`;
        })
        .join('\n'),
  };
}
