// Reports what is running, and regularly that it still is, so that a long check does not
// look like a hung one.

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
