// Waits for something that happens in another process.

export async function until(
  happened: () => boolean | Promise<boolean>,
  milliseconds = 10_000,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!(await happened())) {
    if (Date.now() > deadline) throw new Error(`Did not happen in ${milliseconds} ms: ${happened}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
