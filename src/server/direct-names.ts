// Which messages are for the direct methods and not for the SDK. Apart from `direct.ts`,
// because the stdio connection must know it before anything heavy is loaded.

/** What the protocol itself calls without a slash; everything else of that form is ours. */
const PROTOCOL = ['initialize', 'ping'];

export function isDirect({ method }: Readonly<Record<string, unknown>>): boolean {
  return typeof method === 'string' && !method.includes('/') && !PROTOCOL.includes(method);
}
