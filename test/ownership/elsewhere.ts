// A server that believes it runs elsewhere, or at another time.

import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./other-machine.cjs', import.meta.url));

export interface Elsewhere {
  readonly host?: string;
  /** Eight characters, as in the system's boot id. */
  readonly boot?: string;
  /** The number of its process namespace, as containers have one each. */
  readonly namespace?: string;
  /** Added to the clock. */
  readonly clockMs?: number;
}

/** The environment that makes a server believe it. */
export function elsewhere({ host, boot, namespace, clockMs }: Elsewhere): Record<string, string> {
  return {
    NODE_OPTIONS: `--require "${PRELOAD}"`,
    ...(host !== undefined && { TEST_HOST: host }),
    ...(boot !== undefined && { TEST_BOOT: boot }),
    ...(namespace !== undefined && { TEST_NAMESPACE: namespace }),
    ...(clockMs !== undefined && { TEST_CLOCK_MS: String(clockMs) }),
  };
}
