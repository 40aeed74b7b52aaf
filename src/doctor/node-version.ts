// Whether this Node is new enough; package.json's `engines` says the same.

import { type Checker, ok, problem } from './check.ts';

export const MIN_NODE = '20.19';

export const nodeVersion: Checker = {
  name: 'node',
  timeoutMs: 1000,
  async run() {
    const { node } = process.versions;
    if (isAtLeast(node, MIN_NODE)) return ok(`Node ${node}`);
    return problem(`Node ${node} is too old`, `install Node ${MIN_NODE} or later`);
  },
};

export function isAtLeast(version: string, min: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = min.split('.').map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
