// How much work something is, judged so that a busy machine cannot fail a test by chance: processor
// time instead of the clock, in pieces of reference work that are done at about the same time.

import { referenceWork } from './reference-work.cjs';

/** A busy machine only adds time, so one try within the limit is enough; a real fault is in each. */
const MAX_TRIES = 5;
/** A piece takes longer on any machine; what takes less is not worth a comparison. */
const MIN_PIECE_SECONDS = 0.001;

/** Fails if each of several tries takes more than so many pieces, about 150 of which fill a second. */
export async function expectPiecesAtMost(
  limit: number,
  work: () => unknown,
  what = 'It',
): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < MAX_TRIES && least > limit; tries += 1) {
    const before = processorSeconds();
    await work();
    const seconds = processorSeconds() - before;
    if (seconds < limit * MIN_PIECE_SECONDS) return;
    least = Math.min(least, inPiecesOfWork(seconds));
  }
  if (least <= limit) return;
  throw new Error(
    `${what} took ${Math.round(least)} pieces of work or more; the limit is ${limit}`,
  );
}

/** Processor time so far: unlike the clock, it excludes other processes. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function inPiecesOfWork(seconds: number): number {
  // The first time, it is not compiled yet.
  referenceWork();
  const before = processorSeconds();
  referenceWork();
  return seconds / (processorSeconds() - before);
}
