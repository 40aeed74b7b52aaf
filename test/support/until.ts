// Waits for something that happens in another process. The limit is for what never happens: a busy
// machine may keep a process waiting for a long time.

export async function until(
  happened: () => boolean | Promise<boolean>,
  milliseconds = 60_000,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!(await happened())) {
    if (Date.now() > deadline) throw new Error(`Did not happen in ${milliseconds} ms: ${happened}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
