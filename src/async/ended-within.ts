// Waits for the end of something, up to a time limit.

export async function endedWithin(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await Promise.race([work, enough]);
  } finally {
    clearTimeout(timer);
  }
}
