// Says what is running, and every now and then that it still is, so that nobody takes
// a long check for a hung one.

const STILL_RUNNING_MS = 10_000;

export async function reporting<T>(
  progress: (message: string) => void,
  label: string,
  run: () => Promise<T>,
): Promise<T> {
  progress(label);
  const ticking = setInterval(() => progress(`${label}, still running`), STILL_RUNNING_MS);
  try {
    return await run();
  } finally {
    clearInterval(ticking);
  }
}
