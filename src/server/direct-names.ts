// Which messages are for the direct methods and not for the SDK. Separate from `direct-methods.ts`,
// because the stdio connection needs it before the engine is loaded.

/** The protocol's own methods without a slash; all others of that form are ours. */
const PROTOCOL = ['initialize', 'ping'];

export function isDirect({ method }: Readonly<Record<string, unknown>>): boolean {
  return typeof method === 'string' && !method.includes('/') && !PROTOCOL.includes(method);
}
