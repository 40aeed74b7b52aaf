export function call(
  name: string,
  args: object,
  target?: { readonly url?: string; readonly token?: string },
): Promise<{ readonly status?: number }>;
export function readInput(): string;
