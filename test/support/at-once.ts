// Runs work that pauses between its pieces without the pauses. Imported by tests only.

export function atOnce<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}
