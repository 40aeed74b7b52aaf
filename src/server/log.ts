// The server's log: one line per call on stderr, since stdout belongs to the protocol.

import type { StackItem } from '../sessions/stacks.ts';

export interface Log {
  call(tool: string, stack: readonly StackItem[], outcome: string, milliseconds: number): void;
  fault(tool: string, error: unknown): void;
}

export function stderrLog(): Log {
  let waiting = '';
  const flush = () => {
    if (waiting !== '') process.stderr.write(waiting);
    waiting = '';
  };
  process.once('exit', flush);
  // After the answer, not before it: nobody waits for a log line.
  const write = (line: string) => {
    if (waiting === '') setImmediate(flush);
    waiting += `${new Date().toISOString()} deepwork ${line}\n`;
  };
  return {
    call(tool, stack, outcome, milliseconds) {
      const depth = stack.map(({ workflow, step }) => `${workflow}:${step}`).join(' > ');
      write(`${tool} ${outcome} ${milliseconds.toFixed(1)}ms stack=[${depth}]`);
    },
    fault(tool, error) {
      write(`${tool} fault: ${error instanceof Error ? error.stack : String(error)}`);
    },
  };
}
