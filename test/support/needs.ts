// A program that some tests need and a machine may lack, such as PostgreSQL or Chromium. A file of such
// tests looks for it at its top: without it they are skipped and say why, and in CI the file fails.

import { beforeEach } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test could not run here. */
    lacks?: string;
  }
}

/** False if it is missing. Installing it may take a while. */
export async function needs(find: () => Promise<unknown>): Promise<boolean> {
  const missing = await find().then(
    () => null,
    (error: Error) => error.message,
  );
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  beforeEach(({ task, skip }) => {
    task.meta.lacks = missing;
    skip(missing);
  });
  return false;
}
